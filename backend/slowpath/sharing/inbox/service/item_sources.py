"""Make inbox items of production events, regressions, bisects, notification channels and metric sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import cast
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import UserId
from slowpath.evidence.metric_sources.tables import MetricSource
from slowpath.sharing.inbox import queries
from slowpath.sharing.inbox.rules import (
    WITH_STATE,
    InboxItem,
    ItemClosing,
    ItemKind,
    NamedRef,
    ReadMark,
    SeverityName,
    Snooze,
    SnoozeRuleName,
    StateName,
    rank_ratio,
)
from slowpath.sharing.inbox.tables import InboxTriage
from slowpath.sharing.inbox.wording import describe_closed_regression, describe_failing_source
from slowpath.sharing.notifications.rules import ChannelState
from slowpath.sharing.notifications.tables import NotificationChannel
from slowpath.verdicts.bisects.service.bisect_outcome import describe_bisect
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.production_events.rules.event_states import OPEN as OPEN_EVENTS
from slowpath.verdicts.production_events.tables import ProductionEvent
from slowpath.verdicts.production_events.wording import describe_closed
from slowpath.verdicts.regressions.rules import OPEN as OPEN_REGRESSIONS
from slowpath.verdicts.regressions.tables import Regression

Subject = ProductionEvent | Regression | Bisect | NotificationChannel | MetricSource
TriageKey = tuple[str, UUID]


@dataclass(frozen=True)
class ItemContext:
    """What items refer to: names, triage rows, the newest deployments, and what the user has read."""

    services: Mapping[UUID, str]
    environments: Mapping[UUID, str]
    users: Mapping[UUID, str]
    triage: Mapping[TriageKey, InboxTriage]
    merged: Mapping[TriageKey, int]
    deployed_at: Mapping[tuple[UUID, UUID], datetime] = field(default_factory=dict)
    read_marks: Mapping[TriageKey, ReadMark] | None = None
    """None: a token asks, which reads nothing."""

    def service(self, service_id: UUID | None) -> NamedRef | None:
        """Return a service by its ID."""
        return NamedRef(service_id, self.services.get(service_id)) if service_id else None

    def environment(self, environment_id: UUID | None) -> NamedRef | None:
        """Return an environment by its ID."""
        return NamedRef(environment_id, self.environments.get(environment_id)) if environment_id else None

    def user(self, user_id: UUID | None) -> NamedRef | None:
        """Return a user by ID; without a name after leaving the team."""
        return NamedRef(user_id, self.users.get(user_id)) if user_id else None

    def newest_deployment(self, service_id: UUID, environment_id: UUID | None) -> datetime | None:
        """Return the start of the newest deployment of a service, in one environment or in any."""
        found = [
            at
            for (of_service, of_environment), at in self.deployed_at.items()
            if of_service == service_id and environment_id in (None, of_environment)
        ]
        return max(found, default=None)


def load_context(session: ReadSession, subjects: Sequence[Subject], user_id: UserId | None) -> ItemContext:
    """Read what these subjects refer to, and what a user has read of them: six queries."""
    rows = queries.select_triage(session)
    triage = {(row.kind, row.subject_id): row for row in rows}
    merged: dict[TriageKey, int] = {}
    for row in rows:
        if row.merged_into_id is not None:
            key = (row.kind, row.merged_into_id)
            merged[key] = merged.get(key, 0) + 1
    users = {getattr(each, "assignee_id", None) for each in subjects} | {row.assignee_id for row in rows}
    awaited = {
        each.service_id
        for each in subjects
        if isinstance(each, ProductionEvent | Regression | Bisect)
        and (known := triage.get((kind_of(each), each.id))) is not None
        and known.snooze_rule == "next-deployment"
    }
    return ItemContext(
        services=queries.select_services(session),
        environments=queries.select_environments(session),
        users=queries.select_user_names(session, {each for each in users if each is not None}),
        triage=triage,
        merged=merged,
        deployed_at=queries.select_newest_deployments(session, awaited),
        read_marks=None if user_id is None else queries.select_read_marks(session, user_id),
    )


def kind_of(subject: Subject) -> ItemKind:
    """Return the kind of a subject."""
    if isinstance(subject, ProductionEvent):
        return ItemKind.PRODUCTION_EVENT
    if isinstance(subject, Regression):
        return ItemKind.REGRESSION
    if isinstance(subject, Bisect):
        return ItemKind.BISECT
    return ItemKind.CHANNEL if isinstance(subject, NotificationChannel) else ItemKind.METRIC_SOURCE


def make_item(subject: Subject, context: ItemContext, now: datetime) -> InboxItem:
    """Return the item of a subject, with its triage as of now, without its sparkline (`add_sparklines`)."""
    if isinstance(subject, ProductionEvent):
        item = _make_event_item(subject, context)
    elif isinstance(subject, Regression):
        item = _make_regression_item(subject, context)
    elif isinstance(subject, Bisect):
        item = _make_bisect_item(subject, context)
    elif isinstance(subject, NotificationChannel):
        item = _make_channel_item(subject)
    else:
        item = _make_source_item(subject)
    return _with_triage(item, context, now)


def add_sparklines(session: ReadSession, items: Sequence[InboxItem]) -> list[InboxItem]:
    """Return items with their sparklines: one query per kind that has them, for the few items that are shown."""
    found: dict[UUID, Mapping[str, object] | None] = {}
    for kind in queries.SPARKLINES:
        if ids := [each.id for each in items if each.kind is kind]:
            found |= queries.select_sparklines(session, kind, ids)
    return [replace(each, sparkline=found[each.id]) if found.get(each.id) else each for each in items]


def _with_triage(item: InboxItem, context: ItemContext, now: datetime) -> InboxItem:
    key = (item.kind, item.id)
    row = context.triage.get(key)
    merged = context.merged.get(key, 0)
    if row is None:
        is_unread = _is_unread(item, context, None)
        return replace(item, merged=merged, is_unread=is_unread) if merged or is_unread else item
    snooze = returned_at = None
    if row.snooze_rule is not None and row.snoozed_at is not None:
        snooze = Snooze(cast("SnoozeRuleName", row.snooze_rule), row.snooze_until, row.snoozed_at)
        of_service = item.service.id if item.service else None
        environment_id = item.environment.id if item.environment else None
        deployed_at = context.newest_deployment(of_service, environment_id) if of_service else None
        returned_at = snooze.find_end(now, deployed_at, item.occurred_at)
        snooze = snooze if returned_at is None else None
    has_own = item.kind in WITH_STATE
    return replace(
        item,
        merged=merged,
        snooze=snooze,
        is_snoozed=snooze is not None,
        mute_reason=row.mute_reason,
        merged_into_id=row.merged_into_id,
        assignee=item.assignee if has_own else context.user(row.assignee_id),
        due_on=item.due_on if has_own else row.due_on,
        is_unread=_is_unread(item, context, returned_at),
    )


def _is_unread(item: InboxItem, context: ItemContext, returned_at: datetime | None) -> bool:
    if context.read_marks is None or item.closed is not None:
        return False
    mark = context.read_marks.get((item.kind, item.id))
    return mark is None or not mark.covers(item.state, item.severity, item.occurred_at, returned_at)


def _make_event_item(row: ProductionEvent, context: ItemContext) -> InboxItem:
    is_open = row.state in OPEN_EVENTS
    closed = None
    if not is_open:
        reason = row.closed_reason if row.state == "closed" and row.closed_reason else row.state
        closed = ItemClosing(row.closed_at or row.started_at, reason, describe_closed(row.state, row.proof))
    return InboxItem(
        kind=ItemKind.PRODUCTION_EVENT,
        id=row.id,
        number=row.number,
        severity=cast("SeverityName", row.severity),
        title=row.title,
        detail=row.sentence,
        state=cast("StateName", row.state),
        occurred_at=row.occurred_at,
        added_seconds_per_second=row.added_seconds_per_second,
        service=context.service(row.service_id),
        environment=context.environment(row.environment_id),
        since_at=row.started_at,
        since_commit=row.commit,
        ratio=(row.ratio, row.ratio_low, row.ratio_high),
        assignee=context.user(row.assignee_id),
        due_on=row.due_on,
        closed=closed,
    )


def _make_regression_item(row: Regression, context: ItemContext) -> InboxItem:
    closed = None
    if row.state not in OPEN_REGRESSIONS:
        sentence = describe_closed_regression(row.state, row.fixed_commit)
        closed = ItemClosing(row.closed_at or row.created_at, row.state, sentence)
    return InboxItem(
        kind=ItemKind.REGRESSION,
        id=row.id,
        number=row.number,
        severity=rank_ratio(row.ratio, row.ratio_low),
        title=row.title,
        detail=row.sentence,
        state=cast("StateName", row.state),
        occurred_at=max(row.created_at, row.since_at or row.created_at),
        service=context.service(row.service_id),
        since_at=row.since_at,
        since_commit=row.since_commit,
        ratio=None if row.ratio is None else (row.ratio, row.ratio_low, row.ratio_high),
        assignee=context.user(row.assignee_id),
        due_on=row.due_on,
        closed=closed,
    )


def _make_bisect_item(row: Bisect, context: ItemContext) -> InboxItem:
    is_finished = row.finished_at is not None and row.state != "failed"
    return InboxItem(
        kind=ItemKind.BISECT,
        id=row.id,
        number=row.number,
        severity="low" if is_finished else "medium",
        title=row.title,
        detail=describe_bisect(row),
        state=cast("StateName", row.state),
        occurred_at=row.finished_at or row.started_at or row.created_at,
        service=context.service(row.service_id),
        since_at=row.finished_at or row.started_at or row.created_at,
        since_commit=row.bad_sha,
    )


def _make_channel_item(row: NotificationChannel) -> InboxItem:
    is_disabled = row.state == ChannelState.DISABLED
    since = row.failing_since or row.created_at
    reason = str((row.problem or {}).get("detail") or "The last delivery failed.")
    return InboxItem(
        kind=ItemKind.CHANNEL,
        id=row.id,
        number=None,
        severity="high" if is_disabled else "medium",
        title=f"Notification channel {row.label} {'is disabled' if is_disabled else 'fails'}",
        detail=reason,
        state=cast("StateName", row.state) if is_disabled else "failing",
        occurred_at=since,
        since_at=since,
    )


def _make_source_item(row: MetricSource) -> InboxItem:
    at, detail = describe_failing_source(row.last_check, row.last_import)
    since = datetime.fromtimestamp(at / 1000, UTC) if at is not None else row.created_at
    return InboxItem(
        kind=ItemKind.METRIC_SOURCE,
        id=row.id,
        number=None,
        severity="medium",
        title=f"Metric source {row.label} fails",
        detail=detail or "",
        state="failing",
        occurred_at=since,
        since_at=since,
    )
