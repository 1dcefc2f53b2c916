"""Tables of subscriptions, schedules of mails, and mails that are not sent yet."""

import json
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped
from slowpath.sharing.subscriptions.rules import DEFAULT_EVENTS


class ServiceSubscription(TeamScoped, Table):
    """A user who wants the events of a service, or of all services."""

    __tablename__ = "service_subscription"
    __table_args__ = (
        UniqueConstraint(
            "team_id",
            "service_id",
            "user_id",
            name="uq_service_subscription_once",
            postgresql_nulls_not_distinct=True,
        ),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        CheckConstraint("min_severity in ('low', 'medium', 'high')", name="min_severity"),
    )

    service_id: Mapped[UUID | None]
    """Null: all services without a subscription of the same user."""
    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), index=True)
    events: Mapped[list[Any]] = mapped_column(server_default=text(f"'{json.dumps(DEFAULT_EVENTS)}'"))
    min_severity: Mapped[str] = mapped_column(server_default=text("'low'"))
    """Of production events; other events have no severity."""


class MailSchedule(TeamScoped, Table):
    """When a user wants the mails of their subscriptions in a team. Without a row: at once."""

    __tablename__ = "mail_schedule"
    __table_args__ = (
        UniqueConstraint("team_id", "user_id", name="uq_mail_schedule_user"),
        CheckConstraint("frequency in ('immediate', 'daily', 'weekly')", name="frequency"),
    )

    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), index=True)
    frequency: Mapped[str]
    digest_hour: Mapped[int]
    digest_weekday: Mapped[int]
    quiet_from: Mapped[str | None]
    quiet_to: Mapped[str | None]
    is_high_severity_immediate: Mapped[bool]
    time_zone: Mapped[str]


class SubscriberMail(TeamScoped, Table):
    """A mail of one event to one subscriber that is not sent yet. Sending it deletes the row."""

    __tablename__ = "subscriber_mail"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "subscription_id"],
            ["service_subscription.team_id", "service_subscription.id"],
            ondelete="CASCADE",
        ),
        ForeignKeyConstraint(["team_id", "event_id"], ["team_event.team_id", "team_event.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        UniqueConstraint("team_id", "subscription_id", "event_id", name="uq_subscriber_mail_once"),
        Index("ix_subscriber_mail_event", "team_id", "event_id"),
        Index("ix_subscriber_mail_job", "team_id", "job_id"),
    )

    subscription_id: Mapped[UUID]
    event_id: Mapped[UUID]
    is_held: Mapped[bool]
    """Whether it is sent together with others."""
    due_at: Mapped[datetime]
    job_id: Mapped[UUID | None]
    """The job that sends it together with others."""
