"""Bisects, probes and runners on the wire."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from slowpath.bisects.rules.states import (
    MOST_SLOTS,
    MOST_WAIT_SECONDS,
    MOST_WINDOWS,
    BisectStateName,
    CallbackName,
    CommandName,
    EndingName,
    MoveName,
    PhaseName,
    ProbeStateName,
    PurposeName,
)

Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000, pattern=r"^[^\x00]*$")]
Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
SignatureSubject = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]
SignatureKind = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[a-z0-9._-]+$")]
RunnerName = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
LogTail = Annotated[str, StringConstraints(max_length=8192)]
CandidateId = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[^\x00]*$")]
Module = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=r"^[A-Za-z0-9._~/-]+$")]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_.]+$")]
Place = Annotated[str, StringConstraints(max_length=300, pattern=r"^[A-Za-z0-9._~/-]*$")]
At = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
DayName = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
VerdictName = Literal["slower", "not-slower"]
Finite = Annotated[float, Field(allow_inf_nan=False)]


def _known_zone(zone: str) -> str:
    if zone not in available_timezones():
        raise ValueError("no time zone of this name")
    return ZoneInfo(zone).key


Zone = Annotated[str, StringConstraints(min_length=1, max_length=60), AfterValidator(_known_zone)]


class BisectSaid(BaseModel):
    """What is sent: nothing that is not asked for."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class AllowedHours(BisectSaid):
    """When deploys may begin, by the clocks of a zone; `to` may lie behind midnight."""

    days: Annotated[list[DayName], Field(min_length=1, max_length=7)]
    start: Annotated[At, Field(alias="from")]
    end: Annotated[At, Field(alias="to")]
    zone: Zone = "UTC"


class GuardLimits(BisectSaid):
    """What of an environment stops the search: an error rate (of 1) or a p99 above this."""

    environment_id: UUID | None = None
    error_rate: Annotated[float, Field(gt=0, le=1)] | None = None
    p99_ns: Annotated[float, Field(gt=0, le=1e15)] | None = None


class BisectSettingsChange(BisectSaid):
    """What of the settings may be changed while the search goes on; what is left out stays."""

    belief: Annotated[float, Field(ge=0.5, le=0.999)] = 0.95
    slots: Annotated[int, Field(ge=1, le=MOST_SLOTS)] = 1
    max_deploys: Annotated[int, Field(ge=1, le=1000)] | None = None
    control: bool = False
    most_windows: Annotated[int, Field(ge=1, le=20)] = 4
    window_seconds: Annotated[float, Field(ge=0, le=86_400)] = 30.0
    warm_up_seconds: Annotated[float, Field(ge=0, le=86_400)] = 10.0
    deploy_seconds: Annotated[float, Field(ge=1, le=86_400)] = 1800.0
    lost_after_seconds: Annotated[float, Field(ge=5, le=86_400)] = 600.0
    approval: bool = False
    hours: AllowedHours | None = None
    guard: GuardLimits | None = None


class BisectSettingsIn(BisectSettingsChange):
    """How to search, how to measure, what is built. What is left out is as usual."""

    main_package: Place | None = None
    directory: Place = ""
    goos: Tag = "linux"
    goarch: Tag = "amd64"
    tags: Annotated[list[Tag], Field(max_length=50)] = []
    cgo: bool | None = None
    module_repositories: Annotated[dict[Module, UUID], Field(max_length=100)] = {}


class SignatureIn(BisectSaid):
    """What is measured of every build: one of those that are offered, or `custom`, which the runner's command measures."""

    kind: SignatureKind
    subject: SignatureSubject


class BisectIn(BisectSaid):
    """What to search. What is not given is taken from the offer for the regression or the comparison."""

    service_id: UUID | None = None
    regression_id: UUID | None = None
    comparison_id: UUID | None = None
    repository_id: UUID | None = None
    good_sha: Sha | None = None
    bad_sha: Sha | None = None
    signature: SignatureIn | None = None
    settings: BisectSettingsIn = BisectSettingsIn()


class BisectChange(BisectSaid):
    """What to change of a bisect."""

    settings: BisectSettingsChange


class BisectMoveIn(BisectSaid):
    """What a person wants of the search."""

    move: MoveName
    reason: Words = ""


class BisectMarkIn(BisectSaid):
    """What a person knows of a candidate without a deploy."""

    candidate: CandidateId
    verdict: Literal["slower", "not-slower", "unbuildable"]
    reason: Annotated[Words, Field(min_length=1)]


class RemeasureIn(BisectSaid):
    """A candidate to deploy once more; "good" is the good end."""

    candidate: CandidateId


class AnnulmentIn(BisectSaid):
    """A probe that is not to count: a bad node, an incident."""

    number: Annotated[int, Field(ge=1, le=1_000_000)]
    reason: Annotated[Words, Field(min_length=1)]


class ServiceNamed(BaseModel):
    """A service by id and name."""

    id: UUID
    name: str


class RegressionNamed(BaseModel):
    """A regression by id, number and title."""

    id: UUID
    number: int | None
    title: str


class CulpritOut(BaseModel):
    """The commit that was found, or is suspected most."""

    repository: str
    sha: str
    title: str


class EndOut(BaseModel):
    """An end of a range; what nobody knows of it is empty."""

    sha: str
    title: str
    at: datetime | None


class BisectHead(BaseModel):
    """What list and page show of a bisect."""

    id: UUID
    number: int
    title: str
    state: BisectStateName
    sentence: str
    service: ServiceNamed
    regression: RegressionNamed | None
    belief: float
    """In the most suspected candidate, 0 to 1."""
    deploys: int
    expected_deploys: float | None
    """How many it will probably be in all."""
    culprit: CulpritOut | None
    created_by: str | None
    created_at: datetime
    finished_at: datetime | None


class BisectRow(BisectHead):
    """A bisect as the list shows it; `levels` is how many there are."""

    levels: int


class SignatureOut(BaseModel):
    """What is measured of every build."""

    kind: str
    subject: str
    label: str
    unit: str
    larger_is_worse: bool


class BumpOut(BaseModel):
    """Which version change led to a level."""

    module: str
    before: str
    after: str


class PrunedOut(BaseModel):
    """Commits that can not be it, and why."""

    why: str
    commits: int


class CandidateOut(BaseModel):
    """A build that may be the first slow one."""

    id: str
    sha: str
    title: str
    members: int
    """Commits that build the same."""
    kind: str
    weight_share: float
    """Believed before the first deploy, 0 to 1 within the level."""
    belief: float
    """Of all candidates, 0 to 1. What was opened has the belief of all that was in it."""
    why: str
    verdict: Literal["slower", "not-slower", "cannot-tell", "unbuildable", "probing"] | None
    probe_number: int | None
    """The newest probe of it."""


class BarsOut(BaseModel):
    """All candidates of a level in order, for the chart: belief now and before, and where probes stand.

    `marks` are [place from 0 in the level (-1: its good end), probe's number].
    """

    belief: list[float]
    before: list[float]
    marks: list[tuple[int, int]]


class LevelOut(BaseModel):
    """One level of the search: a repository between two commits. `key` is "" for the first, else what was opened."""

    key: str
    repository: str
    module: str | None
    good: str
    bad: str
    commits: int
    classes: int
    pruned: list[PrunedOut]
    bump: BumpOut | None
    candidates: list[CandidateOut]
    """In the order of the line, the most believed of them where they are many."""
    bars: BarsOut
    culprit: CulpritOut | None


class ProbeWindowOut(BaseModel):
    """One measurement. With neither value nor problem it is still being read, or was a verdict."""

    index: int
    round: int
    value: float | None
    verdict: VerdictName | None
    annulled: bool
    problem: str | None
    artifact_ids: list[UUID]
    started_at: datetime
    ended_at: datetime


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
    verdict: Literal["slower", "not-slower", "cannot-tell", "unbuildable", "probing"] | None
    odds: float | None
    """How much likelier what it gave is of a slow build than of a good one."""
    reason: str | None
    asked_at: datetime
    leased_at: datetime | None
    deployed_at: datetime | None
    ready_at: datetime | None
    ended_at: datetime | None
    windows_wanted: int
    windows: list[ProbeWindowOut]
    log_tail: str


class EvidenceStrip(BaseModel):
    """All numbers that count: of builds on the good side, on the bad side of what is believed, and of the control."""

    good: list[float]
    bad: list[float]
    control: list[float]
    unit: str
    label: str


class SpreadOut(BaseModel):
    """An expectation with its 80 % interval."""

    mean: float
    low: float
    high: float


class BisectCost(BaseModel):
    """What it has cost, and what it will."""

    deploys: int
    running: int
    builds: int
    rounds: int
    expected: SpreadOut | None
    """Deploys still to come."""
    git_bisect_best_of_3: int
    git_bisect_best_of_5: int
    """Deploys that git bisect would need, each build measured three or five times."""
    seconds: float


class BisectEventOut(BaseModel):
    """One line of the history."""

    id: UUID
    at: datetime
    kind: str
    who: str | None
    sentence: str
    facts: dict[str, Any]


class BisectOut(BisectHead):
    """A bisect with all its page shows."""

    good: EndOut
    bad: EndOut
    repository_id: UUID | None
    comparison_id: UUID | None
    signature: SignatureOut
    settings: BisectSettingsIn
    pause_reason: str | None
    levels: list[LevelOut]
    probes: list[ProbeOut]
    evidence: EvidenceStrip
    cost: BisectCost
    elsewhere: float
    """How much it is believed that it is not in this range."""
    events: list[BisectEventOut]
    problem: dict[str, Any] | None
    approval_wanted: bool
    """Whether a round waits for a person to approve it."""
    revision: int


class OfferedSignature(BaseModel):
    """A measure that may tell good from bad."""

    kind: str
    subject: str
    label: str
    unit: str
    before: float | None
    after: float | None
    separates: bool
    """Whether it told the two apart already."""
    why: str


class RunnerOut(BaseModel):
    """A runner of the team."""

    id: UUID
    name: str
    slots: int
    labels: dict[str, str]
    version: str
    seen_at: datetime
    alive: bool
    running: int


class OfferedRepository(BaseModel):
    """The repository a service is built from."""

    id: UUID
    label: str
    url: str | None


class BisectOffer(BaseModel):
    """What the dialog shows before a bisect is started."""

    service: ServiceNamed | None
    repository: OfferedRepository | None
    good: EndOut | None
    bad: EndOut | None
    signatures: list[OfferedSignature]
    """The best first."""
    runners: list[RunnerOut]
    missing: list[str]
    """What is still needed, in sentences."""


class RunnerIn(BisectSaid):
    """What a runner tells of itself."""

    slots: Annotated[int, Field(ge=1, le=MOST_SLOTS)] = 1
    labels: Annotated[
        dict[
            Annotated[str, StringConstraints(max_length=60, pattern=r"^[^\x00]*$")],
            Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")],
        ],
        Field(max_length=20),
    ] = {}
    version: Annotated[str, StringConstraints(max_length=60, pattern=r"^[^\x00]*$")] = ""


class LeasesIn(BisectSaid):
    """Which slots of a runner are free, and how long it waits for something to do."""

    runner: RunnerName
    free_slots: Annotated[list[Annotated[int, Field(ge=0, lt=MOST_SLOTS)]], Field(min_length=1, max_length=MOST_SLOTS)]
    wait_seconds: Annotated[float, Field(ge=0, le=MOST_WAIT_SECONDS)] = 0.0

    @model_validator(mode="after")
    def _each_once(self) -> "LeasesIn":
        if len(set(self.free_slots)) != len(self.free_slots):
            raise ValueError("a slot is named twice")
        return self


class BuildTarget(BaseModel):
    """What to build: a commit, with modules replaced by commits of theirs or by versions."""

    commit: str
    modules: dict[str, str]
    versions: dict[str, str]


class LeaseRepository(BaseModel):
    """Where a repository lies, as the team told it."""

    url: str | None
    name: str


class CallbackTarget(BaseModel):
    """Where the deploy itself may tell how it fares. The address holds the secret; `token` is that secret alone."""

    url: str
    token: str


class LeaseOut(BaseModel):
    """A deploy that is this runner's now."""

    run_id: UUID
    bisect_id: UUID
    bisect_number: int
    number: int
    purpose: PurposeName
    slot: int
    service: ServiceNamed
    build: BuildTarget
    repositories: dict[str, LeaseRepository]
    """By module; "" is the main one."""
    signature: SignatureOut
    windows_wanted: int
    windows_taken: int
    window_seconds: float
    warm_up_seconds: float
    deploy_seconds: float
    lease_seconds: float
    callback: CallbackTarget


class LeasesOut(BaseModel):
    """What to deploy; nothing after the wait."""

    leases: list[LeaseOut]


class RunningProbe(LeaseOut):
    """What the server believes a runner runs, and what is to become of it."""

    state: ProbeStateName
    command: CommandName


class BeatIn(BisectSaid):
    """That a deploy is still looked after."""

    runner: RunnerName
    phase: PhaseName
    log_tail: LogTail = ""


class ProbeCallbackOut(BaseModel):
    """What the deploy itself said last."""

    state: CallbackName
    detail: str
    at: datetime


class BeatOut(BaseModel):
    """What is to be done: measure while windows are wanted, wait for others, or tear down."""

    command: CommandName
    windows_wanted: int
    windows_taken: int
    lease_seconds: float
    callback: ProbeCallbackOut | None


class ProbeWindowIn(BisectSaid):
    """One measurement: a number, a verdict, or artifacts that hold the signature. Told again, the first stays."""

    index: Annotated[int, Field(ge=0, lt=MOST_WINDOWS)]
    value: Finite | None = None
    verdict: VerdictName | None = None
    problem: Words | None = None
    """Why there is no number."""
    artifact_ids: Annotated[list[UUID], Field(max_length=40)] = []
    started_at: AwareDatetime
    ended_at: AwareDatetime

    @model_validator(mode="after")
    def _tells_something(self) -> "ProbeWindowIn":
        if self.value is None and self.verdict is None and not self.problem and not self.artifact_ids:
            raise ValueError("give a value, a verdict, artifact_ids, or the problem why there is none")
        return self


class ProbeEndIn(BisectSaid):
    """How a deploy ended; from then on nothing of it runs any more."""

    how: EndingName
    log_tail: LogTail = ""


class ProbeCallbackIn(BisectSaid):
    """How a deploy fares, told by the deploy itself."""

    state: CallbackName
    detail: Annotated[str, StringConstraints(max_length=1024)] = ""
