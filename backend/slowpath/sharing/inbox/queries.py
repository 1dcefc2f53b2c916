"""SELECT statements for the inbox. Each reads only rows of the session's team."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import InstrumentedAttribute, load_only

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import UserId, new_id
from slowpath.evidence.metric_sources.tables import MetricSource
from slowpath.inventory.catalog.tables import Deployment, Environment, Service
from slowpath.platform.accounts.tables import Membership, User
from slowpath.sharing.discussions.tables import Comment, Discussion
from slowpath.sharing.inbox.rules import FINISHED_FOR, InboxItem, ItemKind, ReadMark
from slowpath.sharing.inbox.tables import InboxReadMark, InboxTriage, InboxView
from slowpath.sharing.notifications.rules import ChannelState
from slowpath.sharing.notifications.tables import NotificationChannel
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.production_events.rules.event_states import OPEN as OPEN_EVENTS
from slowpath.verdicts.production_events.tables import ProductionEvent
from slowpath.verdicts.regressions.rules import OPEN
from slowpath.verdicts.regressions.tables import Regression

SUBJECT_IDS: Mapping[ItemKind, InstrumentedAttribute[UUID]] = {
    ItemKind.PRODUCTION_EVENT: ProductionEvent.id,
    ItemKind.REGRESSION: Regression.id,
    ItemKind.BISECT: Bisect.id,
    ItemKind.CHANNEL: NotificationChannel.id,
    ItemKind.METRIC_SOURCE: MetricSource.id,
}
SPARKLINES: Mapping[ItemKind, type[ProductionEvent] | type[Regression]] = {
    ItemKind.PRODUCTION_EVENT: ProductionEvent,
    ItemKind.REGRESSION: Regression,
}
WAITING_BISECTS = ("waiting-approval", "paused", "failed")
FINISHED_BISECTS = ("found", "not-in-range", "not-separable", "stopped")
FAILING_CHANNELS = or_(
    NotificationChannel.state == ChannelState.DISABLED,
    and_(NotificationChannel.state == ChannelState.ON, NotificationChannel.failing_since.is_not(None)),
)
REGRESSION_COLUMNS = (
    Regression.number, Regression.service_id, Regression.state, Regression.title, Regression.sentence, Regression.ratio,
    Regression.ratio_low, Regression.ratio_high, Regression.since_commit, Regression.since_at, Regression.assignee_id,
    Regression.due_on, Regression.closed_at, Regression.created_at, Regression.fixed_commit,
)  # fmt: skip


def select_regressions(session: ReadSession, *, closed: bool, limit: int) -> Sequence[Regression]:
    """Return the newest confirmed regressions that are open, or the last closed."""
    is_open = Regression.state.in_(OPEN)
    order = Regression.closed_at.desc().nulls_last() if closed else Regression.created_at.desc()
    found = select(Regression).options(load_only(*REGRESSION_COLUMNS)).where(Regression.confirmed.is_(True))
    found = found.where(~is_open if closed else is_open, Regression.direction == "worse")
    return session.scalars(found.order_by(order, Regression.id).limit(limit)).all()


def select_sparklines(
    session: ReadSession, kind: ItemKind, ids: Collection[UUID]
) -> dict[UUID, Mapping[str, object] | None]:
    """Return the sparklines of items of a kind, by primary key."""
    table = SPARKLINES[kind]
    rows = session.execute(select(table.id, table.sparkline).where(table.team_id == session.team_id, table.id.in_(ids)))
    return {row[0]: row[1] for row in rows}


def select_regressions_by_id(session: ReadSession, ids: Collection[UUID]) -> Sequence[Regression]:
    """Return confirmed regressions with these IDs."""
    found = select(Regression).where(Regression.id.in_(ids), Regression.confirmed.is_(True))
    return session.scalars(found).all()


def count_closed_regressions(session: ReadSession) -> int:
    """Return the number of closed regressions."""
    found = select(func.count()).select_from(Regression)
    where = (Regression.confirmed.is_(True), ~Regression.state.in_(OPEN), Regression.direction == "worse")
    return session.scalar(found.where(*where)) or 0


def select_bisects(
    session: ReadSession, finished_since: datetime, ids: Collection[UUID] | None = None
) -> Sequence[Bisect]:
    """Return the bisects that wait for a user, and those that finished since a time."""
    waiting = Bisect.state.in_(WAITING_BISECTS)
    finished = and_(Bisect.state.in_(FINISHED_BISECTS), Bisect.finished_at >= finished_since)
    found = select(Bisect).where(or_(waiting, finished) if ids is None else Bisect.id.in_(ids))
    # A pull request shows its own; experiments are listed on the page of their bisect.
    found = found.where(Bisect.commit_comparison.is_(None), Bisect.experiment_of.is_(None))
    return session.scalars(found.order_by(Bisect.created_at.desc(), Bisect.id).limit(500)).all()


def select_failing_channels(session: ReadSession, ids: Collection[UUID] | None = None) -> Sequence[NotificationChannel]:
    """Return the channels that are disabled after failures, or whose last delivery failed."""
    found = select(NotificationChannel).where(FAILING_CHANNELS if ids is None else NotificationChannel.id.in_(ids))
    return session.scalars(found.order_by(NotificationChannel.created_at.desc(), NotificationChannel.id)).all()


def select_metric_sources(session: ReadSession, ids: Collection[UUID] | None = None) -> Sequence[MetricSource]:
    """Return the metric sources; a team has at most 50."""
    found = select(MetricSource)
    found = found if ids is None else found.where(MetricSource.id.in_(ids))
    return session.scalars(found.order_by(MetricSource.created_at.desc(), MetricSource.id)).all()


def select_triage(session: ReadSession) -> Sequence[InboxTriage]:
    """Return all triage rows of the team."""
    return session.scalars(select(InboxTriage)).all()


def select_read_marks(session: ReadSession, user_id: UserId | None) -> dict[tuple[str, UUID], ReadMark]:
    """Return what a user has read, by kind and ID of the item."""
    if user_id is None:
        return {}
    has_new_comment = (
        select(Comment.id)
        .join(Discussion, Discussion.id == Comment.discussion_id)
        .where(
            Discussion.subject_kind == InboxReadMark.kind,
            Discussion.subject_id == InboxReadMark.subject_id,
            Comment.created_at > InboxReadMark.read_at,
            Comment.author_id.is_distinct_from(user_id),
            Comment.deleted_at.is_(None),
        )
        .exists()
    )
    found = select(InboxReadMark, has_new_comment).where(InboxReadMark.user_id == user_id)
    return {
        (row.kind, row.subject_id): ReadMark(row.state, row.severity, row.occurred_at, row.read_at, has_new)
        for row, has_new in session.execute(found)
    }


def upsert_read_marks(session: WriteSession, user_id: UserId, items: Collection[InboxItem]) -> None:
    """Record what a user saw of items."""
    if not items:
        return
    rows = [
        {
            "team_id": session.team_id, "id": new_id(), "user_id": user_id, "kind": each.kind, "subject_id": each.id,
            "state": each.state, "severity": each.severity, "occurred_at": each.occurred_at,
            "read_at": func.clock_timestamp(),
        }
        for each in items
    ]  # fmt: skip
    insertion = insert(InboxReadMark).values(rows)
    fields = {name: insertion.excluded[name] for name in ("state", "severity", "occurred_at", "read_at")}
    session.execute(insertion.on_conflict_do_update(constraint="uq_inbox_read_mark_subject", set_=fields))


def delete_read_marks(session: WriteSession, user_id: UserId, kind: ItemKind, ids: Collection[UUID]) -> None:
    """Make items of one kind unread for a user."""
    where = (InboxReadMark.user_id == user_id, InboxReadMark.kind == kind, InboxReadMark.subject_id.in_(ids))
    session.execute(delete(InboxReadMark).where(*where))


def delete_unlisted_read_marks(session: WriteSession, now: datetime) -> int:
    """Delete the read marks of items that were deleted or closed, or are no longer listed. Returns their number."""
    listed_bisect = or_(Bisect.state.in_(WAITING_BISECTS), Bisect.finished_at >= now - FINISHED_FOR)
    listed = {
        ItemKind.PRODUCTION_EVENT: ProductionEvent.state.in_(OPEN_EVENTS),
        ItemKind.REGRESSION: Regression.state.in_(OPEN),
        ItemKind.BISECT: listed_bisect,
        ItemKind.CHANNEL: FAILING_CHANNELS,
    }
    gone = []
    for kind, subject_id in SUBJECT_IDS.items():
        subject = select(subject_id).where(subject_id == InboxReadMark.subject_id)
        subject = subject if kind not in listed else subject.where(listed[kind])
        gone.append(and_(InboxReadMark.kind == kind, ~subject.exists()))
    return len(session.scalars(delete(InboxReadMark).where(or_(*gone)).returning(InboxReadMark.id)).all())


def select_services(session: ReadSession) -> dict[UUID, str]:
    """Return the names of addresses of all services."""
    return {row.id: row.slug for row in session.execute(select(Service.id, Service.slug))}


def select_environments(session: ReadSession) -> dict[UUID, str]:
    """Return the names of all environments."""
    return {row.id: row.name for row in session.execute(select(Environment.id, Environment.name))}


def select_user_names(session: ReadSession, user_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of users."""
    if not user_ids:
        return {}
    rows = session.execute(select(User.id, User.name).where(User.id.in_(user_ids)))
    return {row.id: row.name for row in rows}


def is_member(session: ReadSession, user_id: UUID) -> bool:
    """Return whether a user is a member of the team."""
    return session.scalar(select(Membership.id).where(Membership.user_id == user_id).limit(1)) is not None


def find_member_by_email(session: ReadSession, email_key: str) -> tuple[UserId, str] | None:
    """Return the member with an address, and their role."""
    found = (
        select(User.id, Membership.role)
        .join(Membership, Membership.user_id == User.id)
        .where(User.email_key == email_key, Membership.team_id == session.team_id)
    )
    row = session.execute(found).one_or_none()
    return None if row is None else (UserId(row.id), row.role)


def select_newest_deployments(
    session: ReadSession, service_ids: Collection[UUID]
) -> Mapping[tuple[UUID, UUID], datetime]:
    """Return the start of the newest deployment by service and environment."""
    if not service_ids:
        return {}
    found = (
        select(Deployment.service_id, Deployment.environment_id, func.max(Deployment.started_at))
        .where(Deployment.service_id.in_(service_ids))
        .group_by(Deployment.service_id, Deployment.environment_id)
    )
    return {(service_id, environment_id): at for service_id, environment_id, at in session.execute(found)}


def lock_triage(session: WriteSession, kind: ItemKind, subject_id: UUID) -> InboxTriage:
    """Return the triage row of an item, created if it has none, locked until the transaction ends."""
    values = {"team_id": session.team_id, "id": new_id(), "kind": kind, "subject_id": subject_id}
    session.execute(insert(InboxTriage).values(**values).on_conflict_do_nothing(constraint="uq_inbox_triage_subject"))
    found = select(InboxTriage).where(InboxTriage.kind == kind, InboxTriage.subject_id == subject_id)
    return session.scalars(found.with_for_update().execution_options(populate_existing=True)).one()


def delete_orphaned_triage(session: WriteSession) -> int:
    """Delete the triage rows whose subject was deleted. Returns their number."""
    gone = [
        and_(InboxTriage.kind == kind, ~select(subject_id).where(subject_id == InboxTriage.subject_id).exists())
        for kind, subject_id in SUBJECT_IDS.items()
    ]
    return len(session.scalars(delete(InboxTriage).where(or_(*gone)).returning(InboxTriage.id)).all())


def select_views(session: ReadSession, user_id: UUID | None) -> Sequence[InboxView]:
    """Return the views of a user and those that are shared, by name."""
    found = select(InboxView).where(or_(InboxView.user_id == user_id, InboxView.is_shared.is_(True)))
    return session.scalars(found.order_by(InboxView.name, InboxView.id)).all()


def count_views(session: ReadSession, user_id: UUID) -> int:
    """Return the number of views of a user."""
    found = select(func.count()).select_from(InboxView).where(InboxView.user_id == user_id)
    return session.scalar(found) or 0


def select_view(session: ReadSession, view_id: UUID) -> InboxView | None:
    """Return one view, by primary key."""
    return session.get(InboxView, (session.team_id, view_id))


def has_view_named(session: ReadSession, user_id: UUID, name: str) -> bool:
    """Return whether a user has a view of this name."""
    found = select(InboxView.id).where(InboxView.user_id == user_id, InboxView.name == name)
    return session.scalar(found.limit(1)) is not None
