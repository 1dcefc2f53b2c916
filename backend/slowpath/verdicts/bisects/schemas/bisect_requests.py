"""Request bodies of users."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StrictBool

from slowpath.platform.http.request_types import JsonFloat, JsonInt
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
    """Hours in which deployments may start, in a time zone; `to` may be after midnight."""

    days: Annotated[list[DayName], Field(min_length=1, max_length=7)]
    start: Annotated[At, Field(alias="from")]
    end: Annotated[At, Field(alias="to")]
    zone: Zone = "UTC"


class GuardrailIn(BisectRequest):
    """Error rate (0 to 1) or p99 of an environment above which the bisect stops."""

    environment_id: UUID | None = None
    error_rate: Annotated[JsonFloat, Field(gt=0, le=1)] | None = None
    p99_ns: Annotated[JsonFloat, Field(gt=0, le=1e15)] | None = None


class DashboardSelectorIn(BisectRequest):
    """Environment that probes push metrics to, and how the series of a probe are identified.

    Only for a latency signature. `instance`: a label contains the run ID, such as service.instance.id set by the runner.
    `version`: a label contains the build name or the run ID. `environment`: all series match, with one deployment at a time.
    """

    environment_id: UUID
    match: BoardMatch = "instance"


class BisectSettingsUpdate(BisectRequest):
    """Settings that can change during the search; omitted ones stay."""

    stop_probability: Annotated[JsonFloat, Field(ge=0.5, le=0.999)] = 0.95
    slots: Annotated[JsonInt, Field(ge=1, le=MOST_SLOTS)] = 1
    max_deployments: Annotated[JsonInt, Field(ge=1, le=1000)] | None = None
    control: StrictBool = False
    max_measurements_per_probe: Annotated[JsonInt, Field(ge=1, le=20)] = 4
    measurement_seconds: Annotated[JsonFloat, Field(ge=0, le=86_400)] = 30.0
    warm_up_seconds: Annotated[JsonFloat, Field(ge=0, le=86_400)] = 10.0
    deployment_seconds: Annotated[JsonFloat, Field(ge=1, le=86_400)] = 1800.0
    lease_timeout_seconds: Annotated[JsonFloat, Field(ge=5, le=86_400)] = 600.0
    needs_approval: StrictBool = False
    deployment_hours: DeploymentHoursIn | None = None
    guardrail: GuardrailIn | None = None
    runner_labels: RunnerLabels = {}  # noqa: RUF012 - pydantic copies it
    """Labels that a runner requires."""


class BisectSettingsIn(BisectSettingsUpdate):
    """Settings of search, measurement and build. Omitted ones have defaults."""

    dashboard_selector: DashboardSelectorIn | None = None
    use_production_baselines: StrictBool = False
    """Start from production baselines of both boundaries; saves their deployments if the runner deploys to the same conditions."""
    main_package: Place | None = None
    directory: Place = ""
    goos: Tag = "linux"
    goarch: Tag = "amd64"
    tags: Annotated[list[Tag], Field(max_length=50)] = []  # noqa: RUF012 - pydantic copies it
    cgo: StrictBool | None = None
    module_repositories: Annotated[dict[Module, UUID], Field(max_length=100)] = {}  # noqa: RUF012 - pydantic copies it
    pauses_after_boundaries: StrictBool = False
    """Deploy and measure each boundary once, then pause. An equal request without this continues with what was measured."""


class SignatureIn(BisectRequest):
    """A signature to measure: a proposed one, or `custom`, measured by the runner's command."""

    kind: SignatureKind
    subject: SignatureSubject


class BisectIn(BisectRequest):
    """A bisect to create. Omitted fields come from the proposal for the regression, event or comparison."""

    service_id: UUID | None = None
    regression_id: UUID | None = None
    event_id: UUID | None = None
    comparison_id: UUID | None = None
    repository_id: UUID | None = None
    good_sha: Sha | None = None
    bad_sha: Sha | None = None
    signature: SignatureIn | None = None
    settings: BisectSettingsIn = BisectSettingsIn()


class PreflightIn(BisectIn):
    """A request for a bisect to check. `is_repeated`: count the candidates again although an equal request was just checked."""

    is_repeated: StrictBool = False


class BisectUpdate(BisectRequest):
    """Fields to update."""

    settings: BisectSettingsUpdate


class BisectActionIn(BisectRequest):
    """An action on a bisect."""

    action: MoveName
    reason: Words = ""


class CandidateOverrideIn(BisectRequest):
    """The verdict of a user on a candidate."""

    candidate: CandidateId
    verdict: Literal["slower", "not-slower", "unbuildable"]
    reason: Annotated[Words, Field(min_length=1)]


class ReprobeIn(BisectRequest):
    """A candidate to probe again; "good" is the good boundary."""

    candidate: CandidateId


class ProbeInvalidationIn(BisectRequest):
    """A probe to invalidate, for example after an incident."""

    number: Annotated[JsonInt, Field(ge=1, le=1_000_000)]
    reason: Annotated[Words, Field(min_length=1)]
