"""Channels, and what was told through them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, LargeBinary, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped
from slowpath.sharing.notifications.rules import ChannelState, NotificationState


class NotificationChannel(TeamScoped, Table):
    """Where a team wants to be told, of what, and how that has been going."""

    __tablename__ = "notification_channel"
    __table_args__ = (
        CheckConstraint("kind in ('slack', 'email', 'webhook', 'github', 'gitlab')", name="kind"),
        CheckConstraint("state in ('on', 'off', 'disabled-after-failures')", name="state"),
        Index("ix_notification_channel_newest", "team_id", "created_at", "id"),
    )

    kind: Mapped[str]
    label: Mapped[str]
    """How people call it."""
    target: Mapped[dict[str, Any]]
    """What may be shown of where it ends: {"url"}, {"to": [...]}, {"api_url", "repository"}, {"host"}."""
    encrypted_secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    """The address of a Slack hook, the signing secret of a webhook, a code host's token: encrypted for this row."""
    events: Mapped[list[Any]]
    service_ids: Mapped[list[Any] | None]
    """As texts; null: all services."""
    state: Mapped[str] = mapped_column(default=ChannelState.ON)
    failing_since: Mapped[datetime | None]
    problem: Mapped[dict[str, Any] | None]
    """Why the last message did not arrive; null when it did."""
    sent_at: Mapped[datetime | None]
    """When something last arrived."""
    created_by: Mapped[UserId | None] = mapped_column(Uuid())


class Notification(TeamScoped, Table):
    """One event told through one channel. At least once: who is told knows a repeated one by its id."""

    __tablename__ = "notification"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "channel_id"], ["notification_channel.team_id", "notification_channel.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        UniqueConstraint("team_id", "channel_id", "dedupe_key", name="uq_notification_once"),
        CheckConstraint("state in ('waiting', 'sent', 'abandoned')", name="state"),
        Index("ix_notification_newest", "team_id", "channel_id", "created_at", "id"),
        Index("ix_notification_thread", "team_id", "channel_id", "thread"),
    )

    channel_id: Mapped[UUID]
    event: Mapped[str]
    dedupe_key: Mapped[str]
    thread: Mapped[str | None]
    """What the comments of one pull request have in common."""
    content: Mapped[dict[str, Any]]
    """`Told` as it was in the moment of the event."""
    state: Mapped[str] = mapped_column(default=NotificationState.WAITING)
    failures: Mapped[int] = mapped_column(default=0)
    next_attempt_at: Mapped[datetime | None]
    """When it is tried again."""
    problem: Mapped[dict[str, Any] | None]
    sent_at: Mapped[datetime | None]
    receiver_message_id: Mapped[str | None]
    """What the other side calls it: the id of a comment."""
    job_id: Mapped[UUID | None]
