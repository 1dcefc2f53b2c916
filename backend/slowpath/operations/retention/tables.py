"""Retention rules of a team, and what was counted of its storage and usage."""

from datetime import date
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

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
