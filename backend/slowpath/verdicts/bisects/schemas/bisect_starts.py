"""Bodies of what is read before a bisect starts: its ends and its preflight."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StrictBool

from slowpath.verdicts.bisects.rules.preflight import CheckKey, CheckState, FixAction, Relation
from slowpath.verdicts.bisects.rules.range_ends import EndType
from slowpath.verdicts.bisects.rules.start_obstacles import ObstacleKey
from slowpath.verdicts.bisects.schemas.bisect_field_types import BisectRequest, RunnerLabels
from slowpath.verdicts.bisects.schemas.bisect_requests import DeploymentHoursIn
from slowpath.verdicts.bisects.schemas.bisect_responses import CredibleIntervalOut, PrunedCommitsOut


class RangeEndOut(BaseModel):
    """A commit that a name resolves to."""

    type: EndType
    name: str
    sha: str
    detail: str
    """What the name alone does not say: where a deployment runs, or the branch of a date."""
    is_exact: bool
    """Whether the whole text is its name."""
    title: str
    author: str
    at: datetime | None
    """When it was committed; null if its metadata is unknown."""
    is_measured: bool
    """Whether a build of it has artifacts."""


class PreflightFixOut(BaseModel):
    """What solves a check: an action of the page, with the value it needs."""

    action: FixAction
    label: str
    value: str


class PreflightCheckOut(BaseModel):
    """One check of a request."""

    key: CheckKey
    state: CheckState
    title: str
    value: str
    detail: str
    fixes: list[PreflightFixOut]
    blocks_start: bool
    """Whether the bisect cannot start before it is solved."""


class UpdatedModuleOut(BaseModel):
    """A module that good and bad require in different versions."""

    module: str
    before: str
    after: str
    is_linked: bool
    """Whether the team has its repository."""


class FirstCandidateOut(BaseModel):
    """A candidate that would be probed first, and its prior, 0 to 1."""

    sha: str
    title: str
    prior: float


class RangeReportOut(BaseModel):
    """What the mirror of the repository shows of the range."""

    relation: Relation
    merge_base: str | None
    commits: int
    classes: int
    """Candidates: commits with equal build inputs count once."""
    pruned: list[PrunedCommitsOut]
    modules: list[UpdatedModuleOut]
    with_prior: CredibleIntervalOut | None
    """Expected probes, those that remain once both boundaries were measured; null without candidates, or if they do not differ."""
    without_prior: CredibleIntervalOut | None
    git_bisect_probes: int
    """Deployments git bisect would need with five measurements per build."""
    first_round: list[FirstCandidateOut]


class BoundaryCheckOut(BaseModel):
    """The bisect that measures both boundaries of a request once and pauses before its first candidate.

    An equal request without `pauses_after_boundaries` continues it; the action `retry` measures again, `cancel` ends it.
    """

    bisect_id: UUID
    number: int
    state: Literal["running", "paused", "measured", "expired", "failed"]
    """`expired`: discarded, because it was not continued in time. An equal request uses its measurements all the same."""
    expires_at: datetime | None
    """When it is, or was, discarded unless it is continued."""
    sentence: str
    """What is being done, or what follows from the difference."""


class PreflightOut(BaseModel):
    """A request for a bisect before its first deployment."""

    id: UUID
    is_running: bool
    """Whether the range is still being counted."""
    good_sha: str | None
    bad_sha: str | None
    checks: list[PreflightCheckOut]
    report: RangeReportOut | None
    probe_seconds: float
    """Expected duration of a probe."""
    probes_seen: int
    """Number of earlier probes that show it; 0: warm-up and measurements only."""
    duration_source: Literal["service", "runner", "configuration", "settings"]
    """What shows it: probes of the service or of the runners, what the runners state of their measurements, or the settings."""
    boundary_check: BoundaryCheckOut | None
    """Null: the boundaries were not measured for this request, or that was cancelled."""
    expected_seconds: float | None
    """Expected duration of the search; null if the range is not counted."""


class AutomaticBisectRulesBody(BisectRequest):
    """When confirmed regressions of a service start a bisect by themselves. An open bisect ends when its regression is closed."""

    enabled: StrictBool
    deployments_per_day: Annotated[int, Field(ge=1, le=1000, strict=True)] = 30
    """Most deployments of automatic bisects of the service in 24 hours."""
    needs_approval: StrictBool = True
    """Whether each round of deployments requires approval."""
    deployment_hours: DeploymentHoursIn | None = None
    """Hours in which a bisect starts and deploys; null: always."""
    runner_labels: RunnerLabels = {}  # noqa: RUF012 - pydantic copies it
    """Labels that a runner requires."""


class StartObstacleOut(BaseModel):
    """Why no bisect was started for a regression, or why its bisect waits."""

    key: ObstacleKey
    sentence: str
    remedy: str


class AutomaticStartOut(BaseModel):
    """The automatic bisect of a regression."""

    service_id: UUID
    """The service whose rules apply."""
    obstacle: StartObstacleOut | None
    """Null: one runs or has ended, or the regression is not confirmed or not open."""
