"""Tables of retention rules, storage snapshots and daily usage."""

from datetime import date
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class RetentionRule(TeamScoped, Table):
    """Retention of one kind in days. Without a row, the default applies."""

    __tablename__ = "retention_rule"
    __table_args__ = (UniqueConstraint("team_id", "kind"), CheckConstraint("days > 0", name="days"))

    kind: Mapped[str]
    days: Mapped[int | None]
    """None means unlimited."""


class StorageSnapshot(TeamScoped, Table):
    """Storage of a team at a time: {folder: [blobs, bytes]}."""

    __tablename__ = "storage_snapshot"
    __table_args__ = (Index("ix_storage_snapshot_newest", "team_id", "created_at"),)

    folders: Mapped[dict[str, Any]]
    deleted_blobs: Mapped[int]
    """Number of blobs that this maintenance deleted."""


class UsageDay(TeamScoped, Table):
    """Usage of a team on one day (UTC). Counts remain when the counted rows are deleted."""

    __tablename__ = "daily_usage"
    __table_args__ = (UniqueConstraint("team_id", "day"),)

    day: Mapped[date]
    uploads: Mapped[int]
    upload_bytes: Mapped[int] = mapped_column(BigInteger)
    samples: Mapped[int] = mapped_column(BigInteger)
    jobs: Mapped[int]
    builds: Mapped[int]
    """Evaluated builds."""
