"""Ingest a file: store its bytes under their hash, create its row and its decode job in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import Unavailable
from slowpath.core.ids import ArtifactId, BlobKey, BuildId, TeamId, UserId, new_id
from slowpath.core.jobs import enqueue
from slowpath.core.ports import BlobStore
from slowpath.evidence.artifacts import queries
from slowpath.evidence.artifacts.errors import (
    ArtifactTooLarge,
    BuildNotFoundForArtifact,
    EmptyArtifact,
    StorageQuotaExceeded,
)
from slowpath.evidence.artifacts.jobs import DecodeArtifact
from slowpath.evidence.artifacts.rules import HEAD_BYTES, ArtifactState, SizeLimits, clean_folder, clean_name
from slowpath.evidence.artifacts.service.storage_accounting import get_stored_bytes
from slowpath.evidence.artifacts.tables import Artifact


@dataclass(frozen=True)
class ReceivedFile:
    """A completely received file on the local disk."""

    path: Path
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class ArtifactLabels:
    """Name, batch, build and run metadata sent with a file."""

    name: str
    batch: UUID | None = None
    build_id: BuildId | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    folder: str | None = None


@dataclass(frozen=True)
class ArchiveMember:
    """A file that was unpacked from an archive."""

    name: str
    folder: str
    file: ReceivedFile
    facts: dict[str, Any]


@dataclass(frozen=True)
class ArtifactSender:
    """Who sent an artifact: a person, or a token or service account."""

    user_id: UserId | None
    program_id: UUID | None


def original_key(team_id: TeamId, sha256: str) -> BlobKey:
    """Return the blob key of a file; equal bytes of one team share one blob."""
    return BlobKey(f"{team_id}/originals/{sha256[:2]}/{sha256}")


def validate_file_size(name: str, size_bytes: int, limit_bytes: int) -> None:
    """Raise `ArtifactTooLarge` if a file exceeds its size limit."""
    if size_bytes > limit_bytes:
        raise ArtifactTooLarge(
            f"{clean_name(name)} exceeds the size limit of its kind.",
            limit=limit_bytes,
            actual=size_bytes,
            unit="bytes",
            remedy="Record for a shorter time, or raise SLOWPATH_MAX_ARTIFACT_BYTES (SLOWPATH_MAX_TRACE_BYTES for traces).",
        )


def require_storage_quota(session: ReadSession, limit_bytes: int) -> None:
    """Raise `StorageQuotaExceeded` if the team has used its quota; 0 means unlimited.

    Uploads that have started may exceed the quota.
    """
    if not limit_bytes:
        return
    stored = get_stored_bytes(session)
    if stored >= limit_bytes:
        raise StorageQuotaExceeded(
            "The storage quota of this team is used up.",
            limit=limit_bytes,
            actual=stored,
            unit="bytes",
            remedy="Delete artifacts, reports or exports, or shorten the retention (Settings > Storage), or raise SLOWPATH_MAX_TEAM_BYTES.",
        )


def limit_of_file(path: Path, limits: SizeLimits) -> int:
    """Return the size limit of a file in bytes, by its first bytes."""
    with path.open("rb") as file:
        return limits.of(file.read(HEAD_BYTES))


def ingest_file(session: WriteSession, blobs: BlobStore, file: ReceivedFile, labels: ArtifactLabels) -> Artifact:
    """Store the bytes unless the team has them, create the artifact and enqueue its decode job.

    The bytes are stored before the transaction commits, so a committed row always has its bytes.
    Raises `EmptyArtifact`, `BuildNotFoundForArtifact`, `Unavailable`.
    """
    if file.size_bytes == 0:
        raise EmptyArtifact(
            f"{clean_name(labels.name)} has no bytes.", limit=1, actual=0, unit="bytes", remedy="Record it again."
        )
    if labels.build_id is not None and not queries.build_exists(session, labels.build_id):
        raise BuildNotFoundForArtifact(
            "There is no such build in this team.", remedy="Create the build first, or omit build_id."
        )
    queries.lock_bytes(session, file.sha256)
    key = original_key(session.team_id, file.sha256)
    if not blobs.exists(key):
        blobs.put(key, file.path)
    return _create_artifact(
        session, file, labels, ArtifactSender(session.scope.user_id, session.scope.program_id), archive_id=None
    )


def ingest_members(
    session: WriteSession, blobs: BlobStore, archive: Artifact, members: Sequence[ArchiveMember]
) -> list[Artifact]:
    """Create the artifacts of an archive's files, whose bytes are stored, as if the archive's sender had sent each.

    A build has the same bytes only once. Raises `Unavailable` if the bytes were deleted meanwhile: the job is retried.
    """
    rows = []
    build_id = BuildId(archive.build_id) if archive.build_id is not None else None
    sender = ArtifactSender(UserId(archive.created_by) if archive.created_by else None, archive.program_id)
    for member in sorted(members, key=lambda each: each.file.sha256):  # locks are taken in one order
        queries.lock_bytes(session, member.file.sha256)
        if build_id is not None and queries.artifact_of_build(session, build_id, member.file.sha256) is not None:
            continue
        if not blobs.exists(original_key(session.team_id, member.file.sha256)):
            raise Unavailable("The files of the archive were deleted while it was unpacked.", remedy="Try again.")
        labels = ArtifactLabels(member.name, archive.batch, build_id, member.facts, member.folder)
        rows.append(_create_artifact(session, member.file, labels, sender, archive_id=ArtifactId(archive.id)))
    return rows


def _create_artifact(
    session: WriteSession,
    file: ReceivedFile,
    labels: ArtifactLabels,
    sender: ArtifactSender,
    *,
    archive_id: ArtifactId | None,
) -> Artifact:
    """Create the row of a file whose bytes are stored, and enqueue its decode job."""
    artifact = Artifact(
        team_id=session.team_id,
        id=new_id(),
        name=clean_name(labels.name),
        size_bytes=file.size_bytes,
        sha256=file.sha256,
        batch=labels.batch,
        build_id=labels.build_id,
        archive_id=archive_id,
        folder=clean_folder(labels.folder),
        run_metadata=labels.facts,
        state=ArtifactState.RECEIVED,
        created_by=sender.user_id,
        program_id=sender.program_id,
    )
    session.add(artifact)
    session.flush()
    artifact.job_id = enqueue(session, DecodeArtifact(ArtifactId(artifact.id)))
    session.flush()  # the response contains created_at, which the database sets
    return artifact


def ingest_file_once(
    session: WriteSession, blobs: BlobStore, file: ReceivedFile, labels: ArtifactLabels
) -> tuple[Artifact, bool]:
    """Ingest a file unless its build has the same bytes already; return it, and whether it is new.

    A file that is sent again after a lost response must not count as a second measurement.
    Raises `EmptyArtifact`, `BuildNotFoundForArtifact`, `Unavailable`.
    """
    queries.lock_bytes(session, file.sha256)
    build_id = labels.build_id
    found = queries.artifact_of_build(session, build_id, file.sha256) if build_id is not None else None
    return (found, False) if found is not None else (ingest_file(session, blobs, file, labels), True)
