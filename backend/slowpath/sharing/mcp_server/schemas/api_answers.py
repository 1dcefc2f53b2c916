"""What tools read from responses of the API: the members that answers contain; all others are ignored."""

from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel

Item = TypeVar("Item")


class ListPageRead(BaseModel, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None


class ProblemRead(BaseModel):
    """A stored problem."""

    title: str
    detail: str


class ServiceRead(BaseModel):
    """A service."""

    id: UUID
    slug: str
    name: str
    description: str


class CommitOfBuild(BaseModel):
    """A build by its commit."""

    build_id: UUID | None
    commit: str


class CommitRangeRead(BaseModel):
    """First and last commit of a range."""

    first_commit: str
    last_commit: str


class PersonRead(BaseModel):
    """A person."""

    name: str | None


class RelatedSeries(BaseModel):
    """A series that changed with a regression."""

    name: str
    ratio: float | None
    is_cost_shift: bool


class EvidenceNeeded(BaseModel):
    """Evidence still required."""

    builds: int | None
    profiles: int | None


class RegressionRead(BaseModel):
    """A regression."""

    id: UUID
    number: int | None
    service_id: UUID
    branch: str
    state: str
    is_confirmed: bool
    title: str
    sentence: str
    kind: str
    subject: str
    unit: str
    direction: str
    before: float | None
    after: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    first_bad_build: CommitOfBuild | None
    good: CommitOfBuild | None
    range: CommitRangeRead | None
    fixed_by: CommitOfBuild | None
    assignee: PersonRead | None
    related_series: list[RelatedSeries]
    comparison_id: UUID | None
    required_evidence: EvidenceNeeded | None
    created_at: datetime
    closed_at: datetime | None


class NamedService(BaseModel):
    """A service by its slug."""

    slug: str


class NamedEnvironment(BaseModel):
    """An environment by its name."""

    name: str


class RatioRead(BaseModel):
    """A ratio with its interval."""

    ratio: float
    low: float | None
    high: float | None


class ClosedRead(BaseModel):
    """How an item was closed."""

    at: datetime
    reason: str
    sentence: str


class InboxItemRead(BaseModel):
    """An item of the inbox."""

    kind: str
    id: UUID
    number: int | None
    severity: str
    added_seconds_per_second: float | None
    title: str
    detail: str
    service: NamedService | None
    environment: NamedEnvironment | None
    since_at: datetime | None
    since_commit: str | None
    change: RatioRead | None
    state: str
    assignee: PersonRead | None
    closed: ClosedRead | None


class InboxRead(BaseModel):
    """A page of the inbox."""

    items: list[InboxItemRead]
    headline: str
    next_cursor: str | None


class ProofRead(BaseModel):
    """A proof that an event happened or ended."""

    sentence: str
    state: str


class EventSignalRead(BaseModel):
    """A changed signal of an event."""

    role: str
    sentence: str


class EventSuspectRead(BaseModel):
    """A suspect commit of an event."""

    sha: str
    title: str
    author: str | None
    suspicion: float
    reasons: list[str]


class EventFindingRead(BaseModel):
    """A finding of the comparison of before and after."""

    sentence: str
    direction: str
    is_significant: bool


class EventComparisonRead(BaseModel):
    """The comparison of before and after an event."""

    id: UUID
    state: str
    verdict: str | None
    headline: str | None
    findings: list[EventFindingRead]


class HistoryEntryRead(BaseModel):
    """An entry of the history of an event."""

    at: datetime
    sentence: str


class ProductionEventRead(BaseModel):
    """A production event with its evidence."""

    item: InboxItemRead
    sentence: str
    proof: list[ProofRead]
    signals: list[EventSignalRead]
    comparison: EventComparisonRead | None
    suspects: list[EventSuspectRead]
    requests_affected: float | None
    history: list[HistoryEntryRead]


class SearchMatchRead(BaseModel):
    """An object that was found."""

    id: UUID
    title: str
    subtitle: str
    path: str


class SearchGroupRead(BaseModel):
    """The matches of one type."""

    type: str
    items: list[SearchMatchRead]


class SearchRead(BaseModel):
    """What a search found."""

    groups: list[SearchGroupRead]


class KindCount(BaseModel):
    """Number of artifacts of a kind."""

    kind: str
    count: int


class KindAnswer(BaseModel):
    """The verdict on one kind of artifact."""

    kind: str
    verdict: str
    is_announced: bool


class BuildComparison(BaseModel):
    """The comparison of a build with an earlier one."""

    state: str
    direction: str | None
    base: CommitOfBuild | None
    comparison_id: UUID | None
    profiles_needed: int | None


class BuildVerdictRead(BaseModel):
    """The verdict on a build."""

    state: str
    sentence: str
    required_evidence: EvidenceNeeded | None
    regression_ids: list[UUID]
    kinds: list[KindAnswer]
    comparison: BuildComparison | None


class PullRequest(BaseModel):
    """A pull request."""

    number: int
    url: str | None


class BuildRead(BaseModel):
    """A build."""

    id: UUID
    service_id: UUID
    commit: str
    branch: str | None
    display_name: str | None
    title: str | None
    author: str | None
    go_version: str
    goos: str
    goarch: str
    pull_request: PullRequest | None
    committed_at: datetime | None
    created_at: datetime


class ListedBuild(BuildRead):
    """A build as listed."""

    evidence: list[KindCount]
    waiting_artifacts: int
    verdict: BuildVerdictRead | None


class ArtifactRead(BaseModel):
    """An artifact."""

    id: UUID
    name: str
    kind: str | None
    state: str


class Effect(BaseModel):
    """An effect with its interval."""

    ratio: float | None
    difference: float
    ci_low: float
    ci_high: float
    ci_of: str


class AttributedCaller(BaseModel):
    """A function that a cost is attributed to."""

    function: str
    difference: float


class Contribution(BaseModel):
    """A part of a finding."""

    subject: str
    share: float


class Finding(BaseModel):
    """One reported change."""

    kind: str
    profile_kind: str
    subject: str
    direction: str
    base: float
    candidate: float
    unit: str
    change: Effect
    normalization: str
    q_value: float | None
    attributed_callers: list[AttributedCaller]
    contributions: list[Contribution]
    is_significant: bool
    mechanism: str
    advice: str
    sentence: str


class Caveat(BaseModel):
    """Why a result may mislead."""

    id: str
    sentence: str


class CostShift(BaseModel):
    """A cost that changed its function."""

    sentence: str


class Headline(BaseModel):
    """The verdict as a sentence."""

    sentence: str
    conditions: list[str]
    minimum_detectable_effect: str | None


class ComparisonResult(BaseModel):
    """The result of a comparison."""

    verdict: str
    headline: Headline
    findings: list[Finding]
    cost_shifts: list[CostShift]
    caveats: list[Caveat]


class SideRead(BaseModel):
    """A side of a comparison."""

    label: str
    artifacts: int
    build_id: UUID | None
    left_out: str | None


class ViewRead(BaseModel):
    """A view of a comparison or of a profile set."""

    id: UUID
    kind: str
    sample_type: str
    granularity: str
    state: str
    nodes: int | None


class ComparisonRead(BaseModel):
    """A comparison."""

    id: UUID
    name: str
    state: str
    verdict: str | None
    base: SideRead
    candidate: SideRead
    problem: ProblemRead | None
    result: ComparisonResult | None
    views: list[ViewRead]


class SourceLine(BaseModel):
    """A line of a function with its cost."""

    number: int
    text: str
    self_value: float
    total_value: float
    is_changed: bool


class FunctionSource(BaseModel):
    """The source of a function on one side."""

    commit: str | None
    path: str | None
    url: str | None
    lines: list[SourceLine]
    reason: str | None


class FunctionSources(BaseModel):
    """The source of a function on both sides."""

    base: FunctionSource
    candidate: FunctionSource
    comparison_url: str | None


class ProfileSetRead(BaseModel):
    """Profiles opened together."""

    id: UUID
    state: str
    problem: ProblemRead | None
    kinds: list["ProfileSetKind"]
    views: list["ProfileViewRead"]


class ProfileSetKind(BaseModel):
    """A kind of a set."""

    kind: str
    default_sample_type: str
    artifacts: int


class LabelRead(BaseModel):
    """A label matcher of a view."""

    key: str


class ProfileViewRead(ViewRead):
    """A view of a set."""

    labels: list[LabelRead]


class CategoryRead(BaseModel):
    """A runtime category with its share."""

    category: str
    share: float


class ProfileViewSummary(BaseModel):
    """Where the cost of a view is."""

    headline: str
    categories: list[CategoryRead]
    caveats: list[Caveat]


class Occupant(BaseModel):
    """What ran on the Ps while a goroutine waited."""

    kind: str
    group: str | None
    ns: int


class LongestWait(BaseModel):
    """One of the longest waits."""

    index: int
    goroutine: int
    start_ns: int
    duration_ns: int
    queue_ahead: int
    overtakes: int
    waker: str | None
    verdict: str
    occupancy: list[Occupant]
    block_stack: list[str]
    waker_stack: list[str]
    waiter: str


class TraceRead(BaseModel):
    """An execution trace."""

    worst: list[LongestWait]


class RepositoryRead(BaseModel):
    """A repository."""

    id: UUID
    name: str


class ChangedFile(BaseModel):
    """A file that a commit changes."""

    path: str


class SuspicionReason(BaseModel):
    """A reason for or against a commit."""

    sentence: str


class Suspicion(BaseModel):
    """The suspicion of a commit."""

    probability: float
    changes_binary: bool | None
    reasons: list[SuspicionReason]


class SuspectCommit(BaseModel):
    """A commit with its suspicion."""

    sha: str
    author_name: str
    committed_at: datetime | None
    title: str
    files: list[ChangedFile] | None
    files_total: int | None
    url: str | None
    suspicion: Suspicion


class CommitRange(BaseModel):
    """The commits in a range."""

    repository: RepositoryRead
    good: str
    bad: str
    total: int
    complete: bool
    commits: list[SuspectCommit]


class ComparedCommits(BaseModel):
    """The commits of a comparison."""

    service_id: UUID | None
    base: str | None
    candidate: str | None


class Hunk(BaseModel):
    """Changed lines of a file."""

    old_start: int
    new_start: int
    heading: str
    lines: list[str]


class FileDiff(BaseModel):
    """Changes of a file."""

    old_path: str | None
    new_path: str | None
    binary: bool
    left_out: int
    hunks: list[Hunk]


class CommitDiff(BaseModel):
    """Changes of a commit."""

    state: str
    problem: ProblemRead | None
    is_truncated: bool
    files: list[FileDiff]


class CommitPeople(BaseModel):
    """Author, reviewers and owners of a commit."""

    title: str
    url: str | None
    author: PersonRead
    reviewers: list[PersonRead]
    owners: list[str] | None
    pull_request: PullRequest | None


class Culprit(BaseModel):
    """The culprit or top suspect."""

    repository: str
    sha: str
    title: str


class BisectEvent(BaseModel):
    """An event of a bisect."""

    occurred_at: datetime
    sentence: str


class Candidate(BaseModel):
    """A candidate of a bisect."""

    sha: str
    title: str
    posterior: float
    verdict: str | None


class BisectLevel(BaseModel):
    """A level of a bisect."""

    repository: str
    commits: int
    candidate_count: int
    candidates: list[Candidate]


class BisectRead(BaseModel):
    """A bisect."""

    id: UUID
    number: int
    title: str
    state: str
    sentence: str
    posterior: float
    deployments: int
    expected_deployments: float | None
    culprit: Culprit | None
    finished_at: datetime | None
    levels: list[BisectLevel]
    events: list[BisectEvent]
    problem: ProblemRead | None
    needs_approval: bool
    revision: int


class BisectProposal(BaseModel):
    """Inputs that a bisect still requires."""

    missing_inputs: list[str]
