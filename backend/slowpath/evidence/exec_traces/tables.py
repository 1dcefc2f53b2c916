"""Tables of decoded execution traces and their excerpts."""

from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint, Index, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped
from slowpath.evidence.exec_traces.rules import ExcerptState


class ExecutionTrace(TeamScoped, Table):
    """One decoded execution trace; it has the ID of its artifact."""

    __tablename__ = "execution_trace"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "id"], ["artifact.team_id", "artifact.id"], ondelete="CASCADE"),
        Index("ix_execution_trace_columns", "team_id", "columns_key"),
    )

    header_version: Mapped[str]
    """Version in the header of the file. It differs from the Go version: Go 1.23 and 1.24 write 1.23."""
    duration_ns: Mapped[int] = mapped_column(BigInteger)
    wall_start_ns: Mapped[int | None] = mapped_column(BigInteger)
    events: Mapped[int] = mapped_column(BigInteger)
    gomaxprocs: Mapped[int]
    recording: Mapped[str]
    unreadable_range: Mapped[dict[str, Any] | None]
    warnings: Mapped[list[Any]]
    columns_key: Mapped[str]
    columns_bytes: Mapped[int] = mapped_column(BigInteger)
    page_key: Mapped[str]
    """Blob key of the page of this trace: JSON, gzip."""
    tiles_key: Mapped[str | None]
    tiles: Mapped[dict[str, Any]]
    """Position of each tile in the tiles blob: {"index/level/number": [offset, length]}."""
    cpu_key: Mapped[str | None]
    """CPU samples as the columns of a profile; null if the trace has none."""
    delays_key: Mapped[str | None]
    """Scheduler latency by stack, as the columns of a profile."""


class TraceExcerpt(TeamScoped, Table):
    """A trace excerpt for download: the complete generations around a time range."""

    __tablename__ = "trace_excerpt"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "artifact_id"], ["execution_trace.team_id", "execution_trace.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        Index("ix_trace_excerpt_artifact", "team_id", "artifact_id"),
        CheckConstraint("state in ('waiting', 'running', 'done', 'failed', 'cancelled')", name="state"),
    )

    artifact_id: Mapped[UUID]
    from_ns: Mapped[int] = mapped_column(BigInteger)
    to_ns: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(default=ExcerptState.WAITING)
    problem: Mapped[dict[str, Any] | None]
    job_id: Mapped[UUID | None]
    blob_key: Mapped[str | None]
    size_bytes: Mapped[int | None] = mapped_column(BigInteger)
    file_name: Mapped[str | None]
    created_by: Mapped[UserId | None] = mapped_column(Uuid())
