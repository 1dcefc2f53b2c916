"""Decoded benchmark output."""

from typing import Any

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class BenchmarkOutput(TeamScoped, Table):
    """One file of benchmark output; it has the ID of its artifact."""

    __tablename__ = "benchmark_output"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "id"], ["artifact.team_id", "artifact.id"], ondelete="CASCADE"),
        Index("ix_benchmark_output_columns", "team_id", "columns_key"),
    )

    results: Mapped[int]
    benchmarks: Mapped[int]
    units: Mapped[list[Any]]
    warnings: Mapped[list[Any]]
    columns_key: Mapped[str]
    columns_bytes: Mapped[int] = mapped_column(BigInteger)
