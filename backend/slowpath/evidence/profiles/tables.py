"""Decoded profiles; profile sets, their views and exports."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.jobs import JobState
from slowpath.core.table_base import Table, TeamScoped
from slowpath.evidence.profiles.rules import ProfileSetState, ViewState

STATES = "state in ('waiting', 'running', 'done', 'failed', 'cancelled')"
VIEW_STATES = "state in ('not-built', 'waiting', 'running', 'done', 'failed', 'cancelled')"


class Profile(TeamScoped, Table):
    """One decoded profile; it has the ID of its artifact."""

    __tablename__ = "profile"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "id"], ["artifact.team_id", "artifact.id"], ondelete="CASCADE"),
        Index("ix_profile_columns", "team_id", "columns_key"),
        Index("ix_profile_mappings", "mappings", postgresql_using="gin", postgresql_ops={"mappings": "jsonb_path_ops"}),
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


class StoredView(TeamScoped):
    """What every view has: a kind, a sample type at a granularity, and the blob keys of its chunks."""

    kind: Mapped[str] = mapped_column(sort_order=10)
    sample_type: Mapped[str] = mapped_column(sort_order=10)
    unit: Mapped[str] = mapped_column(sort_order=10)
    granularity: Mapped[str] = mapped_column(sort_order=10)
    position: Mapped[int] = mapped_column(sort_order=10)
    state: Mapped[str] = mapped_column(default=ViewState.NOT_BUILT, sort_order=10)
    problem: Mapped[dict[str, Any] | None] = mapped_column(sort_order=10)
    job_id: Mapped[UUID | None] = mapped_column(sort_order=10)
    normalizations: Mapped[list[Any] | None] = mapped_column(sort_order=10)
    default_normalization: Mapped[str | None] = mapped_column(sort_order=10)
    nodes: Mapped[int | None] = mapped_column(sort_order=10)
    functions: Mapped[int | None] = mapped_column(sort_order=10)
    full_blob_key: Mapped[str | None] = mapped_column(sort_order=10)
    """Blob key of the complete tree, as columns; the chunks are computed from it."""
    head_blob_key: Mapped[str | None] = mapped_column(sort_order=10)
    tail_blob_key: Mapped[str | None] = mapped_column(sort_order=10)
    functions_key: Mapped[str | None] = mapped_column(sort_order=10)
    lines_key: Mapped[str | None] = mapped_column(sort_order=10)


class StoredExport(TeamScoped):
    """What every export has: a format, the state of its job, and its file."""

    format: Mapped[str] = mapped_column(sort_order=10)
    state: Mapped[str] = mapped_column(default=JobState.WAITING, sort_order=10)
    problem: Mapped[dict[str, Any] | None] = mapped_column(sort_order=10)
    job_id: Mapped[UUID | None] = mapped_column(sort_order=10)
    blob_key: Mapped[str | None] = mapped_column(sort_order=10)
    file_name: Mapped[str | None] = mapped_column(sort_order=10)
    media_type: Mapped[str | None] = mapped_column(sort_order=10)
    size_bytes: Mapped[int | None] = mapped_column(BigInteger, sort_order=10)
    created_by: Mapped[UserId | None] = mapped_column(Uuid(), sort_order=10)


class ProfileSet(TeamScoped, Table):
    """Profiles opened together: 1 to 200 artifacts.

    A set is complete as long as all its artifacts exist; an incomplete one is deleted with its views.
    """

    __tablename__ = "profile_set"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        UniqueConstraint("team_id", "digest"),
        CheckConstraint(STATES, name="state"),
    )

    digest: Mapped[str]
    """SHA-256 of the ids and the run metadata of its artifacts in any order: equal ones are one set."""
    artifact_count: Mapped[int]
    state: Mapped[str] = mapped_column(default=ProfileSetState.WAITING)
    problem: Mapped[dict[str, Any] | None]
    job_id: Mapped[UUID | None]
    kinds: Mapped[list[Any] | None]
    """`ProfileSetKind` of each kind that the set has; null until the artifacts are read."""
    conditions: Mapped[dict[str, Any] | None]
    """`ProfileSetConditions`; null until the artifacts are read."""
    created_by: Mapped[UserId | None] = mapped_column(Uuid())
    finished_at: Mapped[datetime | None]


class ProfileSetArtifact(TeamScoped, Table):
    """One artifact of a set."""

    __tablename__ = "profile_set_artifact"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "set_id"], ["profile_set.team_id", "profile_set.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "artifact_id"], ["artifact.team_id", "artifact.id"], ondelete="CASCADE"),
        UniqueConstraint("team_id", "set_id", "artifact_id"),
        Index("ix_profile_set_artifact_artifact", "team_id", "artifact_id"),
    )

    set_id: Mapped[UUID]
    artifact_id: Mapped[UUID]
    position: Mapped[int]


class ProfileView(StoredView, Table):
    """A view of a set: one kind and sample type at a granularity, of the samples that match its labels."""

    __tablename__ = "profile_view"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "set_id"], ["profile_set.team_id", "profile_set.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        UniqueConstraint(
            "team_id", "set_id", "kind", "sample_type", "granularity", "labels_digest", name="uq_profile_view_once"
        ),
        CheckConstraint(VIEW_STATES, name="state"),
    )

    set_id: Mapped[UUID]
    labels: Mapped[list[Any]] = mapped_column(sort_order=20)
    """Label matchers: [{"key", "value"}]; one of each key must match, a null value selects samples without the key."""
    labels_digest: Mapped[str] = mapped_column(sort_order=20)
    """SHA-256 of the matchers in any order, empty without any."""
    summary_key: Mapped[str | None] = mapped_column(sort_order=20)
    """Blob key of `slowpath.profile_summary/1`, as gzip."""


class ProfileExport(StoredExport, Table):
    """A file exported from a set."""

    __tablename__ = "profile_export"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "set_id"], ["profile_set.team_id", "profile_set.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        CheckConstraint(STATES, name="state"),
    )

    set_id: Mapped[UUID]
    kind: Mapped[str] = mapped_column(sort_order=20)
    sample_type: Mapped[str | None] = mapped_column(sort_order=20)
    """Of a file with one sample type; null: the default one of the kind."""
    labels: Mapped[list[Any]] = mapped_column(sort_order=20)
