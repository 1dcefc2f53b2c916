"""Read the inbox: items of all kinds with their triage, filtered, counted and ordered.

Query shape: each kind of subject once, the triage rows, and the names of services, environments and users; two counts;
the sparklines of the items that are shown.
Snooze, mute and merge depend on the current time and on other rows, so items are filtered in memory: a team has at most
a few thousand open items.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import UserId
from slowpath.sharing.inbox import queries
from slowpath.sharing.inbox.errors import InboxItemNotFound
from slowpath.sharing.inbox.rules import (
    FINISHED_FOR,
    MOST_CLOSED,
    MOST_OPEN,
    InboxCounts,
    InboxFilter,
    InboxItem,
    InboxPage,
    ItemKind,
    is_in_view,
    matches,
    sort_key,
)
from slowpath.sharing.inbox.service.item_sources import Subject, add_sparklines, load_context, make_item
from slowpath.sharing.inbox.wording import describe_failing_source, describe_inbox
from slowpath.verdicts.production_events.service import event_views
from slowpath.verdicts.production_events.tables import ProductionEvent


def list_inbox(
    session: ReadSession, filters: InboxFilter, now: datetime, *, after: tuple[str, ...] | None, limit: int
) -> InboxPage:
    """Return one page of a view, its counts and headline."""
    subjects = _select_open(session, now)
    if filters.view == "closed":
        subjects = [*subjects, *_select_closed(session)]
    context = load_context(session, subjects, filters.user_id)
    items = [make_item(each, context, now) for each in subjects]
    open_items = [each for each in items if each.closed is None]
    chosen = _choose(items, filters)
    start = 0 if after is None else next((at for at, (key, _) in enumerate(chosen) if key > after), len(chosen))
    shown = chosen[start : start + limit]
    needing = [each for each in open_items if each.needs_action]
    first = min(needing, key=lambda each: sort_key(each, "needs-action"), default=None)
    return InboxPage(
        items=tuple(add_sparklines(session, [each for _, each in shown])),
        counts=_count(session, open_items, filters.user_id),
        headline=describe_inbox(len(needing), sum(each.severity == "high" for each in needing), first),
        next_key=shown[-1][0] if shown and start + limit < len(chosen) else None,
    )


def _choose(items: Sequence[InboxItem], filters: InboxFilter) -> list[tuple[tuple[str, ...], InboxItem]]:
    """Return the items that a view lists, in order, with their keys."""
    found = [
        (sort_key(each, filters.view), each)
        for each in items
        if is_in_view(each, filters.view, filters.user_id) and matches(each, filters)
    ]
    return sorted(found, key=lambda one: one[0])


def _count(session: ReadSession, items: Sequence[InboxItem], user_id: UUID | None) -> InboxCounts:
    needing = [each for each in items if each.needs_action]
    return InboxCounts(
        needs_action=len(needing),
        mine=sum(is_in_view(each, "mine", user_id) for each in needing),
        production=sum(is_in_view(each, "production", user_id) for each in needing),
        regressions=sum(is_in_view(each, "regressions", user_id) for each in needing),
        snoozed=sum(is_in_view(each, "snoozed", user_id) for each in items),
        closed=event_views.count_closed_events(session) + queries.count_closed_regressions(session),
        unassigned=sum(each.assignee is None for each in needing),
        unread=sum(each.is_unread for each in needing),
    )


def _select_open(session: ReadSession, now: datetime) -> list[Subject]:
    failing = [
        each
        for each in queries.select_metric_sources(session)
        if describe_failing_source(each.last_check, each.last_import)[1] is not None
    ]
    return [
        *event_views.list_events(session, closed=False, limit=MOST_OPEN),
        *queries.select_regressions(session, closed=False, limit=MOST_OPEN),
        *queries.select_bisects(session, now - FINISHED_FOR),
        *queries.select_failing_channels(session),
        *failing,
    ]


def _select_closed(session: ReadSession) -> list[Subject]:
    return [
        *event_views.list_events(session, closed=True, limit=MOST_CLOSED),
        *queries.select_regressions(session, closed=True, limit=MOST_CLOSED),
    ]


def find_subjects(session: ReadSession, kind: ItemKind, ids: Collection[UUID], now: datetime) -> Sequence[Subject]:
    """Return the subjects of one kind with these IDs, whether or not they are listed now."""
    if kind is ItemKind.PRODUCTION_EVENT:
        return event_views.find_events(session, list(ids))
    if kind is ItemKind.REGRESSION:
        return queries.select_regressions_by_id(session, ids)
    if kind is ItemKind.BISECT:
        return queries.select_bisects(session, now, ids)
    if kind is ItemKind.CHANNEL:
        return queries.select_failing_channels(session, ids)
    return queries.select_metric_sources(session, ids)


def get_items(
    session: ReadSession, keys: Sequence[tuple[ItemKind, UUID]], user_id: UserId | None, now: datetime
) -> dict[tuple[ItemKind, UUID], InboxItem]:
    """Return items by kind and ID; those that do not exist are absent."""
    subjects: list[Subject] = []
    for kind in ItemKind:
        if ids := [subject_id for of_kind, subject_id in keys if of_kind is kind]:
            subjects += find_subjects(session, kind, ids, now)
    context = load_context(session, subjects, user_id)
    items = add_sparklines(session, [make_item(each, context, now) for each in subjects])
    return {(each.kind, each.id): each for each in items}


def get_item(
    session: ReadSession, kind: ItemKind, subject_id: UUID, user_id: UserId | None, now: datetime
) -> InboxItem:
    """Return one item as a user sees it. Raises `InboxItemNotFound`."""
    found = get_items(session, [(kind, subject_id)], user_id, now).get((kind, subject_id))
    if found is None:
        raise InboxItemNotFound("The team has no such item in the inbox.")
    return found


def get_event_item(session: ReadSession, event: ProductionEvent, user_id: UserId | None, now: datetime) -> InboxItem:
    """Return the item of a production event as a user sees it."""
    return replace(make_item(event, load_context(session, [event], user_id), now), sparkline=event.sparkline)
