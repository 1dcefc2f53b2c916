"""Rules of the inbox: kinds, views, snooze, order. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID

from slowpath.core.ids import UserId

KindName = Literal["production-event", "regression", "bisect", "channel", "metric-source"]
GroupName = Literal["production", "regressions", "bisects-and-sources"]
ViewName = Literal["needs-action", "mine", "production", "regressions", "snoozed", "closed"]
SeverityName = Literal["high", "medium", "low"]
SnoozeRuleName = Literal["time", "next-deployment", "next-occurrence"]
ActionName = Literal[
    "assign", "set-state", "set-due", "snooze", "unsnooze", "mute", "unmute", "merge", "unmerge", "fixed-by"
]
StateName = Literal[
    "new", "investigating", "acknowledged", "closed", "fixed", "improved", "not-a-regression", "ignored",
    "waiting-approval", "paused", "found", "not-in-range", "not-separable", "stopped", "cancelled",
    "failed", "failing", "disabled-after-failures",
]  # fmt: skip


class ItemKind(StrEnum):
    """Kinds of items."""

    PRODUCTION_EVENT = "production-event"
    REGRESSION = "regression"
    BISECT = "bisect"
    CHANNEL = "channel"
    METRIC_SOURCE = "metric-source"


GROUPS: Final[Mapping[ItemKind, GroupName]] = {
    ItemKind.PRODUCTION_EVENT: "production",
    ItemKind.REGRESSION: "regressions",
    ItemKind.BISECT: "bisects-and-sources",
    ItemKind.CHANNEL: "bisects-and-sources",
    ItemKind.METRIC_SOURCE: "bisects-and-sources",
}
GROUP_ORDER: Final[tuple[GroupName, ...]] = ("production", "regressions", "bisects-and-sources")
SEVERITY_ORDER: Final[tuple[SeverityName, ...]] = ("high", "medium", "low")
MOST_OPEN: Final = 2_000
"""Open items of a kind that are listed, the newest: more could not be triaged."""
MOST_CLOSED: Final = 500
"""Closed items of a kind that are listed, the newest."""
MOST_ITEMS: Final = 200
"""Items of one action."""
MOST_VIEWS: Final = 50
FINISHED_FOR: Final = timedelta(days=7)
"""How long a finished bisect is listed."""
LONGEST_SNOOZE: Final = timedelta(days=365)
MOST_REASON: Final = 1_000
HIGH_RATIO: Final = 1.5
MEDIUM_RATIO: Final = 1.15
"""Severity of a regression by its certain ratio: the load of what it measures is not known."""
WITH_STATE: Final = frozenset({ItemKind.PRODUCTION_EVENT, ItemKind.REGRESSION})


@dataclass(frozen=True)
class NamedRef:
    """ID and name."""

    id: UUID
    name: str | None


@dataclass(frozen=True)
class Snooze:
    """When an item comes back. `since` is the time of the decision."""

    rule: SnoozeRuleName
    until: datetime | None
    since: datetime

    def find_end(self, now: datetime, deployed_at: datetime | None, occurred_at: datetime | None) -> datetime | None:
        """Return when the item came back, given the newest deployment and occurrence; None while it is hidden."""
        if self.rule == "time":
            return self.since if self.until is None else self.until if self.until <= now else None
        newest = deployed_at if self.rule == "next-deployment" else occurred_at
        return newest if newest is not None and newest > self.since else None


@dataclass(frozen=True)
class ItemClosing:
    """How an item was closed."""

    at: datetime
    reason: str
    sentence: str


@dataclass(frozen=True)
class ReadMark:
    """What a user saw of an item when they read it, and whether another user has commented on it since."""

    state: str
    severity: str
    occurred_at: datetime
    read_at: datetime
    has_new_comment: bool

    def covers(self, state: str, severity: str, occurred_at: datetime, returned_at: datetime | None) -> bool:
        """Return whether nothing has changed since, given when the item came back from a snooze."""
        return (
            (self.state, self.severity) == (state, severity)
            and self.occurred_at >= occurred_at
            and not self.has_new_comment
            and (returned_at is None or returned_at <= self.read_at)
        )


@dataclass(frozen=True)
class InboxItem:
    """One row of the inbox."""

    kind: ItemKind
    id: UUID
    number: int | None
    severity: SeverityName
    title: str
    detail: str
    state: StateName
    occurred_at: datetime
    """Of the newest occurrence: after it, a snooze until the next occurrence ends."""
    added_seconds_per_second: float | None = None
    service: NamedRef | None = None
    environment: NamedRef | None = None
    since_at: datetime | None = None
    since_commit: str | None = None
    ratio: tuple[float, float | None, float | None] | None = None
    """Ratio with the bounds of its interval."""
    sparkline: Mapping[str, object] | None = None
    assignee: NamedRef | None = None
    due_on: date | None = None
    snooze: Snooze | None = None
    is_snoozed: bool = False
    mute_reason: str | None = None
    merged_into_id: UUID | None = None
    merged: int = 0
    closed: ItemClosing | None = None
    is_unread: bool = False
    """Of the user who asks: changed since they read it. Closed items are read; so is everything for a token."""

    @property
    def needs_action(self) -> bool:
        """Return whether it is open, and neither snoozed, muted nor merged."""
        return self.closed is None and not self.is_snoozed and self.mute_reason is None and self.merged_into_id is None


@dataclass(frozen=True)
class InboxFilter:
    """What is listed."""

    view: ViewName = "needs-action"
    user_id: UserId | None = None
    service_id: UUID | None = None
    kinds: Sequence[str] = ()
    states: Sequence[str] = ()
    severities: Sequence[str] = ()
    assignee_id: UUID | None = None
    unassigned: bool = False
    unread: bool = False
    search: str = ""


@dataclass(frozen=True)
class InboxCounts:
    """Numbers of items by view, of those without an assignee, and of those that the user has not read."""

    needs_action: int = 0
    mine: int = 0
    production: int = 0
    regressions: int = 0
    snoozed: int = 0
    closed: int = 0
    unassigned: int = 0
    unread: int = 0


@dataclass(frozen=True)
class InboxPage:
    """One page of the inbox."""

    items: tuple[InboxItem, ...]
    counts: InboxCounts
    headline: str
    next_key: tuple[str, ...] | None = field(default=None)


def is_in_view(item: InboxItem, view: ViewName, user_id: UUID | None) -> bool:
    """Return whether a view lists an item. Snoozed and muted ones are only in `snoozed`, merged ones in none but `closed`."""
    if view == "closed":
        return item.closed is not None
    if view == "snoozed":
        hidden = item.is_snoozed or item.mute_reason is not None
        return item.closed is None and item.merged_into_id is None and hidden
    if not item.needs_action:
        return False
    if view == "mine":
        return user_id is not None and item.assignee is not None and item.assignee.id == user_id
    if view in ("production", "regressions"):
        return GROUPS[item.kind] == view
    return True


def matches(item: InboxItem, filters: InboxFilter) -> bool:
    """Return whether an item passes the filters besides the view."""
    return (
        (filters.service_id is None or (item.service is not None and item.service.id == filters.service_id))
        and (not filters.kinds or item.kind in filters.kinds)
        and (not filters.states or item.state in filters.states)
        and (not filters.severities or item.severity in filters.severities)
        and (filters.assignee_id is None or (item.assignee is not None and item.assignee.id == filters.assignee_id))
        and not (filters.unassigned and item.assignee is not None)
        and (item.is_unread or not filters.unread)
        and (not filters.search or contains(item, filters.search))
    )


def contains(item: InboxItem, search: str) -> bool:
    """Return whether an item contains all words of a text."""
    searched = f"{item.title} {item.detail} {item.service.name if item.service else ''} {item.number or ''}".casefold()
    return all(word in searched for word in search.casefold().split())


def sort_key(item: InboxItem, view: ViewName) -> tuple[str, ...]:
    """Return the key of the order: by group, severity, cost and time; closed items by the time of their end."""
    if view == "closed":
        at = item.closed.at if item.closed else item.occurred_at
        return (_newest_first(at), item.kind, str(item.id))
    return (
        str(GROUP_ORDER.index(GROUPS[item.kind])),
        str(SEVERITY_ORDER.index(item.severity)),
        f"{max(0.0, 1e9 - (item.added_seconds_per_second or 0.0)):020.6f}",
        _newest_first(item.since_at or item.occurred_at),
        str(item.id),
    )


def _newest_first(at: datetime) -> str:
    return f"{10**13 - int(at.timestamp() * 1000):014d}"


def allowed_actions(item: InboxItem, *, may_write: bool) -> tuple[ActionName, ...]:
    """Return the actions that apply to an item now."""
    if not may_write:
        return ()
    actions: list[ActionName] = ["assign", "set-due"]
    if item.kind in WITH_STATE:
        actions += ["set-state"]
        if item.closed is None:
            actions += ["fixed-by", "merge"]
    if item.merged_into_id is not None:
        actions.append("unmerge")
    if item.closed is None:
        actions.append("unsnooze" if item.snooze is not None else "snooze")
        actions.append("unmute" if item.mute_reason is not None else "mute")
    return tuple(actions)


def rank_ratio(ratio: float | None, ratio_low: float | None) -> SeverityName:
    """Return the severity of a regression by the part of its change that is certain."""
    certain = ratio_low if ratio_low is not None else ratio
    if certain is None:
        return "medium"
    return "high" if certain >= HIGH_RATIO else "medium" if certain >= MEDIUM_RATIO else "low"
