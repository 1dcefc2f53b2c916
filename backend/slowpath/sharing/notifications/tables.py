"""Tables of notification channels and notifications."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped
from slowpath.sharing.notifications.rules import ChannelState, NotificationState


class NotificationChannel(TeamScoped, Table):
    """A notification channel: destination, events, and state of its deliveries."""

    __tablename__ = "notification_channel"
    __table_args__ = (
        CheckConstraint(
            "kind in ('slack', 'slack-app', 'email', 'webhook', 'github', 'gitlab', 'pagerduty', 'opsgenie', 'teams',"
            " 'grafana')",
            name="kind",
        ),
        CheckConstraint("state in ('on', 'off', 'disabled-after-failures')", name="state"),
        Index("ix_notification_channel_newest", "team_id", "created_at", "id"),
    )

    kind: Mapped[str]
    label: Mapped[str]
    """Its name in the UI."""
    target: Mapped[dict[str, Any]]
    """The destination without secrets: {"url"}, {"to": [...]}, {"api_url", "repository"}, {"host"},
    {"api_url", "conversation"}."""
    encrypted_secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    """URL of a Slack or Teams webhook, token and signing secret of a Slack app, signing secret of a webhook, token of a
    code host or of Grafana, or key of an alert service: encrypted for this row."""
    events: Mapped[list[Any]]
    service_ids: Mapped[list[Any] | None]
    """As texts; null: all services."""
    state: Mapped[str] = mapped_column(default=ChannelState.ON)
    failing_since: Mapped[datetime | None]
    problem: Mapped[dict[str, Any] | None]
    """Why the last delivery failed; null after a success."""
    sent_at: Mapped[datetime | None]
    """Time of the last successful delivery."""
    created_by: Mapped[UserId | None] = mapped_column(Uuid())


class Notification(TeamScoped, Table):
    """One event sent to one channel, at least once: receivers recognize a repetition by its ID."""

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
    """The key that the events of one incident or pull request share."""
    content: Mapped[dict[str, Any]]
    """`NotificationContent` as of the time of the event."""
    state: Mapped[str] = mapped_column(default=NotificationState.WAITING)
    failures: Mapped[int] = mapped_column(default=0)
    next_attempt_at: Mapped[datetime | None]
    """Time of the next attempt."""
    problem: Mapped[dict[str, Any] | None]
    sent_at: Mapped[datetime | None]
    receiver_message_id: Mapped[str | None]
    """The receiver's ID of it: the ID of a comment."""
    job_id: Mapped[UUID | None]


class TeamEvent(TeamScoped, Table):
    """One event of the team, recorded once with or without channels."""

    __tablename__ = "team_event"
    __table_args__ = (
        UniqueConstraint("team_id", "number", name="uq_team_event_number"),
        UniqueConstraint("team_id", "dedupe_key", name="uq_team_event_once"),
        Index("ix_team_event_newest", "team_id", "created_at", "id"),
    )

    number: Mapped[int] = mapped_column(BigInteger)
    """Counts up within the team in the order of the commits: a reader that has a number has all smaller ones."""
    event: Mapped[str]
    dedupe_key: Mapped[str]
    content: Mapped[dict[str, Any]]
    """`NotificationContent` as of the time of the event."""
    is_hidden: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    """Whether its subject was removed with the example data: only the newest event remains then, for its number."""


class SlackInteraction(TeamScoped, Table):
    """A request of Slack that was accepted. The same request is refused as long as its time is accepted."""

    __tablename__ = "slack_interaction"
    __table_args__ = (
        UniqueConstraint("team_id", "channel_id", "digest", name="uq_slack_interaction_once"),
        ForeignKeyConstraint(
            ["team_id", "channel_id"], ["notification_channel.team_id", "notification_channel.id"], ondelete="CASCADE"
        ),
        Index("ix_slack_interaction_newest", "team_id", "created_at", "id"),
    )

    channel_id: Mapped[UUID]
    digest: Mapped[str]
    """SHA-256 of its time and body."""


class LinkedIssue(TeamScoped, Table):
    """The issue of a production event or regression at a code host."""

    __tablename__ = "linked_issue"
    __table_args__ = (
        UniqueConstraint("team_id", "kind", "subject_id", name="uq_linked_issue_subject"),
        ForeignKeyConstraint(
            ["team_id", "channel_id"],
            ["notification_channel.team_id", "notification_channel.id"],
            ondelete="SET NULL (channel_id)",
        ),
        CheckConstraint("kind in ('production-event', 'regression')", name="kind"),
        CheckConstraint("state in ('creating', 'created', 'failed')", name="state"),
        Index("ix_linked_issue_channel", "team_id", "channel_id"),
    )

    kind: Mapped[str]
    subject_id: Mapped[UUID]
    """No foreign key: subjects are of two tables. Retention deletes rows without a subject."""
    channel_id: Mapped[UUID | None]
    """The channel whose repository and token are used; null after its deletion."""
    state: Mapped[str]
    number: Mapped[int | None] = mapped_column(BigInteger)
    url: Mapped[str | None]
    problem: Mapped[dict[str, Any] | None]
    """Why it was not created."""
