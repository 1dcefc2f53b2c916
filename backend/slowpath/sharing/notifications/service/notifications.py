"""Create one notification per event and subscribed channel, once even if the event repeats, and record deliveries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import ChannelId, JobId, MessageId, TeamEventId, new_id
from slowpath.core.jobs import enqueue, enqueue_unless_pending
from slowpath.sharing.notifications import queries
from slowpath.sharing.notifications.errors import (
    ChannelNotActive,
    NotificationNotFound,
    NotificationPending,
    ReceiverGone,
)
from slowpath.sharing.notifications.jobs import DeleteOldNotifications, DeliverNotification
from slowpath.sharing.notifications.queries import After
from slowpath.sharing.notifications.rules import (
    ALERT_SERVICES,
    BUILD_EVENTS,
    CODE_HOSTS,
    FORGET_AFTER_S,
    PERSONAL,
    RETENTION_DAYS,
    THREADED,
    ChannelKind,
    ChannelState,
    NotificationContent,
    NotificationState,
    closes_issue,
    is_dead,
    pause_after,
)
from slowpath.sharing.notifications.service import channels, event_log, issues
from slowpath.sharing.notifications.tables import Notification, NotificationChannel


@dataclass(frozen=True)
class EnqueuedNotifications:
    """The ID of an event that was not recorded before, and the new notifications."""

    event_id: TeamEventId | None
    message_ids: list[MessageId]


def enqueue_notifications(session: WriteSession, content: NotificationContent) -> EnqueuedNotifications:
    """Record an event, and create a notification for each active channel with it that is not notified yet.

    What is only a status of a commit is sent to code hosts, and is not an event.
    """
    event_id = None if content.is_status_only else event_log.record_event(session, content)
    written = [
        _write(session, channel, content)
        for channel in queries.open_channels(session)
        if _subscribes_to(channel, content) and _has_subject_at(session, channel, content)
    ]
    notified = [one for one in written if one is not None]
    if notified or event_id is not None:
        schedule_cleanup(session)
    return EnqueuedNotifications(event_id, notified)


def schedule_cleanup(session: WriteSession) -> None:
    """Enqueue the deletion of old notifications for tomorrow, unless it is enqueued."""
    enqueue_unless_pending(session, DeleteOldNotifications(session.team_id), after_s=FORGET_AFTER_S)


def delete_old_notifications(session: WriteSession, now: datetime) -> int:
    """Delete notifications and events after their retention, and run again tomorrow while any are left.

    Pending notifications remain. Returns the number of deleted ones.
    """
    gone = queries.delete_finished_notifications(session, now - timedelta(days=RETENTION_DAYS))
    event_log.delete_old_events(session, now)
    queries.delete_old_interactions(session, now - timedelta(days=1))
    queries.delete_orphaned_issues(session)
    if queries.has_messages(session) or event_log.find_last_number(session) > 0:
        schedule_cleanup(session)
    return gone


def send_test_notification(session: WriteSession, channel_id: ChannelId, content: NotificationContent) -> Notification:
    """Send a test notification to a channel. Raises `ChannelNotFound`, `ChannelNotActive`."""
    channel = channels.get_channel(session, channel_id)
    if channel.state != ChannelState.ON:
        raise ChannelNotActive(f"The channel is {channel.state}.", remedy="Activate the channel first.")
    message_id = _write(session, channel, content)
    assert message_id is not None  # every test has a subject of its own
    return get_notification(session, message_id)


def messages(session: ReadSession, channel_id: ChannelId, after: After, limit: int) -> Sequence[Notification]:
    """Return the notifications of a channel, newest first. Raises `ChannelNotFound`."""
    channels.get_channel(session, channel_id)
    return queries.messages(session, channel_id, after, limit)


def get_notification(session: ReadSession, message_id: MessageId) -> Notification:
    """Return one notification. Raises `NotificationNotFound`."""
    row = queries.message(session, message_id)
    if row is None:
        raise NotificationNotFound("The team has no such notification.")
    return row


def redeliver_notification(session: WriteSession, message_id: MessageId) -> Notification:
    """Send a notification again, unchanged.

    Raises `NotificationNotFound`, `NotificationPending`, `ChannelNotActive`.
    """
    row = get_notification(session, message_id)
    if row.state == NotificationState.WAITING:
        raise NotificationPending("The notification is still pending; delivery is retried automatically.")
    channel = channels.get_channel(session, ChannelId(row.channel_id))
    if channel.state != ChannelState.ON:
        raise ChannelNotActive(f"The channel is {channel.state}.", remedy="Activate the channel first.")
    row.state, row.failures, row.next_attempt_at, row.problem = NotificationState.WAITING, 0, None, None
    row.job_id = enqueue(session, DeliverNotification(message_id))
    return row


def get_thread_comment_id(session: ReadSession, message: Notification) -> str | None:
    """Return the receiver's ID of the comment that a notification updates, if there is one."""
    return message.thread and queries.comment_of(session, ChannelId(message.channel_id), message.thread)


def is_outdated(session: ReadSession, message: Notification, kind: ChannelKind) -> bool:
    """Return whether a later event replaces it: a retry after the end would open an alert, or a pending status, again.

    The status of a commit is replaced by a later one of the same commit only: that of a former head is still closed.
    """
    content = NotificationContent.from_json(message.content)
    if message.thread is None or not (kind in ALERT_SERVICES or content.is_status_only):
        return False
    commit = content.build.commit if content.build is not None and content.is_status_only else None
    return queries.has_newer_in_thread(session, message, commit)


def must_wait(session: ReadSession, message: Notification, kind: ChannelKind) -> bool:
    """Return whether an earlier event of the incident is delivered first: its message is updated by later ones."""
    return kind in THREADED and message.thread is not None and queries.has_earlier_waiting_in_thread(session, message)


def record_delivered(session: WriteSession, message_id: MessageId, at: datetime, outside_id: str | None) -> None:
    """Record that a notification was delivered. Raises `NotificationNotFound`."""
    row = get_notification(session, message_id)
    row.state, row.sent_at, row.next_attempt_at, row.problem = NotificationState.SENT, at, None, None
    row.receiver_message_id = outside_id or row.receiver_message_id
    channel = queries.lock_channel(session, ChannelId(row.channel_id))
    assert channel is not None  # deleting the channel deletes its notifications
    channel.sent_at, channel.failing_since, channel.problem = at, None, None


def record_attempt_failed(
    session: WriteSession, message_id: MessageId, at: datetime, error: SlowpathError
) -> float | None:
    """Record a failed delivery. Returns the pause before the next; None: the notification is abandoned.

    A channel whose receiver is gone, or that failed for days, is disabled.
    """
    row = get_notification(session, message_id)
    channel = queries.lock_channel(session, ChannelId(row.channel_id))
    assert channel is not None  # deleting the channel deletes its notifications
    row.failures += 1
    row.problem = channel.problem = error.facts()
    channel.failing_since = channel.failing_since or at
    pause_s = pause_after(row.failures)
    if isinstance(error, ReceiverGone):
        channel.state = ChannelState.DISABLED
    if isinstance(error, ReceiverGone) or pause_s is None:
        abandon_notification(row)
        if is_dead((at - channel.failing_since).total_seconds()):
            channel.state = ChannelState.DISABLED
        return None
    row.next_attempt_at = at + timedelta(seconds=pause_s)
    return pause_s


def record_permanent_failure(session: WriteSession, message_id: MessageId, problem: dict[str, Any]) -> None:
    """Record a permanent rejection; the channel is not affected. Raises `NotificationNotFound`."""
    row = get_notification(session, message_id)
    row.problem = problem
    abandon_notification(row)


def abandon_notification(row: Notification) -> None:
    """Stop retrying a notification."""
    row.state, row.next_attempt_at = NotificationState.ABANDONED, None


def _subscribes_to(channel: NotificationChannel, content: NotificationContent) -> bool:
    if content.event not in channel.events:
        return False
    if ChannelKind(channel.kind) in CODE_HOSTS and content.event not in BUILD_EVENTS and not closes_issue(content):
        return False
    if ChannelKind(channel.kind) in PERSONAL and not content.is_announced:
        return False
    if content.is_status_only and ChannelKind(channel.kind) not in CODE_HOSTS:
        return False
    return channel.service_ids is None or str(content.service_id) in channel.service_ids


def _has_subject_at(session: ReadSession, channel: NotificationChannel, content: NotificationContent) -> bool:
    """Return whether the receiver has what the event is about: a code host has only issues that were created there."""
    if ChannelKind(channel.kind) not in CODE_HOSTS or content.event in BUILD_EVENTS:
        return True
    return issues.find_issue_number(session, ChannelId(channel.id), content) is not None


def _write(session: WriteSession, channel: NotificationChannel, content: NotificationContent) -> MessageId | None:
    message_id = MessageId(new_id())
    is_personal = ChannelKind(channel.kind) in PERSONAL  # a status and a comment are updated, a message is not repeated
    values = {
        "team_id": session.team_id,
        "id": message_id,
        "channel_id": channel.id,
        "event": content.event,
        "dedupe_key": content.announcement_key() if is_personal else content.dedupe_key(),
        "thread": content.thread(),
        "content": content.to_json(),
        "state": NotificationState.WAITING,
        "failures": 0,
    }
    once = insert(Notification).values(**values).on_conflict_do_nothing(constraint="uq_notification_once")
    if session.execute(once.returning(Notification.id)).scalar() is None:
        return None
    get_notification(session, message_id).job_id = JobId(enqueue(session, DeliverNotification(message_id)))
    return message_id
