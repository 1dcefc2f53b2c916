"""Reports, what was published of them, and the links by which they are seen signed out."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped


class Report(TeamScoped, Table):
    """A report as it is being written."""

    __tablename__ = "report"
    __table_args__ = (
        UniqueConstraint("team_id", "number", name="uq_report_number"),
        Index("ix_report_newest", "team_id", "created_at", "id"),
    )

    number: Mapped[int]
    """Counts up inside the team; how people call it."""
    title: Mapped[str]
    blocks: Mapped[list[Any]]
    """The draft, as `rules.blocks_json` has it. The bytes of answers are blobs beneath the report."""
    version: Mapped[int] = mapped_column(default=0)
    """The newest that was published; 0: none."""
    published_at: Mapped[datetime | None]
    changed_at: Mapped[datetime]
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)


class ReportVersion(TeamScoped, Table):
    """A report as it was published; never changed."""

    __tablename__ = "report_version"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "report_id"], ["report.team_id", "report.id"], ondelete="CASCADE"),
        UniqueConstraint("team_id", "report_id", "version", name="uq_report_version_once"),
    )

    report_id: Mapped[UUID]
    version: Mapped[int]
    title: Mapped[str]
    blocks: Mapped[list[Any]]
    published_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)


class ShareLink(TeamScoped, Table):
    """An address by which whoever knows it sees a report."""

    __tablename__ = "share_link"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "report_id"], ["report.team_id", "report.id"], ondelete="CASCADE"),
        Index("ix_share_link_newest", "team_id", "report_id", "created_at", "id"),
    )

    report_id: Mapped[UUID]
    name: Mapped[str]
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(), unique=True)
    version: Mapped[int | None]
    """Which is shown; null: the newest."""
    scrub: Mapped[dict[str, Any]]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    views: Mapped[int] = mapped_column(default=0)
    last_viewed_at: Mapped[datetime | None]
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)


class ShareSettings(TeamScoped, Table):
    """The team-wide switch of share links; a team without a row allows them."""

    __tablename__ = "share_settings"
    __table_args__ = (UniqueConstraint("team_id"),)

    are_links_allowed: Mapped[bool]
