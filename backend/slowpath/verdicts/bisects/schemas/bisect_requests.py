"""What people ask of a bisect."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from slowpath.verdicts.bisects.rules.bisect_states import MOST_SLOTS, MoveName
from slowpath.verdicts.bisects.schemas.bisect_field_types import (
    At,
    BisectRequest,
    BoardMatch,
    CandidateId,
    DayName,
    Module,
    Place,
    RunnerLabels,
    Sha,
    SignatureKind,
    SignatureSubject,
    Tag,
    Words,
    Zone,
)


class DeploymentHoursIn(BisectRequest):
    """When deploys may begin, by the clocks of a zone; `to` may lie behind midnight."""

    days: Annotated[list[DayName], Field(min_length=1, max_length=7)]
    start: Annotated[At, Field(alias="from")]
    end: Annotated[At, Field(alias="to")]
    zone: Zone = "UTC"


class GuardrailIn(BisectRequest):
    """What of an environment stops the search: an error rate (of 1) or a p99 above this."""

    environment_id: UUID | None = None
    error_rate: Annotated[float, Field(gt=0, le=1)] | None = None
    p99_ns: Annotated[float, Field(gt=0, le=1e15)] | None = None


class DashboardSelectorIn(BisectRequest):
    """Where what is deployed pushes its metrics, for a search on latency, and by what its series are told from others.

    `instance`: a label holds the run's id, as service.instance.id does where the runner hands it over. `version`: a label names the
    build, or the run. `environment`: all are, with one deploy at a time.
    """

    environment_id: UUID
    match: BoardMatch = "instance"


class BisectSettingsUpdate(BisectRequest):
    """What of the settings may be changed while the search goes on; what is left out stays."""

    stop_probability: Annotated[float, Field(ge=0.5, le=0.999)] = 0.95
    slots: Annotated[int, Field(ge=1, le=MOST_SLOTS)] = 1
    max_deployments: Annotated[int, Field(ge=1, le=1000)] | None = None
    control: bool = False
    max_measurements_per_probe: Annotated[int, Field(ge=1, le=20)] = 4
    measurement_seconds: Annotated[float, Field(ge=0, le=86_400)] = 30.0
    warm_up_seconds: Annotated[float, Field(ge=0, le=86_400)] = 10.0
    deployment_seconds: Annotated[float, Field(ge=1, le=86_400)] = 1800.0
    lease_timeout_seconds: Annotated[float, Field(ge=5, le=86_400)] = 600.0
    needs_approval: bool = False
    deployment_hours: DeploymentHoursIn | None = None
    guardrail: GuardrailIn | None = None
    runner_labels: RunnerLabels = {}  # noqa: RUF012 - pydantic copies it
    """Only runners that have all of these deploy for it."""


class BisectSettingsIn(BisectSettingsUpdate):
    """How to search, how to measure, what is built. What is left out is as usual."""

    dashboard_selector: DashboardSelectorIn | None = None
    use_production_baselines: bool = False
    """Begin with what production measured of both ends: saves their deploys where the runner deploys into the same conditions."""
    main_package: Place | None = None
    directory: Place = ""
    goos: Tag = "linux"
    goarch: Tag = "amd64"
    tags: Annotated[list[Tag], Field(max_length=50)] = []  # noqa: RUF012 - pydantic copies it
    cgo: bool | None = None
    module_repositories: Annotated[dict[Module, UUID], Field(max_length=100)] = {}  # noqa: RUF012 - pydantic copies it


class SignatureIn(BisectRequest):
    """What is measured of every build: one of those that are offered, or `custom`, which the runner's command measures."""

    kind: SignatureKind
    subject: SignatureSubject


class BisectIn(BisectRequest):
    """What to search. What is not given is taken from the offer for the regression or the comparison."""

    service_id: UUID | None = None
    regression_id: UUID | None = None
    comparison_id: UUID | None = None
    repository_id: UUID | None = None
    good_sha: Sha | None = None
    bad_sha: Sha | None = None
    signature: SignatureIn | None = None
    settings: BisectSettingsIn = BisectSettingsIn()


class BisectUpdate(BisectRequest):
    """What to change of a bisect."""

    settings: BisectSettingsUpdate


class BisectActionIn(BisectRequest):
    """What a person wants of the search."""

    action: MoveName
    reason: Words = ""


class CandidateOverrideIn(BisectRequest):
    """What a person knows of a candidate without a deploy."""

    candidate: CandidateId
    verdict: Literal["slower", "not-slower", "unbuildable"]
    reason: Annotated[Words, Field(min_length=1)]


class ReprobeIn(BisectRequest):
    """A candidate to deploy once more; "good" is the good end."""

    candidate: CandidateId


class ProbeInvalidationIn(BisectRequest):
    """A probe that is not to count: a bad node, an incident."""

    number: Annotated[int, Field(ge=1, le=1_000_000)]
    reason: Annotated[Words, Field(min_length=1)]
