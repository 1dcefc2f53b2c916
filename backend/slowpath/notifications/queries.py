"""Every SELECT of notifications."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, select, tuple_

from slowpath.core.ids import ChannelId, MessageId
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.notifications.rules import ChannelState, MessageState
from slowpath.notifications.tables import Channel, Message

After = tuple[datetime, UUID] | None


def channels(session: ReadSession, after: After, limit: int) -> Sequence[Channel]:
    """Return channels newest first, by ix_channel_newest."""
    found = select(Channel).where(Channel.team_id == session.team_id)
    found = found.order_by(Channel.created_at.desc(), Channel.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(Channel.created_at, Channel.id) < after)
    return session.scalars(found).all()


def channel(session: ReadSession, channel_id: ChannelId) -> Channel | None:
    """Return one channel, by primary key."""
    return session.get(Channel, (session.team_id, channel_id))


def held(session: ReadSession, channel_id: ChannelId) -> Channel | None:
    """Return one channel that nobody else changes until the transaction ends, by primary key."""
    return session.get(Channel, (session.team_id, channel_id), with_for_update=True, populate_existing=True)


def count(session: ReadSession) -> int:
    """Return how many channels the team has, by ix_channel_newest."""
    return session.scalars(select(func.count()).select_from(Channel).where(Channel.team_id == session.team_id)).one()


def open_channels(session: ReadSession) -> Sequence[Channel]:
    """Return the channels that are on, oldest first, by ix_channel_newest."""
    found = select(Channel).where(Channel.team_id == session.team_id, Channel.state == ChannelState.ON)
    return session.scalars(found.order_by(Channel.created_at, Channel.id)).all()


def messages(session: ReadSession, channel_id: ChannelId, after: After, limit: int) -> Sequence[Message]:
    """Return what was told through a channel, newest first, by ix_message_newest."""
    found = select(Message).where(Message.team_id == session.team_id, Message.channel_id == channel_id)
    found = found.order_by(Message.created_at.desc(), Message.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(Message.created_at, Message.id) < after)
    return session.scalars(found).all()


def message(session: ReadSession, message_id: MessageId) -> Message | None:
    """Return one message, by primary key."""
    return session.get(Message, (session.team_id, message_id))


def comment_of(session: ReadSession, channel_id: ChannelId, thread: str) -> str | None:
    """Return what the other side calls the comment of a thread, by ix_message_thread."""
    found = select(Message.outside_id).where(
        Message.team_id == session.team_id,
        Message.channel_id == channel_id,
        Message.thread == thread,
        Message.outside_id.is_not(None),
    )
    return session.scalars(found.order_by(Message.created_at.desc()).limit(1)).first()


def forget(session: WriteSession, before: datetime) -> int:
    """Delete messages from before a time that wait for nothing, channel by channel by ix_message_newest."""
    gone = 0
    for channel_id in session.scalars(select(Channel.id).where(Channel.team_id == session.team_id)).all():
        statement = delete(Message).where(
            Message.team_id == session.team_id,
            Message.channel_id == channel_id,
            Message.created_at < before,
            Message.state != MessageState.WAITING,
        )
        told = statement.returning(Message.id).execution_options(synchronize_session=False)
        gone += len(session.scalars(told).all())
    return gone


def has_messages(session: ReadSession) -> bool:
    """Tell whether anything is known to have been told, by ix_message_newest."""
    return session.scalar(select(Message.id).where(Message.team_id == session.team_id).limit(1)) is not None
