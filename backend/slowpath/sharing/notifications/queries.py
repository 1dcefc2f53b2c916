"""SELECT statements of notifications."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, select, tuple_, update

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ChannelId, MessageId
from slowpath.sharing.notifications.rules import ChannelState, NotificationEvent, NotificationState
from slowpath.sharing.notifications.tables import (
    LinkedIssue,
    Notification,
    NotificationChannel,
    SlackInteraction,
    TeamEvent,
)
from slowpath.verdicts.production_events.tables import ProductionEvent
from slowpath.verdicts.regressions.tables import Regression

After = tuple[datetime, UUID] | None


def channels(session: ReadSession, after: After, limit: int) -> Sequence[NotificationChannel]:
    """Return channels newest first, by ix_channel_newest."""
    found = select(NotificationChannel).where(NotificationChannel.team_id == session.team_id)
    found = found.order_by(NotificationChannel.created_at.desc(), NotificationChannel.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(NotificationChannel.created_at, NotificationChannel.id) < after)
    return session.scalars(found).all()


def channel(session: ReadSession, channel_id: ChannelId) -> NotificationChannel | None:
    """Return one channel, by primary key."""
    return session.get(NotificationChannel, (session.team_id, channel_id))


def lock_channel(session: ReadSession, channel_id: ChannelId) -> NotificationChannel | None:
    """Return one channel, by primary key, and lock it."""
    return session.get(NotificationChannel, (session.team_id, channel_id), with_for_update=True, populate_existing=True)


def count(session: ReadSession) -> int:
    """Return how many channels the team has, by ix_channel_newest."""
    return session.scalars(
        select(func.count()).select_from(NotificationChannel).where(NotificationChannel.team_id == session.team_id)
    ).one()


def open_channels(session: ReadSession) -> Sequence[NotificationChannel]:
    """Return the active channels, oldest first, by ix_channel_newest."""
    found = select(NotificationChannel).where(
        NotificationChannel.team_id == session.team_id, NotificationChannel.state == ChannelState.ON
    )
    return session.scalars(found.order_by(NotificationChannel.created_at, NotificationChannel.id)).all()


def messages(session: ReadSession, channel_id: ChannelId, after: After, limit: int) -> Sequence[Notification]:
    """Return the notifications of a channel, newest first, by ix_message_newest."""
    found = select(Notification).where(Notification.team_id == session.team_id, Notification.channel_id == channel_id)
    found = found.order_by(Notification.created_at.desc(), Notification.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(Notification.created_at, Notification.id) < after)
    return session.scalars(found).all()


def message(session: ReadSession, message_id: MessageId) -> Notification | None:
    """Return one notification, by primary key."""
    return session.get(Notification, (session.team_id, message_id))


def comment_of(session: ReadSession, channel_id: ChannelId, thread: str) -> str | None:
    """Return the receiver's ID of a thread's comment, by ix_message_thread."""
    found = select(Notification.receiver_message_id).where(
        Notification.team_id == session.team_id,
        Notification.channel_id == channel_id,
        Notification.thread == thread,
        Notification.receiver_message_id.is_not(None),
    )
    return session.scalars(found.order_by(Notification.created_at.desc()).limit(1)).first()


def has_newer_in_thread(session: ReadSession, message: Notification, commit: str | None) -> bool:
    """Return whether the channel has a later notification of the same thread, by ix_notification_thread.

    `commit`: only of this commit.
    """
    newer = select(Notification.id).where(
        Notification.team_id == session.team_id,
        Notification.channel_id == message.channel_id,
        Notification.thread == message.thread,
        Notification.created_at > message.created_at,
    )
    if commit is not None:
        newer = newer.where(Notification.content["build"]["commit"].astext == commit)
    return session.scalar(newer.limit(1)) is not None


def has_earlier_waiting_in_thread(session: ReadSession, message: Notification) -> bool:
    """Return whether an earlier notification of the same thread waits, by ix_notification_thread."""
    earlier = select(Notification.id).where(
        Notification.team_id == session.team_id,
        Notification.channel_id == message.channel_id,
        Notification.thread == message.thread,
        Notification.created_at < message.created_at,
        Notification.state == NotificationState.WAITING,
    )
    return session.scalar(earlier.limit(1)) is not None


def find_linked_issue(session: ReadSession, kind: str, subject_id: UUID) -> LinkedIssue | None:
    """Return the issue of a subject, by uq_linked_issue_subject."""
    found = select(LinkedIssue).where(LinkedIssue.kind == kind, LinkedIssue.subject_id == subject_id)
    return session.scalars(found).one_or_none()


def lock_linked_issue(session: WriteSession, kind: str, subject_id: UUID) -> LinkedIssue:
    """Return the issue of a subject and lock it, by uq_linked_issue_subject."""
    found = select(LinkedIssue).where(LinkedIssue.kind == kind, LinkedIssue.subject_id == subject_id)
    return session.scalars(found.with_for_update().execution_options(populate_existing=True)).one()


def delete_orphaned_issues(session: WriteSession) -> None:
    """Delete the links to issues whose production event or regression was deleted."""
    event = select(ProductionEvent.id).where(ProductionEvent.id == LinkedIssue.subject_id)
    regression = select(Regression.id).where(Regression.id == LinkedIssue.subject_id)
    session.execute(delete(LinkedIssue).where(~event.exists(), ~regression.exists()))


def delete_old_interactions(session: WriteSession, before: datetime) -> None:
    """Delete the requests of Slack from before a time, by ix_slack_interaction_newest."""
    session.execute(delete(SlackInteraction).where(SlackInteraction.created_at < before))


def delete_finished_notifications(session: WriteSession, before: datetime) -> int:
    """Delete finished notifications from before a time, channel by channel, by ix_message_newest."""
    gone = 0
    for channel_id in session.scalars(
        select(NotificationChannel.id).where(NotificationChannel.team_id == session.team_id)
    ).all():
        statement = delete(Notification).where(
            Notification.team_id == session.team_id,
            Notification.channel_id == channel_id,
            Notification.created_at < before,
            Notification.state != NotificationState.WAITING,
        )
        deleted = statement.returning(Notification.id).execution_options(synchronize_session=False)
        gone += len(session.scalars(deleted).all())
    return gone


def has_messages(session: ReadSession) -> bool:
    """Return whether the team has any notification, by ix_message_newest."""
    return session.scalar(select(Notification.id).where(Notification.team_id == session.team_id).limit(1)) is not None


def lock_event_log(session: WriteSession) -> None:
    """Lock the numbering of events until the transaction ends: a number is visible only after all smaller ones."""
    key = f"slowpath.events:{session.team_id}"
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 0))))


def select_last_event_number(session: ReadSession) -> int:
    """Return the number of the newest event, 0 if there is none, by uq_team_event_number."""
    return session.scalar(select(func.max(TeamEvent.number)).where(TeamEvent.team_id == session.team_id)) or 0


def select_events(
    session: ReadSession, after: int, events: Collection[NotificationEvent], limit: int
) -> Sequence[TeamEvent]:
    """Return events after a number, oldest first, by uq_team_event_number."""
    found = select(TeamEvent).where(
        TeamEvent.team_id == session.team_id, TeamEvent.number > after, TeamEvent.is_hidden.is_(False)
    )
    if events:
        found = found.where(TeamEvent.event.in_(events))
    return session.scalars(found.order_by(TeamEvent.number).limit(limit)).all()


def delete_events_of_services(session: WriteSession, service_ids: Sequence[UUID]) -> None:
    """Delete the events of services; the newest of the team is hidden instead, so that numbers never repeat."""
    mine = TeamEvent.content["service_id"].astext.in_([str(each) for each in service_ids])
    of_services = update(TeamEvent).where(TeamEvent.team_id == session.team_id, mine).values(is_hidden=True)
    session.execute(of_services.execution_options(synchronize_session=False))
    gone = delete(TeamEvent).where(
        TeamEvent.team_id == session.team_id,
        TeamEvent.is_hidden,
        TeamEvent.number < select_last_event_number(session),
    )
    session.execute(gone.execution_options(synchronize_session=False))


def delete_old_events(session: WriteSession, before: datetime) -> int:
    """Delete events from before a time, by ix_team_event_newest; the newest remains, so that numbers never repeat."""
    statement = delete(TeamEvent).where(
        TeamEvent.team_id == session.team_id,
        TeamEvent.created_at < before,
        TeamEvent.number < select_last_event_number(session),
    )
    deleted = statement.returning(TeamEvent.id).execution_options(synchronize_session=False)
    return len(session.scalars(deleted).all())
