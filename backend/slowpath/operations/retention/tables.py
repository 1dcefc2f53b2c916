"""For how long a team keeps what; what was counted; exports of everything."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped


class RetentionRule(TeamScoped, Table):
    """For how many days a team keeps files of a kind, or its log; without a row the default holds."""

    __tablename__ = "retention_rule"
    __table_args__ = (UniqueConstraint("team_id", "kind"), CheckConstraint("days > 0", name="days"))

    kind: Mapped[str]
    days: Mapped[int | None]
    """None is for ever."""


class StorageSnapshot(TeamScoped, Table):
    """What the blob store held of a team at a time: {folder: [blobs, bytes]}."""

    __tablename__ = "storage_snapshot"
    __table_args__ = (Index("ix_storage_snapshot_newest", "team_id", "created_at"),)

    folders: Mapped[dict[str, Any]]
    deleted_blobs: Mapped[int]
    """How many blobs that no row needed were removed."""


class UsageDay(TeamScoped, Table):
    """What a team used on one day (UTC). Sums outlive what they were counted from."""

    __tablename__ = "daily_usage"
    __table_args__ = (UniqueConstraint("team_id", "day"),)

    day: Mapped[date]
    uploads: Mapped[int]
    upload_bytes: Mapped[int] = mapped_column(BigInteger)
    samples: Mapped[int] = mapped_column(BigInteger)
    jobs: Mapped[int]
    builds: Mapped[int]
    """Builds that were judged."""


class TeamExport(TeamScoped, Table):
    """All data of a team in one file, for some days."""

    __tablename__ = "team_export"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        Index("ix_team_export_newest", "team_id", "created_at", "id"),
        CheckConstraint("state in ('waiting', 'running', 'done', 'failed', 'cancelled')", name="state"),
    )

    state: Mapped[str] = mapped_column(default="waiting")
    problem: Mapped[dict[str, Any] | None]
    job_id: Mapped[UUID | None]
    blob_key: Mapped[str | None]
    size_bytes: Mapped[int | None] = mapped_column(BigInteger)
    sha256: Mapped[str | None]
    files: Mapped[int | None]
    """Originals that are in it."""
    missing: Mapped[int | None]
    """Originals that were gone when they were to be put in."""
    expires_at: Mapped[datetime | None]
    created_by: Mapped[UserId | None] = mapped_column(Uuid())
