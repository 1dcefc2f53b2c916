"""Response bodies of bisects, proposals and runners."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from slowpath.platform.http.problems import StoredProblem
from slowpath.platform.jobs.schemas import JobOut
from slowpath.verdicts.bisects.rules.bisect_states import BisectStateName, ProbeStateName, PurposeName
from slowpath.verdicts.bisects.schemas.bisect_field_types import ServiceRef, SignatureOut, VariantKind, VerdictName
from slowpath.verdicts.bisects.schemas.bisect_requests import BisectSettingsIn
from slowpath.verdicts.compiler_evidence.schemas import CompilerReasonOut


class RegressionRef(BaseModel):
    """A regression by id, number and title."""

    id: UUID
    number: int | None
    title: str


class CulpritOut(BaseModel):
    """The culprit or the top suspect."""

    repository: str
    sha: str
    title: str


class RangeBoundaryOut(BaseModel):
    """A boundary of a range; title and time are empty if unknown."""

    sha: str
    title: str
    at: datetime | None


class BisectSummaryOut(BaseModel):
    """Fields of a bisect in lists and on its page."""

    id: UUID
    number: int
    title: str
    state: BisectStateName
    sentence: str
    service: ServiceRef
    regression: RegressionRef | None
    posterior: float
    """Posterior of the top suspect, 0 to 1."""
    deployments: int
    expected_deployments: float | None
    """Expected total number of deployments."""
    culprit: CulpritOut | None
    created_by: str | None
    is_automatic: bool
    """Whether a confirmed regression started it by itself."""
    created_at: datetime
    finished_at: datetime | None


class BisectListItemOut(BisectSummaryOut):
    """A bisect as listed; `levels` is their number."""

    levels: int


class LevelDependencyUpdate(BaseModel):
    """The dependency update that was expanded to a level."""

    module: str
    old_version: str
    new_version: str


class PrunedCommitsOut(BaseModel):
    """Commits that cannot be the culprit, and why."""

    reason: str
    commits: int


class CandidateOut(BaseModel):
    """A build that may be the first bad one."""

    id: str
    sha: str
    title: str
    members: int
    """Number of commits that produce the same binary."""
    kind: str
    prior: float
    """Probability before the first measurement, 0 to 1 within the level."""
    posterior: float
    """Probability among all candidates, 0 to 1. An expanded candidate has the sum of its level."""
    reason: str
    verdict: Literal["slower", "not-slower", "inconclusive", "unbuildable", "measuring"] | None
    probe_number: int | None
    """Number of its newest probe."""


class CandidatePage(BaseModel):
    """Candidates of a level, the newest commit first.

    `places`: their positions in the level, from 0, the oldest first.
    """

    items: list[CandidateOut]
    places: list[int]
    found: int
    """Number of matching candidates."""
    next_cursor: str | None


class PosteriorBarsOut(BaseModel):
    """All candidates of a level in order, for the chart: posterior and prior, and positions of probes.

    `probes`: [position in the level from 0 (-1: its good boundary), number of the probe].
    """

    posterior: list[float]
    prior: list[float]
    probes: list[tuple[int, int]]


class LevelOut(BaseModel):
    """One level of the search: a repository between two commits.

    `key`: "" for the first, else the expanded candidate.
    """

    key: str
    repository: str
    repository_id: UUID | None
    """The team's repository of these commits."""
    module: str | None
    good: str
    bad: str
    commits: int
    candidate_count: int
    pruned: list[PrunedCommitsOut]
    dependency_update: LevelDependencyUpdate | None
    candidates: list[CandidateOut]
    """In commit order; if there are many, those with the highest posterior."""
    bars: PosteriorBarsOut
    culprit: CulpritOut | None


class ProbeMeasurementOut(BaseModel):
    """One measurement. With neither value nor problem it is pending or a verdict."""

    index: int
    round: int
    value: float | None
    verdict: VerdictName | None
    invalidated: bool
    problem: str | None
    artifact_ids: list[UUID]
    requests: int | None
    """Number of requests, if read from dashboard metrics."""
    started_at: datetime
    ended_at: datetime


class LikeliestCandidate(BaseModel):
    """A top suspect and its posterior."""

    sha: str
    title: str
    posterior: float


class PosteriorPreviewOut(BaseModel):
    """Top suspect if the build of a probe is slower, and if not; null if impossible."""

    if_slower: LikeliestCandidate | None
    if_not_slower: LikeliestCandidate | None


class ProbeOut(BaseModel):
    """One probe of a candidate."""

    number: int
    run_id: UUID
    purpose: PurposeName
    level: str
    """Key of the level of its candidate."""
    candidate: str
    sha: str
    title: str
    overrides: dict[str, str]
    """Commit by overridden module."""
    round: int
    slot: int | None
    runner: str | None
    state: ProbeStateName
    verdict: Literal["slower", "not-slower", "inconclusive", "unbuildable", "measuring"] | None
    odds: float | None
    """Likelihood ratio of a slow against a good build, given its measurements."""
    posterior_preview: PosteriorPreviewOut | None
    """Only of unfinished probes."""
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
    """All valid values: of builds probably good, of builds probably bad, and of the control."""

    good: list[float]
    bad: list[float]
    control: list[float]
    baseline_good: list[float]
    """Production baseline of the good boundary, if valid."""
    baseline_bad: list[float]
    unit: str
    label: str


class CredibleIntervalOut(BaseModel):
    """An expectation with its 80% credible interval."""

    mean: float
    low: float
    high: float


class BisectCost(BaseModel):
    """Deployments so far and expected."""

    deployments: int
    running: int
    builds: int
    rounds: int
    expected_probes: CredibleIntervalOut | None
    """Expected further deployments."""
    limit: int | None
    """Limit of deployments; null before there is a plan."""
    git_bisect_best_of_3_probes: int
    git_bisect_best_of_5_probes: int
    """Deployments git bisect would need with three or five measurements per build."""
    seconds: float
    seconds_per_deployment: float | None
    """Of the deployments that have ended, from the start to the last end; null before the first has ended."""


class BisectEventOut(BaseModel):
    """One event of a bisect."""

    id: UUID
    occurred_at: datetime
    kind: str
    actor: str | None
    sentence: str


class RestOfIncreaseOut(BaseModel):
    """The range in which something explains the rest of the increase, and its bisect if there is one."""

    good_sha: str
    """The culprit; of a dependency: the commit of the main repository that it was built with."""
    bad_sha: str
    bisect_id: UUID | None
    """The bisect that searches it, unless it was cancelled."""


class CulpritCompilationOut(BaseModel):
    """What the compiler decided differently in the culprit and the build before it."""

    state: Literal["waiting", "running", "done", "failed", "not-compiled"]
    """`not-compiled`: no runner compiles the builds, but they were compared."""
    reasons: list[CompilerReasonOut]
    problem: str
    """Why there is none: the end of the log."""
    comparison_id: UUID | None
    """The newest finished comparison of the two builds. It is made when the culprit is found, if probes recorded profiles."""
    missing: str
    """Why there is no comparison, or why it has no frames and stack sizes; "" otherwise."""


class BisectOut(BisectSummaryOut):
    """A bisect with all data of its page."""

    good: RangeBoundaryOut
    bad: RangeBoundaryOut
    repository_id: UUID | None
    comparison_id: UUID | None
    signature: SignatureOut
    settings: BisectSettingsIn
    pause_reason: str | None
    expires_at: datetime | None
    """When it is discarded unless it is continued: only of a bisect that has measured both boundaries and waits, or waited."""
    levels: list[LevelOut]
    probes: list[ProbeOut]
    evidence: MeasurementsBySideOut
    cost: BisectCost
    elsewhere: float
    """Posterior that the culprit is not in this range."""
    events: list[BisectEventOut]
    compiler: CulpritCompilationOut | None
    """Null without a culprit, a main package, or a runner that compiles."""
    problem: StoredProblem
    job: JobOut | None
    """The open job that finds candidates or expands a suspect."""
    rest: RestOfIncreaseOut | None
    """Null unless a commit after the culprit certainly explains a part of the increase."""
    needs_approval: bool
    """Whether a round waits for approval."""
    revision: int


class RunnerOut(BaseModel):
    """A runner of the team."""

    id: UUID
    name: str
    slots: int
    labels: dict[str, str]
    version: str
    host: str
    """Host name of its machine."""
    variants: list[VariantKind]
    """Kinds of variants of experiments that its configuration allows."""
    can_compile: bool
    """Whether it makes compile reports of culprits."""
    seen_at: datetime
    left_at: datetime | None
    """Time of its shutdown; the name is free since."""
    alive: bool
    running: int


class BisectFilesOut(BaseModel):
    """Artifacts uploaded by its probes; those in comparisons are counted separately and not deleted."""

    files: int
    size_bytes: int
    compared_artifacts: int
