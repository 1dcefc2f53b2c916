"""Request and response bodies of commit comparisons and the rules of pull requests."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StrictBool, StringConstraints, field_validator

from slowpath.analysis.bisect.pair_settings import DEFAULT_PAIRS, DEFAULT_SMALLEST_CHANGE, FEWEST_PAIRS, MOST_PAIRS
from slowpath.platform.http.request_types import JsonFloat, JsonInt
from slowpath.verdicts.bisects.rules.bisect_states import BisectStateName, ProbeStateName
from slowpath.verdicts.bisects.schemas.bisect_field_types import (
    BisectRequest,
    RunnerLabels,
    ServiceRef,
    Sha,
    SignatureKind,
    SignatureOut,
    SignatureSubject,
)

Branch = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x20\x7f]+$")]
SmallestChange = Annotated[JsonFloat, Field(ge=0.001, le=10, allow_inf_nan=False)]
Minutes = Annotated[JsonInt, Field(ge=1, le=1440)]
Seconds = Annotated[JsonFloat, Field(ge=1, le=3600, allow_inf_nan=False)]
WarmUpSeconds = Annotated[JsonFloat, Field(ge=0, le=3600, allow_inf_nan=False)]
PairCount = Annotated[JsonInt, Field(ge=FEWEST_PAIRS, le=MOST_PAIRS)]
CommitVerdict = Literal["slower", "not-slower", "inconclusive"]


class MeasuredSignature(BisectRequest):
    """What is measured of both sides."""

    kind: SignatureKind
    subject: SignatureSubject


class PullRequestRulesBody(BisectRequest):
    """Whether runners measure pull requests of a service against their merge base. Those of forks never are."""

    enabled: StrictBool
    base_branches: Annotated[list[Branch], Field(max_length=20)] = []  # noqa: RUF012 - pydantic copies it
    """Branches whose pull requests are measured; empty: the default branch."""
    runner_labels: RunnerLabels = {}  # noqa: RUF012 - pydantic copies it
    """Labels that a runner requires."""
    minutes_per_day: Minutes = 120
    """Most minutes of deployments in 24 hours."""
    minutes_per_pull_request: Minutes = 45
    smallest_change: SmallestChange = DEFAULT_SMALLEST_CHANGE
    """Relative change that matters: 0.05 is 5%."""
    measurement_seconds: Seconds = 10.0
    warm_up_seconds: WarmUpSeconds = 5.0
    signature: MeasuredSignature | None = None
    """Null: the number that the runner's measurement command prints."""

    @field_validator("signature", mode="before")
    @classmethod
    def _read_pair(cls, given: object) -> object:
        return {"kind": given[0], "subject": given[1]} if isinstance(given, list | tuple) and len(given) == 2 else given


class CommitComparisonIn(BisectRequest):
    """Two commits of a service that a runner measures alternately."""

    service_id: UUID
    base_sha: Sha
    """The candidate is measured against its merge base with this commit."""
    candidate_sha: Sha
    smallest_change: SmallestChange = DEFAULT_SMALLEST_CHANGE
    pairs: PairCount = DEFAULT_PAIRS
    """Most pairs of measurements."""
    minutes: Minutes = 60
    """Most minutes of deployments."""
    measurement_seconds: Seconds = 10.0
    warm_up_seconds: WarmUpSeconds = 5.0
    runner_labels: RunnerLabels = {}  # noqa: RUF012 - pydantic copies it
    signature: MeasuredSignature | None = None


class PullRequestOut(BaseModel):
    """The pull request of a commit comparison."""

    number: int
    url: str | None
    branch: str
    base_branch: str


class SideMeasurementOut(BaseModel):
    """One deployment of one side."""

    number: int
    pair: int
    is_candidate: bool
    state: ProbeStateName
    value: float | None
    problem: str | None
    seconds: float


class CommitComparisonSummaryOut(BaseModel):
    """A commit comparison as listed."""

    id: UUID
    number: int
    title: str
    state: BisectStateName
    verdict: CommitVerdict | None
    """Null while it runs, and if it was cancelled or failed."""
    sentence: str
    service: ServiceRef
    pull_request: PullRequestOut | None
    base_sha: str
    candidate_sha: str
    created_at: datetime
    finished_at: datetime | None


class CommitComparisonOut(CommitComparisonSummaryOut):
    """A commit comparison with its measurements."""

    signature: SignatureOut
    smallest_change: float
    pairs: int
    """Most pairs of measurements."""
    minutes: int
    ratio: float | None
    """Cost of the candidate relative to the base; null before the end."""
    low: float | None
    high: float | None
    comparison_id: UUID | None
    """The comparison of both sides' artifacts, which shows the cause."""
    measurements: list[SideMeasurementOut]
