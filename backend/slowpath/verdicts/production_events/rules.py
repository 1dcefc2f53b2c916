"""Decisions on production events: grouping, severity, confirmation and proof. Pure.

A change point opens an event, which is announced when it is confirmed: the samples that arrived after its detection, which
the detection did not use, are still nearer to the level after than to the level before. The detection chose the most
conspicuous of many places and windows, so its own samples overstate a chance deviation; later ones do not. It costs one
cell of time. A deployment that is called slower without a change point is listed, and announced only to channels that choose
such verdicts: of unchanged builds, 3.5 to 4% are called slower (bench `deploys`). So are changes of load and of gauges: they
harm users only if latency changes too, which opens an event that they are part of. The bench `inbox` measures these rules.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID

from slowpath.analysis.kinds.metrics.latency_change_points import SignalKind, kind_of
from slowpath.analysis.kinds.metrics.level_measurement import LevelMeasurement
from slowpath.verdicts.budgets.rules import BudgetState

StateName = Literal["new", "investigating", "acknowledged", "closed", "not-a-regression", "ignored", "withdrawn"]
SeverityName = Literal["high", "medium", "low"]
ClosedReasonName = Literal["recovered", "rolled-back", "fixed", "budget-removed", "settled", "joined"]
EventKindName = Literal["latency", "slow-deployment", "load", "gauge"]
ProofState = Literal["holds", "fails", "unknown"]
HistoryKind = Literal[
    "opened", "joined", "returned", "budget", "state", "assignee", "due", "fix", "comparison", "closed", "reopened"
]


class ProductionEventState(StrEnum):
    """States of a production event. The first three are open."""

    NEW = "new"
    INVESTIGATING = "investigating"
    ACKNOWLEDGED = "acknowledged"
    CLOSED = "closed"
    """Closed by the proof that it is over."""
    NOT_A_REGRESSION = "not-a-regression"
    IGNORED = "ignored"
    WITHDRAWN = "withdrawn"


class EventKind(StrEnum):
    """What a production event is about. `slow-deployment`: of a verdict that no change point confirms."""

    LATENCY = "latency"
    SLOW_DEPLOYMENT = "slow-deployment"
    LOAD = "load"
    GAUGE = "gauge"


OPEN: Final = (ProductionEventState.NEW, ProductionEventState.INVESTIGATING, ProductionEventState.ACKNOWLEDGED)
SETTABLE: Final = frozenset({*OPEN, ProductionEventState.NOT_A_REGRESSION, ProductionEventState.IGNORED})
"""States that a user can set: only a proof closes an event."""

TOGETHER: Final = timedelta(minutes=2)
"""Change points are one incident if the intervals of their times are at most this far apart."""
ROLLOUT: Final = timedelta(minutes=10)
"""A rolling deployment shows in a service's total only minutes later."""
EVALUATED_FOR: Final = timedelta(minutes=60)
"""A deployment is evaluated for this long: a change point in this time belongs to it."""
CONFIRM_WITHIN: Final = timedelta(minutes=15)
"""An event that is not confirmed in this time is withdrawn."""
REOPEN_WITHIN: Final = timedelta(hours=24)
"""A new occurrence within this time reopens the event; later, it is another event."""
SETTLED_AFTER: Final = timedelta(hours=24)
"""A load that lasted for this long is the new level of the service."""
CHECK_EVERY: Final = timedelta(minutes=5)
"""How often an open event is checked for recovery."""
ANNOUNCE_WITHIN: Final = timedelta(hours=1)
"""An older change, such as one of imported history, is listed but not announced."""
OPEN_WITHIN: Final = timedelta(hours=24)
"""Older changes are history, and open no event."""
COMPARE_WITHIN: Final = timedelta(hours=24)
"""How long after its start an event gets a comparison as soon as both sides have evidence."""
RECENT: Final = timedelta(minutes=15)
"""The time that is compared with the level before, to prove recovery."""
BEFORE: Final = timedelta(minutes=60)
LEAST_LOAD_SHARE: Final = 0.5
"""At less than this share of the former load, low latency proves nothing."""
MOST_CHECKED: Final = 20
"""Events that one job checks: those that waited longest."""
MOST_OPENED: Final = 50
"""Events that one job opens. More at once would be one incident that the grouping missed."""
MOST_TITLE: Final = 200

KIND_ORDER: Final[Mapping[SignalKind, int]] = {"latency": 0, "load": 1, "gauge": 2}
"""What represents an event of several kinds, the first before the others."""
HIGH_COST: Final = 1.0
MEDIUM_COST: Final = 0.1
"""Seconds of latency added per second: by Little's law, how many more requests are in progress at any time."""
HIGH_RATIO: Final = 2.0
MEDIUM_RATIO: Final = 1.3
"""Without a known load, the severity follows from the certain ratio (lower bound); with one, it is at least medium from here."""
TAIL_SHARE: Final = {"p50": 0.5, "p90": 0.1, "p99": 0.01, "mean": 1.0}
"""At least this share of the requests takes longer by the difference of a quantile."""


@dataclass(frozen=True)
class ObservedChange:
    """A change of a service: of latency or a gauge for the worse, of load, or a deployment that is called slower."""

    id: UUID | None
    """Of the change point; None for the verdict on a deployment alone."""
    service_id: UUID
    signal: str
    started_at: datetime
    earliest_at: datetime
    latest_at: datetime
    detected_at: datetime
    before: float
    after: float
    ratio: float
    ratio_low: float
    ratio_high: float
    deployment_id: UUID | None = None
    follows_service_id: UUID | None = None
    gauge: str = ""
    opens_event: bool = True
    """False if load alone explains a change of latency or of a gauge, or a gauge fell: it only joins an event."""

    @property
    def kind(self) -> SignalKind:
        """Return what changed."""
        return kind_of(self.signal)

    @property
    def certain_factor(self) -> float:
        """Return the factor by which it certainly changed, up or down."""
        return max(self.ratio_low, 1 / self.ratio_high)


@dataclass(frozen=True)
class KnownEvent:
    """An event that a change may belong to."""

    id: UUID
    service_id: UUID
    deployment_id: UUID | None
    earliest_at: datetime
    latest_at: datetime
    detected_at: datetime
    is_open: bool
    closed_at: datetime | None
    signal: str = "p99"
    gauge: str = ""
    ratio: float = 2.0

    @property
    def kind(self) -> SignalKind:
        """Return what changed."""
        return kind_of(self.signal)


@dataclass(frozen=True)
class NewGroup:
    """Changes with one cause that belong to no known event: the first is of the culprit."""

    culprit: ObservedChange
    members: tuple[ObservedChange, ...]


@dataclass(frozen=True)
class Grouping:
    """New events, changes of known events, and changes that belong to no event (the cause of what they follow is load)."""

    new: tuple[NewGroup, ...]
    joined: tuple[tuple[UUID, ObservedChange], ...]


def group_changes(changes: Sequence[ObservedChange], known: Sequence[KnownEvent]) -> Grouping:
    """Group changes by their cause: several signals of a service, what follows it, and its deployment are one event.

    A follower belongs to the event of the service that it follows; without one, that service did not change by
    a cause of its own, and there is no event. Load and gauges belong to the event of the latency that changed with them.
    """
    joined: list[tuple[UUID, ObservedChange]] = []
    groups: list[list[ObservedChange]] = []
    own = [each for each in changes if each.follows_service_id is None]
    for each in sorted(own, key=lambda one: (not one.opens_event, KIND_ORDER[one.kind], one.started_at)):
        event = next((one for one in known if belongs_to(each, one)), None)
        group = next((one for one in groups if _is_same_incident(each, one[0])), None)
        if event is not None:
            joined.append((event.id, each))
        elif group is not None:
            group.append(each)
        elif each.opens_event:
            groups.append([each])
    waiting = sorted((each for each in changes if each.follows_service_id is not None), key=lambda one: one.started_at)
    moved = True
    while waiting and moved:  # a chain of callers is followed from its end
        moved = False
        for each in list(waiting):
            event_id = _event_of_leader(each, known, joined)
            group = next((one for one in groups if any(_leads(member, each) for member in one)), None)
            if event_id is not None:
                joined.append((event_id, each))
            elif group is not None:
                group.append(each)
            else:
                continue
            waiting.remove(each)
            moved = True
    return Grouping(tuple(NewGroup(_culprit(one), tuple(one)) for one in groups), tuple(joined))


def belongs_to(change: ObservedChange, event: KnownEvent) -> bool:
    """Return whether a change of a service is one of an event of the same service."""
    if change.service_id != event.service_id:
        return False
    if change.kind != "latency":
        return _is_near(change, event) or _is_same_level(change, event)
    if event.kind != "latency":  # latency with a cause of its own opens an event, which this one becomes part of
        return not change.opens_event and _is_near(change, event)
    if change.deployment_id is not None and change.deployment_id == event.deployment_id:
        return True
    if change.deployment_id is not None and event.deployment_id is not None:
        return False
    verdict = change.id is None and timedelta(0) <= event.earliest_at - change.started_at + ROLLOUT <= EVALUATED_FOR
    again = event.closed_at is not None and event.closed_at <= change.detected_at <= event.closed_at + REOPEN_WITHIN
    return _is_near(change, event) or verdict or again


def _is_near(change: ObservedChange, event: KnownEvent) -> bool:
    return change.earliest_at - TOGETHER <= event.latest_at and event.earliest_at - TOGETHER <= change.latest_at


def _is_same_level(change: ObservedChange, event: KnownEvent) -> bool:
    """Return whether a change of load or a gauge is of an event of the same, which is open or was closed within a day."""
    if (change.signal, change.gauge) != (event.signal, event.gauge):
        return False
    return event.is_open or (event.closed_at is not None and change.started_at <= event.closed_at + REOPEN_WITHIN)


def is_way_back(change: ObservedChange, signal: str, gauge: str, ratio: float) -> bool:
    """Return whether a change of load or a gauge is in the opposite direction of its event: no new occurrence."""
    is_same = change.kind != "latency" and (change.signal, change.gauge) == (signal, gauge)
    return is_same and (change.ratio > 1) != (ratio > 1)


def _is_same_incident(one: ObservedChange, other: ObservedChange) -> bool:
    if one.service_id != other.service_id:
        return False
    if one.kind != "latency" or other.kind != "latency":
        return _are_near(one, other)
    if one.deployment_id is not None and other.deployment_id is not None:
        return one.deployment_id == other.deployment_id
    return _are_near(one, other)


def _are_near(one: ObservedChange, other: ObservedChange) -> bool:
    return one.earliest_at - TOGETHER <= other.latest_at and other.earliest_at - TOGETHER <= one.latest_at


def _leads(leader: ObservedChange, follower: ObservedChange) -> bool:
    return leader.service_id == follower.follows_service_id and _are_near(leader, follower)


def _event_of_leader(
    change: ObservedChange, known: Sequence[KnownEvent], joined: Sequence[tuple[UUID, ObservedChange]]
) -> UUID | None:
    for event in known:
        if event.is_open and event.service_id == change.follows_service_id and _is_near(change, event):
            return event.id
    return next((event_id for event_id, leader in joined if _leads(leader, change)), None)


def _culprit(group: Sequence[ObservedChange]) -> ObservedChange:
    """Return the change that represents a group: latency first, a change point before a verdict, the most certain first."""

    def rank(one: ObservedChange) -> tuple[int, bool, bool, float]:
        return -KIND_ORDER[one.kind], one.id is not None, one.deployment_id is not None, one.certain_factor

    return max((each for each in group if each.follows_service_id is None and each.opens_event), key=rank)


@dataclass(frozen=True)
class ProofItem:
    """One condition of the end of an event, as a sentence."""

    id: str
    sentence: str
    state: ProofState


@dataclass(frozen=True)
class LaterDeployment:
    """A deployment of the service after the event began."""

    id: UUID
    commit: str
    label: str | None
    started_at: datetime
    build_id: UUID | None

    @property
    def name(self) -> str:
        """Return the first seven characters of its commit, or its label."""
        return self.commit[:7] or self.label or "without a commit"


PROOF_OF_BUDGET: Final[Mapping[BudgetState, ProofState]] = {
    BudgetState.WITHIN: "holds",
    BudgetState.EXCEEDED: "fails",
    BudgetState.INCONCLUSIVE: "unknown",
}


@dataclass(frozen=True)
class EventBudget:
    """A budget of the service during an event, by its newest evaluation. `increase`: what a budget per release allows."""

    sentence: str
    state: BudgetState
    increase: float | None

    @property
    def proof(self) -> ProofState:
        """Return whether the budget proves that the event is over."""
        return PROOF_OF_BUDGET[self.state]


@dataclass(frozen=True)
class StatedFix:
    """What a user named as the fix."""

    commit: str | None = None
    build_id: UUID | None = None
    deployment_id: UUID | None = None

    def is_deployed_by(self, deployment: LaterDeployment) -> bool:
        """Return whether a deployment contains exactly this fix: the same deployment, build or commit."""
        if self.deployment_id is not None:
            return deployment.id == self.deployment_id
        if self.build_id is not None:
            return deployment.build_id == self.build_id
        return bool(self.commit) and deployment.commit.startswith(str(self.commit))


@dataclass(frozen=True)
class EndDecision:
    """Whether an event is over, and what proves it."""

    reason: ClosedReasonName | None
    sentence: str
    proof: tuple[ProofItem, ...]


def is_recovered(level: LevelMeasurement, floor: float) -> bool | None:
    """Return whether latency is certainly less than `floor` times the level before, at a comparable load."""
    if level.recent_ratio_high is None or level.load_share is None or level.load_share < LEAST_LOAD_SHARE:
        return None
    return level.recent_ratio_high < floor


def is_back(level: LevelMeasurement, ratio: float) -> bool | None:
    """Return whether load or a gauge, changed by `ratio`, is certainly nearer to its level before; None: not known.

    A load has no level to which it returns exactly: it is compared with the geometric middle of both levels.
    """
    if level.recent_ratio_high is None or level.recent_ratio_low is None:
        return None
    middle = math.sqrt(ratio)
    return level.recent_ratio_high < middle if ratio > 1 else level.recent_ratio_low > middle


def find_rollback(former_commit: str | None, later: Sequence[LaterDeployment]) -> LaterDeployment | None:
    """Return the newest deployment after the event if it runs the commit from before the event."""
    newest = max(later, key=lambda one: one.started_at, default=None)
    return newest if newest is not None and former_commit and newest.commit == former_commit else None


def find_fix(fix: StatedFix | None, later: Sequence[LaterDeployment]) -> LaterDeployment | None:
    """Return the newest deployment that contains the fix that a user stated."""
    found = [each for each in later if fix is not None and fix.is_deployed_by(each)]
    return max(found, key=lambda one: one.started_at, default=None)


def decide_severity(added_seconds_per_second: float | None, ratio_low: float) -> SeverityName:
    """Return the severity by the latency added per second, or by the certain ratio if the load is unknown.

    A certain ratio of 1.3 is at least medium: users of a small service wait, too.
    """
    if added_seconds_per_second is None:
        return "high" if ratio_low >= HIGH_RATIO else "medium" if ratio_low >= MEDIUM_RATIO else "low"
    if added_seconds_per_second >= HIGH_COST:
        return "high"
    return "medium" if added_seconds_per_second >= MEDIUM_COST or ratio_low >= MEDIUM_RATIO else "low"


def decide_level_severity(certain_factor: float) -> SeverityName:
    """Return the severity of a change of load or of a gauge: never high, because the latency of users did not change."""
    return "medium" if certain_factor >= HIGH_RATIO else "low"


def estimate_added_latency(
    signal: str, before: float, after: float, requests_per_second: float | None, added_mean_seconds: float | None
) -> float | None:
    """Return the seconds of latency added per second; None if the load is unknown.

    Without a known mean, at least the share of requests beyond the quantile takes longer by its difference.
    """
    if requests_per_second is None:
        return None
    added = added_mean_seconds if added_mean_seconds is not None else (after - before) * TAIL_SHARE[signal]
    return max(requests_per_second * added, 0.0)


@dataclass(frozen=True)
class TriageUpdate:
    """Changes by a user; a name in `fields` is changed even if its value is None."""

    fields: frozenset[str]
    state: ProductionEventState | None = None
    assignee_id: UUID | None = None
    due_on: date | None = None
    fix: StatedFix | None = None
