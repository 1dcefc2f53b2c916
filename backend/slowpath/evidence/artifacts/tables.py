"""Tables of artifacts and multipart uploads."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped
from slowpath.evidence.artifacts.rules import ArtifactState


class Artifact(TeamScoped, Table):
    """One uploaded file. Its bytes are in the blob store under their SHA-256."""

    __tablename__ = "artifact"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "build_id"], ["build.team_id", "build.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        ForeignKeyConstraint(
            ["team_id", "archive_id"], ["artifact.team_id", "artifact.id"], ondelete="SET NULL (archive_id)"
        ),
        Index("ix_artifact_newest", "team_id", "created_at", "id"),
        Index("ix_artifact_batch", "team_id", "batch"),
        Index("ix_artifact_sha256", "team_id", "sha256"),
        Index("ix_artifact_build", "team_id", "build_id"),
        Index("ix_artifact_archive", "team_id", "archive_id"),
        Index("ix_artifact_kind", "team_id", "kind", "created_at"),
        CheckConstraint("state in ('received', 'decoding', 'decoded', 'invalid', 'failed')", name="state"),
    )

    name: Mapped[str]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str]
    batch: Mapped[UUID | None]
    """Groups the artifacts uploaded together."""
    build_id: Mapped[UUID | None]
    archive_id: Mapped[UUID | None]
    """The archive that it was unpacked from."""
    folder: Mapped[str | None]
    """Folder of the file in its archive or on the sender's disk; for display only."""
    run_metadata: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(default=ArtifactState.RECEIVED)
    kind: Mapped[str | None]
    """Detected kind: `profile.cpu`, `trace`, ...; null before detection."""
    summary: Mapped[dict[str, Any] | None]
    """Summary written by the decoder."""
    problem: Mapped[dict[str, Any] | None]
    job_id: Mapped[UUID | None]
    created_by: Mapped[UserId | None] = mapped_column(Uuid())
    program_id: Mapped[UUID | None]
    """The token or service account that sent it."""


class DerivedStorageTotal(TeamScoped, Table):
    """Size of a team's derived data: decoded artifacts, reports, exports. One row per team."""

    __tablename__ = "derived_storage_total"
    __table_args__ = (UniqueConstraint("team_id"),)

    size_bytes: Mapped[int] = mapped_column(BigInteger)
    """Grows with every stored blob; deletions are subtracted at the next full count."""
    listed_at: Mapped[datetime | None]
    """Time of the last full count; None if blobs from before `stored_blob` may have no rows."""


class MultipartUpload(TeamScoped, Table):
    """An upload in parts, until it is complete."""

    __tablename__ = "multipart_upload"

    name: Mapped[str]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    part_bytes: Mapped[int]
    batch: Mapped[UUID | None]
    build_id: Mapped[UUID | None]
    run_metadata: Mapped[dict[str, Any]]
    created_by: Mapped[UserId | None] = mapped_column(Uuid())
    program_id: Mapped[UUID | None]
    """The token or service account that sends it."""
    expires_at: Mapped[datetime]
    artifact_id: Mapped[UUID | None]
    """Set when complete; completing again returns the same artifact."""


class UploadPart(TeamScoped, Table):
    """One part that was received completely."""

    __tablename__ = "multipart_upload_part"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "upload_id"], ["multipart_upload.team_id", "multipart_upload.id"], ondelete="CASCADE"
        ),
        UniqueConstraint("team_id", "upload_id", "number"),
    )

    upload_id: Mapped[UUID]
    number: Mapped[int]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str]
