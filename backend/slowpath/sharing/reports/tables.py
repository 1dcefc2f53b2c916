"""Tables of reports, their versions, and share links."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, ForeignKey, ForeignKeyConstraint, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped


class Report(TeamScoped, Table):
    """A report and its draft."""

    __tablename__ = "report"
    __table_args__ = (
        UniqueConstraint("team_id", "number", name="uq_report_number"),
        Index("ix_report_newest", "team_id", "created_at", "id"),
    )

    number: Mapped[int]
    """Counts up within the team; users refer to reports by it."""
    title: Mapped[str]
    blocks: Mapped[list[Any]]
    """The draft, in the format of `rules.blocks_json`. The responses are blobs in the folder of the report."""
    version: Mapped[int] = mapped_column(default=0)
    """The newest published version; 0: none."""
    published_at: Mapped[datetime | None]
    changed_at: Mapped[datetime]
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)


class ReportVersion(TeamScoped, Table):
    """A published version of a report; never changed."""

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
    """A link whose holder can see a report without signing in."""

    __tablename__ = "share_link"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "report_id"], ["report.team_id", "report.id"], ondelete="CASCADE"),
        Index("ix_share_link_newest", "team_id", "report_id", "created_at", "id"),
    )

    report_id: Mapped[UUID]
    name: Mapped[str]
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(), unique=True)
    version: Mapped[int | None]
    """The shown version; null: the newest."""
    scrub: Mapped[dict[str, Any]]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    views: Mapped[int] = mapped_column(default=0)
    last_viewed_at: Mapped[datetime | None]
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)


class ShareSettings(TeamScoped, Table):
    """What the team allows outside of Slowpath; a team without a row allows share links, and embeds nothing."""

    __tablename__ = "share_settings"
    __table_args__ = (UniqueConstraint("team_id"),)

    are_links_allowed: Mapped[bool] = mapped_column(default=True)
    embedding_origins: Mapped[list[str]] = mapped_column(ARRAY(String), default=list, server_default="{}")
    """Origins of the sites that may show embedded panels in a frame."""
    dashboard_url: Mapped[str] = mapped_column(default="", server_default="")
    """Template of the address of the team's dashboard in Grafana, with variables; empty: none."""
