"""Tables of comparisons, their artifacts, views and exports."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, Uuid, text
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped
from slowpath.evidence.profiles.tables import STATES, VIEW_STATES, StoredExport, StoredView
from slowpath.verdicts.comparisons.rules import ComparisonOrigin, ComparisonState


class Comparison(TeamScoped, Table):
    """A comparison of base with candidate artifacts, and its result."""

    __tablename__ = "comparison"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        Index("ix_comparison_newest", "team_id", "created_at", "id"),
        Index("ix_comparison_listed", "team_id", "created_at", "id", postgresql_where=text("origin <> 'build'")),
        Index("ix_comparison_created_by", "team_id", "created_by", "created_at"),
        CheckConstraint(STATES, name="state"),
        CheckConstraint("origin in ('manual', 'regression', 'build')", name="origin"),
    )

    name: Mapped[str]
    base_label: Mapped[str]
    candidate_label: Mapped[str]
    origin: Mapped[str] = mapped_column(default=ComparisonOrigin.MANUAL, server_default=ComparisonOrigin.MANUAL)
    state: Mapped[str] = mapped_column(default=ComparisonState.WAITING)
    verdict: Mapped[str | None]
    headline: Mapped[str | None]
    result: Mapped[dict[str, Any] | None]
    """`slowpath.comparison/2`, or version 1 in older rows: read it by `comparison_results.find_document`."""
    artifact_kinds: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    """Blob keys of the results by artifact kind: {"traces": key, ...}."""
    time_ranges: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    """Time ranges of metrics by side: {"base": {"service_id", "environment_id", "from_ms", "to_ms"}, ...}; a side may have none."""
    side_labels: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    """Label matchers by side: {"base": [{"key", "value"}, ...], ...}; a side without any has all samples."""
    sources: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    """Source by side, and what it was resolved to: {"base": {"source": {"type", ...}, "build_id", "left_out"}, ...}; a side may have none."""
    problem: Mapped[dict[str, Any] | None]
    job_id: Mapped[UUID | None]
    created_by: Mapped[UserId | None] = mapped_column(Uuid())
    assignee_id: Mapped[UserId | None] = mapped_column(Uuid())
    finished_at: Mapped[datetime | None]


class ComparisonArtifact(TeamScoped, Table):
    """One artifact on one side."""

    __tablename__ = "comparison_artifact"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "comparison_id"], ["comparison.team_id", "comparison.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "artifact_id"], ["artifact.team_id", "artifact.id"], ondelete="CASCADE"),
        UniqueConstraint("team_id", "comparison_id", "side", "artifact_id", name="uq_comparison_artifact_once"),
        Index("ix_comparison_artifact_artifact", "team_id", "artifact_id"),
        CheckConstraint("side in ('base', 'candidate')", name="side"),
    )

    comparison_id: Mapped[UUID]
    side: Mapped[str]
    artifact_id: Mapped[UUID]
    position: Mapped[int]


class DiffView(StoredView, Table):
    """A view of a comparison: a sample type at a granularity, stored in chunks."""

    __tablename__ = "diff_view"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "comparison_id"], ["comparison.team_id", "comparison.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        UniqueConstraint("team_id", "comparison_id", "kind", "sample_type", "granularity", name="uq_diff_view_once"),
        CheckConstraint(VIEW_STATES, name="state"),
    )

    comparison_id: Mapped[UUID]


class ComparisonExport(StoredExport, Table):
    """A file exported from a comparison."""

    __tablename__ = "comparison_export"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "comparison_id"], ["comparison.team_id", "comparison.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        CheckConstraint(STATES, name="state"),
    )

    comparison_id: Mapped[UUID]
    kind: Mapped[str | None] = mapped_column(sort_order=20)
    """The profile kind, for formats that hold one kind."""
