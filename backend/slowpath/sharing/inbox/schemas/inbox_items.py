"""Wire shapes of inbox items, and of the list."""

from datetime import date, datetime
from typing import Self
from uuid import UUID

from pydantic import BaseModel, Field

from slowpath.sharing.inbox.rules import (
    GROUPS,
    ActionName,
    GroupName,
    InboxItem,
    InboxPage,
    KindName,
    NamedRef,
    SeverityName,
    SnoozeRuleName,
    StateName,
    allowed_actions,
)


class ItemService(BaseModel):
    """The service of an item."""

    id: UUID
    slug: str


class ItemEnvironment(BaseModel):
    """The environment of an item."""

    id: UUID
    name: str


class ItemAssignee(BaseModel):
    """The assignee of an item; without a name after leaving the team."""

    id: UUID
    name: str | None


class ItemChange(BaseModel):
    """The ratio of after to before, with the bounds of its 95% confidence interval where they are known."""

    ratio: float
    low: float | None
    high: float | None


class ItemSparkline(BaseModel):
    """A series reduced to few values, null where unknown; `levels` are before and after `step_at`."""

    values: list[float | None]
    step_at: int | None
    levels: list[float]


class ItemSnooze(BaseModel):
    """When the item comes back."""

    rule: SnoozeRuleName
    until: datetime | None


class ItemClosed(BaseModel):
    """How the item was closed, and what proves it."""

    at: datetime
    reason: str
    sentence: str


class InboxItemOut(BaseModel):
    """One row of the inbox."""

    kind: KindName
    id: UUID
    number: int | None
    group: GroupName
    severity: SeverityName
    added_seconds_per_second: float | None
    title: str
    detail: str
    service: ItemService | None
    environment: ItemEnvironment | None
    since_at: datetime | None
    since_commit: str | None
    change: ItemChange | None
    sparkline: ItemSparkline | None
    state: StateName
    assignee: ItemAssignee | None
    due_on: date | None
    snooze: ItemSnooze | None
    mute_reason: str | None
    merged: int
    merged_into_id: UUID | None
    closed: ItemClosed | None
    is_unread: bool = Field(description="changed since the caller read it; false for tokens and closed items")
    actions: list[ActionName]

    @classmethod
    def of(cls, item: InboxItem, *, may_write: bool) -> Self:
        """Return the wire shape of an item, with the actions that the caller may take."""
        return cls(
            kind=item.kind.value,
            id=item.id,
            number=item.number,
            group=GROUPS[item.kind],
            severity=item.severity,
            added_seconds_per_second=item.added_seconds_per_second,
            title=item.title,
            detail=item.detail,
            service=ItemService(id=item.service.id, slug=item.service.name or "") if item.service else None,
            environment=_environment(item.environment),
            since_at=item.since_at,
            since_commit=item.since_commit,
            change=None
            if item.ratio is None
            else ItemChange(ratio=item.ratio[0], low=item.ratio[1], high=item.ratio[2]),
            sparkline=None if item.sparkline is None else ItemSparkline.model_validate(item.sparkline),
            state=item.state,
            assignee=ItemAssignee(id=item.assignee.id, name=item.assignee.name) if item.assignee else None,
            due_on=item.due_on,
            snooze=ItemSnooze(rule=item.snooze.rule, until=item.snooze.until) if item.snooze else None,
            mute_reason=item.mute_reason,
            merged=item.merged,
            merged_into_id=item.merged_into_id,
            closed=None if item.closed is None else ItemClosed(**vars(item.closed)),
            is_unread=item.is_unread,
            actions=list(allowed_actions(item, may_write=may_write)),
        )


def _environment(ref: NamedRef | None) -> ItemEnvironment | None:
    return None if ref is None else ItemEnvironment(id=ref.id, name=ref.name or "")


class InboxCountsOut(BaseModel):
    """Numbers of items by view, without other filters, and of those that need an action: unassigned, and unread."""

    needs_action: int
    mine: int
    production: int
    regressions: int
    snoozed: int
    closed: int
    unassigned: int
    unread: int


class InboxOut(BaseModel):
    """One page of the inbox."""

    items: list[InboxItemOut]
    counts: InboxCountsOut
    headline: str
    next_cursor: str | None

    @classmethod
    def of(cls, page: InboxPage, next_cursor: str | None, *, may_write: bool) -> Self:
        """Return the wire shape of a page."""
        return cls(
            items=[InboxItemOut.of(each, may_write=may_write) for each in page.items],
            counts=InboxCountsOut(**vars(page.counts)),
            headline=page.headline,
            next_cursor=next_cursor,
        )
