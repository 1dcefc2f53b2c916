"""Decisions on which changes are one production event. Pure.

A change point opens an event, which is announced when it is confirmed: the samples that arrived after its detection, which
the detection did not use, are still nearer to the level after than to the level before. The detection chose the most
conspicuous of many places and windows, so its own samples overstate a chance deviation; later ones do not. It costs one
cell of time. A deployment that is called slower without a change point is listed, and announced only to channels that choose
such verdicts: of unchanged builds, 3.5 to 4% are called slower (bench `deploys`). So are changes of load and of gauges: they
harm users only if latency changes too, which opens an event that they are part of. The bench `inbox` measures these rules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from slowpath.analysis.kinds.metrics.changes.latency_change_points import SignalKind, kind_of

TOGETHER: Final = timedelta(minutes=2)
"""Change points are one incident if the intervals of their times are at most this far apart."""
ROLLOUT: Final = timedelta(minutes=10)
"""A rolling deployment shows in a service's total only minutes later."""
EVALUATED_FOR: Final = timedelta(minutes=60)
"""A deployment is evaluated for this long: a change point in this time belongs to it."""
REOPEN_WITHIN: Final = timedelta(hours=24)
"""A new occurrence within this time reopens the event; later, it is another event."""
KIND_ORDER: Final[Mapping[SignalKind, int]] = {"latency": 0, "load": 1, "gauge": 2}
"""What represents an event of several kinds, the first before the others."""


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
