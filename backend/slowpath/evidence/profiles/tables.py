"""Decoded profiles."""

from typing import Any

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class Profile(TeamScoped, Table):
    """One decoded profile; it has the ID of its artifact."""

    __tablename__ = "profile"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "id"], ["artifact.team_id", "artifact.id"], ondelete="CASCADE"),
        Index("ix_profile_columns", "team_id", "columns_key"),
    )

    kind: Mapped[str]
    """cpu, heap, allocs, mutex, block, goroutine, threadcreate or other."""
    sample_types: Mapped[list[Any]]
    """[{"type", "unit"}], in the order of the file."""
    default_sample_type: Mapped[int]
    period: Mapped[int] = mapped_column(BigInteger)
    period_type: Mapped[dict[str, Any]]
    time_ns: Mapped[int] = mapped_column(BigInteger)
    duration_ns: Mapped[int] = mapped_column(BigInteger)
    mappings: Mapped[list[Any]]
    counts: Mapped[dict[str, Any]]
    warnings: Mapped[list[Any]]
    columns_key: Mapped[str]
    """Blob key of the decoded columns."""
    columns_bytes: Mapped[int] = mapped_column(BigInteger)
