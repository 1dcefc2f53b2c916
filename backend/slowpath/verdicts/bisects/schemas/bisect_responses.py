"""What is told of bisects, of what can be offered, and of runners."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel

from slowpath.platform.jobs.schemas import JobOut
from slowpath.verdicts.bisects.rules.bisect_states import BisectStateName, ProbeStateName, PurposeName
from slowpath.verdicts.bisects.schemas.bisect_field_types import ServiceRef, SignatureOut, VerdictName
from slowpath.verdicts.bisects.schemas.bisect_requests import BisectSettingsIn


class RegressionRef(BaseModel):
    """A regression by id, number and title."""

    id: UUID
    number: int | None
    title: str


class CulpritOut(BaseModel):
    """The commit that was found, or is suspected most."""

    repository: str
    sha: str
    title: str


class RangeBoundaryOut(BaseModel):
    """An end of a range; what nobody knows of it is empty."""

    sha: str
    title: str
    at: datetime | None


class BisectSummaryOut(BaseModel):
    """What list and page show of a bisect."""

    id: UUID
    number: int
    title: str
    state: BisectStateName
    sentence: str
    service: ServiceRef
    regression: RegressionRef | None
    posterior: float
    """In the most suspected candidate, 0 to 1."""
    deployments: int
    expected_deployments: float | None
    """How many it will probably be in all."""
    culprit: CulpritOut | None
    created_by: str | None
    created_at: datetime
    finished_at: datetime | None


class BisectListItemOut(BisectSummaryOut):
    """A bisect as the list shows it; `levels` is how many there are."""

    levels: int


class LevelDependencyUpdate(BaseModel):
    """Which version change led to a level."""

    module: str
    old_version: str
    new_version: str


class PrunedCommitsOut(BaseModel):
    """Commits that can not be it, and why."""

    reason: str
    commits: int


class CandidateOut(BaseModel):
    """A build that may be the first slow one."""

    id: str
    sha: str
    title: str
    members: int
    """Commits that build the same."""
    kind: str
    prior: float
    """Believed before the first deploy, 0 to 1 within the level."""
    posterior: float
    """Of all candidates, 0 to 1. What was opened has the belief of all that was in it."""
    reason: str
    verdict: Literal["slower", "not-slower", "inconclusive", "unbuildable", "measuring"] | None
    probe_number: int | None
    """The newest probe of it."""


class CandidatePage(BaseModel):
    """Candidates of a level, the newest commit first; `places` are theirs among all of the level, from 0, the oldest first."""

    items: list[CandidateOut]
    places: list[int]
    found: int
    """How many there are that were asked for."""
    next_cursor: str | None


class PosteriorBarsOut(BaseModel):
    """All candidates of a level in order, for the chart: belief now and before, and where probes stand.

    `marks` are [place from 0 in the level (-1: its good end), probe's number].
    """

    posterior: list[float]
    prior: list[float]
    probes: list[tuple[int, int]]


class LevelOut(BaseModel):
    """One level of the search: a repository between two commits. `key` is "" for the first, else what was opened."""

    key: str
    repository: str
    repository_id: UUID | None
    """Of the team's repository whose commits these are."""
    module: str | None
    good: str
    bad: str
    commits: int
    candidate_count: int
    pruned: list[PrunedCommitsOut]
    dependency_update: LevelDependencyUpdate | None
    candidates: list[CandidateOut]
    """In the order of the line, the most believed of them where they are many."""
    bars: PosteriorBarsOut
    culprit: CulpritOut | None


class ProbeMeasurementOut(BaseModel):
    """One measurement. With neither value nor problem it is still being read, or was a verdict."""

    index: int
    round: int
    value: float | None
    verdict: VerdictName | None
    invalidated: bool
    problem: str | None
    artifact_ids: list[UUID]
    requests: int | None
    """Of how many requests it was read, where the board told their latency."""
    started_at: datetime
    ended_at: datetime


class LikeliestCandidate(BaseModel):
    """Who would be believed most, and how much."""

    sha: str
    title: str
    posterior: float


class PosteriorPreviewOut(BaseModel):
    """What would be believed if a probe's build is slower, and if it is not; null where that can not be."""

    if_slower: LikeliestCandidate | None
    if_not_slower: LikeliestCandidate | None


class ProbeOut(BaseModel):
    """One deploy of a build."""

    number: int
    run_id: UUID
    purpose: PurposeName
    level: str
    """Key of the level its candidate stands in."""
    candidate: str
    sha: str
    title: str
    overrides: dict[str, str]
    """Module to the commit it is built with."""
    round: int
    slot: int | None
    runner: str | None
    state: ProbeStateName
    verdict: Literal["slower", "not-slower", "inconclusive", "unbuildable", "measuring"] | None
    odds: float | None
    """How much likelier what it gave is of a slow build than of a good one."""
    posterior_preview: PosteriorPreviewOut | None
    """Of those that still run or wait."""
    reason: str | None
    queued_at: datetime
    leased_at: datetime | None
    deployed_at: datetime | None
    ready_at: datetime | None
    ended_at: datetime | None
    measurements_requested: int
    measurements: list[ProbeMeasurementOut]
    log_tail: str


class MeasurementsBySideOut(BaseModel):
    """All numbers that count: of builds on the good side, on the bad side of what is believed, and of the control."""

    good: list[float]
    bad: list[float]
    control: list[float]
    baseline_good: list[float]
    """What production measured of the good end, without a deploy of this search, where it counts."""
    baseline_bad: list[float]
    unit: str
    label: str


class CredibleIntervalOut(BaseModel):
    """An expectation with its 80 % interval."""

    mean: float
    low: float
    high: float


class BisectCost(BaseModel):
    """What it has cost, and what it will."""

    deployments: int
    running: int
    builds: int
    rounds: int
    expected_probes: CredibleIntervalOut | None
    """Deploys still to come."""
    limit: int | None
    """Deploys after which it stops undecided; none before there is a plan."""
    git_bisect_best_of_3_probes: int
    git_bisect_best_of_5_probes: int
    """Deploys that git bisect would need, each build measured three or five times."""
    seconds: float


class BisectEventOut(BaseModel):
    """One line of the history."""

    id: UUID
    occurred_at: datetime
    kind: str
    actor: str | None
    sentence: str
    details: dict[str, Any]


class BisectOut(BisectSummaryOut):
    """A bisect with all its page shows."""

    good: RangeBoundaryOut
    bad: RangeBoundaryOut
    repository_id: UUID | None
    comparison_id: UUID | None
    signature: SignatureOut
    settings: BisectSettingsIn
    pause_reason: str | None
    levels: list[LevelOut]
    probes: list[ProbeOut]
    evidence: MeasurementsBySideOut
    cost: BisectCost
    elsewhere: float
    """How much it is believed that it is not in this range."""
    events: list[BisectEventOut]
    problem: dict[str, Any] | None
    job: JobOut | None
    """What is being read of repositories: to find the candidates, or to look into a suspect."""
    needs_approval: bool
    """Whether a round waits for a person to approve it."""
    revision: int


class DashboardSelectorProposal(BaseModel):
    """Where latency would be measured by the board's window, and how long a window needs to be for it, if that is known."""

    environment_id: UUID
    environment: str
    measurement_seconds: float | None


class EnvironmentRef(BaseModel):
    """An environment by id and name."""

    id: UUID
    name: str


class ProductionBaselineOut(BaseModel):
    """What production measured of an end: of its newest build that has files of this kind."""

    build_id: UUID
    value: float
    error: float | None
    """Its standard error; one file tells none."""
    files: int
    first_at: datetime
    last_at: datetime


class ProductionBaselinesOut(BaseModel):
    """What production measured of both ends, under equal conditions: no deploy is needed for it where a search deploys into the same."""

    good: ProductionBaselineOut
    bad: ProductionBaselineOut
    unit: str
    conditions: str
    """Machine, Go version, platform."""


class SignatureProposalOut(BaseModel):
    """A measure that may tell good from bad."""

    kind: str
    subject: str
    label: str
    unit: str
    before: float | None
    after: float | None
    is_separating: bool
    """Whether it told the two apart already."""
    reason: str
    dashboard_selector: DashboardSelectorProposal | None
    """Of latency."""
    production_baselines: ProductionBaselinesOut | None
    """What `use_production_baselines` would begin with."""


class RunnerOut(BaseModel):
    """A runner of the team."""

    id: UUID
    name: str
    slots: int
    labels: dict[str, str]
    version: str
    host: str
    """The machine it runs on, as that calls itself."""
    seen_at: datetime
    left_at: datetime | None
    """When it ended by itself; its name is free."""
    alive: bool
    running: int


class BisectFilesOut(BaseModel):
    """Files that its deploys left; those that comparisons show are counted apart: they stay when it is deleted."""

    files: int
    size_bytes: int
    compared_artifacts: int


class RepositoryProposalOut(BaseModel):
    """The repository a service is built from."""

    id: UUID
    label: str
    url: str | None


class BisectProposalOut(BaseModel):
    """What the dialog shows before a bisect is started."""

    service: ServiceRef | None
    repository: RepositoryProposalOut | None
    good: RangeBoundaryOut | None
    bad: RangeBoundaryOut | None
    signatures: list[SignatureProposalOut]
    """The best first."""
    runners: list[RunnerOut]
    environments: list[EnvironmentRef]
    """Those in which the board tells latency."""
    missing_inputs: list[str]
    """What is still needed, in sentences."""
