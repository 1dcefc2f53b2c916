"""An event becomes messages: one for each channel that wants it, however often the event is told."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.errors import SlowpathError
from slowpath.core.ids import ChannelId, JobId, MessageId, new_id
from slowpath.core.jobs import enqueue, enqueue_once
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.notifications import queries
from slowpath.notifications.errors import ChannelNotOn, Gone, MessageNotFound, MessageWaits
from slowpath.notifications.jobs import Deliver, ForgetMessages
from slowpath.notifications.queries import After
from slowpath.notifications.rules import (
    CODE_HOSTS,
    FORGET_AFTER_S,
    KEPT_DAYS,
    TOLD_OF_BUILDS,
    ChannelKind,
    ChannelState,
    MessageState,
    Told,
    is_dead,
    pause_after,
)
from slowpath.notifications.service import keeping
from slowpath.notifications.tables import Channel, Message


def tell(session: WriteSession, told: Told) -> list[MessageId]:
    """Write a message for each open channel that wants the event; those that were told of it before are left out."""
    written = [_write(session, channel, told) for channel in queries.open_channels(session) if _wants(channel, told)]
    told_to = [one for one in written if one is not None]
    if told_to:
        forget_later(session)
    return told_to


def forget_later(session: WriteSession) -> None:
    """Have what is old deleted tomorrow, unless that is to be done anyway."""
    enqueue_once(session, ForgetMessages(session.team_id), after_s=FORGET_AFTER_S)


def forget_old(session: WriteSession, now: datetime) -> int:
    """Delete what was told longer ago than it is kept, and look again tomorrow while there is something.

    What is still on its way stays. Returns how many are gone.
    """
    gone = queries.forget(session, now - timedelta(days=KEPT_DAYS))
    if queries.has_messages(session):
        forget_later(session)
    return gone


def test(session: WriteSession, channel_id: ChannelId, told: Told) -> Message:
    """Send a channel a word of trial. Raises `ChannelNotFound`, `ChannelNotOn`."""
    channel = keeping.find(session, channel_id)
    if channel.state != ChannelState.ON:
        raise ChannelNotOn(f"The channel is {channel.state}.", remedy="Turn it on first.")
    message_id = _write(session, channel, told)
    assert message_id is not None  # every trial has a subject of its own
    return find(session, message_id)


def messages(session: ReadSession, channel_id: ChannelId, after: After, limit: int) -> Sequence[Message]:
    """Return what was told through a channel, newest first. Raises `ChannelNotFound`."""
    keeping.find(session, channel_id)
    return queries.messages(session, channel_id, after, limit)


def find(session: ReadSession, message_id: MessageId) -> Message:
    """Return one message. Raises `MessageNotFound`."""
    row = queries.message(session, message_id)
    if row is None:
        raise MessageNotFound("There is no such message in this team.")
    return row


def tell_again(session: WriteSession, message_id: MessageId) -> Message:
    """Send a message once more, as it was. Raises `MessageNotFound`, `MessageWaits`, `ChannelNotOn`."""
    row = find(session, message_id)
    if row.state == MessageState.WAITING:
        raise MessageWaits("The message has not arrived yet and is tried again by itself.")
    channel = keeping.find(session, ChannelId(row.channel_id))
    if channel.state != ChannelState.ON:
        raise ChannelNotOn(f"The channel is {channel.state}.", remedy="Turn it on first.")
    row.state, row.failures, row.next_at, row.problem = MessageState.WAITING, 0, None, None
    row.job_id = enqueue(session, Deliver(message_id))
    return row


def comment_of(session: ReadSession, message: Message) -> str | None:
    """Return what the other side calls the comment to which a message belongs, if one was made."""
    return message.thread and queries.comment_of(session, ChannelId(message.channel_id), message.thread)


def arrived(session: WriteSession, message_id: MessageId, at: datetime, outside_id: str | None) -> None:
    """Write down that a message arrived. Raises `MessageNotFound`."""
    row = find(session, message_id)
    row.state, row.sent_at, row.next_at, row.problem = MessageState.SENT, at, None, None
    row.outside_id = outside_id or row.outside_id
    channel = queries.held(session, ChannelId(row.channel_id))
    assert channel is not None  # its messages are deleted with it
    channel.sent_at, channel.failing_since, channel.problem = at, None, None


def failed(session: WriteSession, message_id: MessageId, at: datetime, error: SlowpathError) -> float | None:
    """Write down that a message did not arrive this time; returns how long to wait, None: it is given up.

    A channel whose receiver is gone, or that has been failing for days, is dead from then on.
    """
    row = find(session, message_id)
    channel = queries.held(session, ChannelId(row.channel_id))
    assert channel is not None  # its messages are deleted with it
    row.failures += 1
    row.problem = channel.problem = error.facts()
    channel.failing_since = channel.failing_since or at
    pause_s = pause_after(row.failures)
    if isinstance(error, Gone):
        channel.state = ChannelState.DEAD
    if isinstance(error, Gone) or pause_s is None:
        give_up(row)
        if is_dead((at - channel.failing_since).total_seconds()):
            channel.state = ChannelState.DEAD
        return None
    row.next_at = at + timedelta(seconds=pause_s)
    return pause_s


def refused(session: WriteSession, message_id: MessageId, problem: dict[str, Any]) -> None:
    """Write down that a message will never arrive; the channel is none the worse for it. Raises `MessageNotFound`."""
    row = find(session, message_id)
    row.problem = problem
    give_up(row)


def give_up(row: Message) -> None:
    """Try a message no more."""
    row.state, row.next_at = MessageState.GIVEN_UP, None


def _wants(channel: Channel, told: Told) -> bool:
    if told.event not in channel.events:
        return False
    if ChannelKind(channel.kind) in CODE_HOSTS and told.event not in TOLD_OF_BUILDS:
        return False
    return channel.service_ids is None or str(told.service_id) in channel.service_ids


def _write(session: WriteSession, channel: Channel, told: Told) -> MessageId | None:
    message_id = MessageId(new_id())
    values = {
        "team_id": session.team_id,
        "id": message_id,
        "channel_id": channel.id,
        "event": told.event,
        "dedupe_key": told.dedupe_key(),
        "thread": told.thread(),
        "content": told.to_json(),
        "state": MessageState.WAITING,
        "failures": 0,
    }
    once = insert(Message).values(**values).on_conflict_do_nothing(constraint="uq_message_once")
    if session.execute(once.returning(Message.id)).scalar() is None:
        return None
    find(session, message_id).job_id = JobId(enqueue(session, Deliver(message_id)))
    return message_id
