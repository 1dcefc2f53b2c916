"""Multipart uploads: a lost connection costs one part, not the file."""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, BuildId, TeamId, UploadId, new_id
from slowpath.core.ports import BlobStore
from slowpath.core.stored_blobs import mark_unused
from slowpath.evidence.artifacts import queries
from slowpath.evidence.artifacts.errors import (
    BuildNotFoundForArtifact,
    InvalidUploadPart,
    UploadComplete,
    UploadIncomplete,
    UploadNotFound,
)
from slowpath.evidence.artifacts.rules import SizeLimits, part_count, part_size
from slowpath.evidence.artifacts.service.artifact_ingest import (
    ArtifactLabels,
    ReceivedFile,
    ingest_file_once,
    limit_of_file,
    validate_file_size,
)
from slowpath.evidence.artifacts.service.artifacts import get_artifact
from slowpath.evidence.artifacts.tables import Artifact, MultipartUpload, UploadPart
from slowpath.platform.accounts.rules.roles import Caller

UPLOAD_LIFETIME = timedelta(days=2)
"""Time from the beginning of an upload until it expires."""


@dataclass(frozen=True)
class MultipartLimits:
    """Size limits of a multipart upload."""

    sizes: SizeLimits
    part_bytes: int


def begin_upload(
    session: WriteSession, labels: ArtifactLabels, size_bytes: int, limits: MultipartLimits, now: datetime
) -> MultipartUpload:
    """Create a multipart upload of this size. Raises `ArtifactTooLarge`, `BuildNotFoundForArtifact`."""
    validate_file_size(labels.name, size_bytes, limits.sizes.largest)
    if labels.build_id is not None and not queries.build_exists(session, labels.build_id):
        raise BuildNotFoundForArtifact(
            "There is no such build in this team.", remedy="Create the build first, or omit build_id."
        )
    upload = MultipartUpload(
        team_id=session.team_id,
        id=new_id(),
        size_bytes=size_bytes,
        part_bytes=limits.part_bytes,
        created_by=session.scope.user_id,
        program_id=session.scope.program_id,
        expires_at=now + UPLOAD_LIFETIME,
        name=labels.name,
        batch=labels.batch,
        build_id=labels.build_id,
        run_metadata=labels.facts,
    )
    session.add(upload)
    session.flush()  # parts refer to it
    return upload


def get_own_upload(
    session: ReadSession, upload_id: UploadId, caller: Caller
) -> tuple[MultipartUpload, list[UploadPart]]:
    """Return an upload and its received parts, if the caller began it. Raises `UploadNotFound`."""
    upload, arrived = get_upload(session, upload_id)
    if not caller.owns(upload.program_id):
        raise UploadNotFound("This token has no such upload.", remedy="Start a new upload.")
    return upload, arrived


def get_upload(session: ReadSession, upload_id: UploadId) -> tuple[MultipartUpload, list[UploadPart]]:
    """Return an upload and its received parts. Raises `UploadNotFound`."""
    upload = queries.upload(session, upload_id)
    if upload is None:
        raise UploadNotFound("There is no such upload.", remedy="Start a new upload.")
    return upload, list(queries.parts(session, upload_id))


def part_key(team_id: TeamId, upload_id: UploadId, number: int) -> BlobKey:
    """Return the blob key of a part."""
    return BlobKey(f"{team_id}/parts/{upload_id}/{number}")


def add_part(
    session: WriteSession, blobs: BlobStore, upload_id: UploadId, number: int, file: ReceivedFile, *, sizes: SizeLimits
) -> UploadPart:
    """Store one part; sending it again replaces it. The first part determines the size limit of the file.

    Raises `UploadNotFound`, `UploadComplete`, `InvalidUploadPart`, `ArtifactTooLarge`.
    """
    upload, _ = get_upload(session, upload_id)
    if upload.artifact_id is not None:
        raise UploadComplete("The upload is complete and accepts no more parts.")
    count = part_count(upload.size_bytes, upload.part_bytes)
    if not 1 <= number <= count:
        raise InvalidUploadPart(f"Parts are numbered from 1 to {count}.", limit=count, actual=number, unit="parts")
    expected = part_size(upload.size_bytes, upload.part_bytes, number)
    if file.size_bytes != expected:
        raise InvalidUploadPart(
            f"Part {number} has the wrong size: {file.size_bytes:,} bytes, expected {expected:,}.",
            limit=expected,
            actual=file.size_bytes,
            unit="bytes",
            remedy="Split the file into parts of part_size_bytes; only the last can be smaller.",
        )
    if number == 1:
        validate_file_size(upload.name, upload.size_bytes, limit_of_file(file.path, sizes))
    blobs.put(part_key(session.team_id, upload_id, number), file.path)
    values = {"size_bytes": file.size_bytes, "sha256": file.sha256}
    session.execute(
        insert(UploadPart)
        .values(team_id=session.team_id, id=new_id(), upload_id=upload_id, number=number, **values)
        .on_conflict_do_update(index_elements=["team_id", "upload_id", "number"], set_=values)
    )
    return next(part for part in queries.parts(session, upload_id) if part.number == number)


def complete_upload(
    session: WriteSession, blobs: BlobStore, upload_id: UploadId, scratch: Path | None
) -> tuple[Artifact, bool]:
    """Join the parts and ingest the file; return the artifact, and whether this call created it.

    Raises `UploadNotFound`, and `UploadIncomplete` with the first missing part.
    """
    queries.lock_upload(session, upload_id)
    upload, parts = get_upload(session, upload_id)
    if upload.artifact_id is not None:
        return get_artifact(session, ArtifactId(upload.artifact_id)), False
    arrived = {part.number for part in parts}
    count = part_count(upload.size_bytes, upload.part_bytes)
    missing = [number for number in range(1, count + 1) if number not in arrived]
    if missing:
        raise UploadIncomplete(
            f"{len(missing)} of {count} parts are missing; the first is part {missing[0]}.",
            limit=count,
            actual=len(arrived),
            unit="parts",
            remedy="Send the missing parts, then complete the upload again.",
        )
    labels = ArtifactLabels(
        upload.name, upload.batch, BuildId(upload.build_id) if upload.build_id else None, upload.run_metadata
    )
    keys = [part_key(session.team_id, upload_id, number) for number in range(1, count + 1)]
    with _joined(blobs, keys, scratch) as file:
        artifact, made = ingest_file_once(session, blobs, file, labels)
    upload.artifact_id = artifact.id
    return artifact, made


def abort_upload(session: WriteSession, upload_id: UploadId) -> None:
    """Delete an upload and its parts."""
    upload, _ = get_upload(session, upload_id)
    session.delete(upload)
    session.flush()  # the job must find it deleted, also if it runs immediately
    mark_unused(session, [f"{session.team_id}/parts/{upload_id}"])


@contextmanager
def _joined(blobs: BlobStore, keys: list[BlobKey], scratch: Path | None) -> Iterator[ReceivedFile]:
    digest = hashlib.sha256()
    size = 0
    with tempfile.NamedTemporaryFile(dir=scratch, prefix="join-") as joined:
        for key in keys:
            for chunk in blobs.stream(key):
                joined.write(chunk)
                digest.update(chunk)
                size += len(chunk)
        joined.flush()
        yield ReceivedFile(Path(joined.name), size, digest.hexdigest())
