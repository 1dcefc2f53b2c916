"""Tables of discussions, comments and mentions, and of what the activity feed does not show."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped


class Discussion(TeamScoped, Table):
    """The discussion of one subject. Created with the first comment; deleted with the subject."""

    __tablename__ = "discussion"
    __table_args__ = (
        CheckConstraint(
            "subject_kind in ('finding', 'comparison', 'build', 'report', 'trace', 'span-set', 'production-event', "
            "'regression')",
            name="subject_kind",
        ),
        UniqueConstraint("team_id", "subject_kind", "subject_id", "part", name="uq_discussion_subject"),
        ForeignKeyConstraint(
            ["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="SET NULL (service_id)"
        ),
        ForeignKeyConstraint(["team_id", "comparison_id"], ["comparison.team_id", "comparison.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "regression_id"], ["regression.team_id", "regression.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "production_event_id"], ["production_event.team_id", "production_event.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(["team_id", "build_id"], ["build.team_id", "build.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "artifact_id"], ["artifact.team_id", "artifact.id"], ondelete="CASCADE"),
        Index("ix_discussion_service", "team_id", "service_id"),
        Index("ix_discussion_comparison", "team_id", "comparison_id"),
        Index("ix_discussion_regression", "team_id", "regression_id"),
        Index("ix_discussion_production_event", "team_id", "production_event_id"),
        Index("ix_discussion_build", "team_id", "build_id"),
        Index("ix_discussion_artifact", "team_id", "artifact_id"),
    )

    subject_kind: Mapped[str]
    subject_id: Mapped[UUID]
    """For a finding: its comparison. No foreign key, as reports are in a package above; other columns cascade."""
    part: Mapped[str]
    """For a finding: its key in the comparison; otherwise empty."""
    title: Mapped[str]
    """Name of the subject at the last comment."""
    path: Mapped[str]
    """Address of its page, relative to the team's."""
    service_id: Mapped[UUID | None]
    comparison_id: Mapped[UUID | None]
    regression_id: Mapped[UUID | None]
    production_event_id: Mapped[UUID | None]
    build_id: Mapped[UUID | None]
    artifact_id: Mapped[UUID | None]


class Comment(TeamScoped, Table):
    """A comment. Deleting it deletes the text; with replies, the entry remains."""

    __tablename__ = "comment"
    __table_args__ = (
        CheckConstraint("author_kind in ('token', 'user')", name="author_kind"),
        ForeignKeyConstraint(["team_id", "discussion_id"], ["discussion.team_id", "discussion.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "parent_id"], ["comment.team_id", "comment.id"], ondelete="CASCADE"),
        Index("ix_comment_discussion", "team_id", "discussion_id", "created_at", "id"),
        Index("ix_comment_newest", "team_id", "created_at", "id"),
        Index("ix_comment_parent", "team_id", "parent_id"),
    )

    discussion_id: Mapped[UUID]
    parent_id: Mapped[UUID | None]
    """The first comment of its thread; None for that one."""
    author_kind: Mapped[str]
    author_id: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)
    """None: written by a token, or the user was deleted."""
    author_name: Mapped[str]
    """The author's name at that time."""
    text: Mapped[str]
    """Markdown."""
    edited_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]


class HiddenActivity(TeamScoped, Table):
    """An event of the audit log (`id`) that the activity feed does not show: its subject was example data that was removed."""

    __tablename__ = "hidden_activity"


class Mention(TeamScoped, Table):
    """A mention of a user in a comment."""

    __tablename__ = "mention"
    __table_args__ = (
        UniqueConstraint("team_id", "comment_id", "user_id", name="uq_mention_once"),
        ForeignKeyConstraint(["team_id", "discussion_id"], ["discussion.team_id", "discussion.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "comment_id"], ["comment.team_id", "comment.id"], ondelete="CASCADE"),
        Index("ix_mention_newest", "team_id", "user_id", "created_at", "id"),
        Index("ix_mention_discussion", "team_id", "discussion_id"),
    )

    discussion_id: Mapped[UUID]
    comment_id: Mapped[UUID]
    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), index=True)
    read_at: Mapped[datetime | None]
    mail_begun_at: Mapped[datetime | None]
    mailed_at: Mapped[datetime | None]
