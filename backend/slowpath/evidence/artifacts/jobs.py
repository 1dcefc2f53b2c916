"""Jobs on artifacts and uploads."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import ArtifactId, UploadId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class DecodeArtifact(Job):
    """Detect the kind of a stored file and decode it."""

    name: ClassVar[str] = "artifacts.decode"
    queue: ClassVar[Queue] = Queue.DECODE
    subject_kind: ClassVar[str] = "artifact"

    artifact_id: ArtifactId


@dataclass(frozen=True)
class ExpireUpload(Job):
    """Delete an expired upload and its parts. Enqueued by `cross_team.delete_expired_rows`."""

    name: ClassVar[str] = "artifacts.expire-upload"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "upload"

    upload_id: UploadId


@dataclass(frozen=True)
class DeleteUnusedBlobs(Job):
    """Delete the blobs of a deleted artifact, unless another artifact of the team needs them."""

    name: ClassVar[str] = "artifacts.delete-blobs"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "artifact"

    artifact_id: ArtifactId
    keys: list[str]
