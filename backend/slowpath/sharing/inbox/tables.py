"""Tables of the triage of inbox items, of what members have read, and of saved views."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped


class InboxTriage(TeamScoped, Table):
    """What users decided about an item that its subject does not store itself."""

    __tablename__ = "inbox_triage"
    __table_args__ = (
        UniqueConstraint("team_id", "kind", "subject_id", name="uq_inbox_triage_subject"),
        CheckConstraint(
            "kind in ('production-event', 'regression', 'bisect', 'channel', 'metric-source')", name="kind"
        ),
        CheckConstraint("snooze_rule in ('time', 'next-deployment', 'next-occurrence')", name="snooze_rule"),
        Index("ix_inbox_triage_merged", "team_id", "kind", "merged_into_id"),
    )

    kind: Mapped[str]
    subject_id: Mapped[UUID]
    """No foreign key: subjects are of five tables. Retention deletes rows without a subject."""
    snooze_rule: Mapped[str | None]
    snooze_until: Mapped[datetime | None]
    snoozed_at: Mapped[datetime | None]
    mute_reason: Mapped[str | None]
    merged_into_id: Mapped[UUID | None]
    """An item of the same kind."""
    assignee_id: Mapped[UserId | None] = mapped_column(Uuid())
    """Of kinds whose subject has no assignee."""
    due_on: Mapped[date | None]
    """Of kinds whose subject has no due date."""


class InboxReadMark(TeamScoped, Table):
    """What a member saw of an item when they read it: it is unread again when this differs from the item.

    Retention deletes the rows of items that are no longer listed, so a member has at most one per listed item.
    """

    __tablename__ = "inbox_read_mark"
    __table_args__ = (
        UniqueConstraint("team_id", "user_id", "kind", "subject_id", name="uq_inbox_read_mark_subject"),
        CheckConstraint(
            "kind in ('production-event', 'regression', 'bisect', 'channel', 'metric-source')", name="kind"
        ),
        ForeignKeyConstraint(["team_id", "user_id"], ["membership.team_id", "membership.user_id"], ondelete="CASCADE"),
    )

    user_id: Mapped[UserId] = mapped_column(Uuid())
    kind: Mapped[str]
    subject_id: Mapped[UUID]
    """No foreign key: subjects are of five tables."""
    state: Mapped[str]
    severity: Mapped[str]
    occurred_at: Mapped[datetime]
    read_at: Mapped[datetime]
    """By the clock of the database, as the times of comments are."""


class InboxView(TeamScoped, Table):
    """Saved filters of the inbox, of a user or shared with the team."""

    __tablename__ = "inbox_view"
    __table_args__ = (
        UniqueConstraint("team_id", "user_id", "name", name="uq_inbox_view_name"),
        Index("ix_inbox_view_newest", "team_id", "created_at", "id"),
    )

    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    filters: Mapped[str]
    """The query string of the page."""
    is_shared: Mapped[bool]
