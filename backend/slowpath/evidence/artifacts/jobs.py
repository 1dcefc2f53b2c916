"""What is to be done with files, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import ArtifactId, UploadId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class DecodeArtifact(Job):
    """Find out what a stored file is and turn it into what is read from then on."""

    name: ClassVar[str] = "artifacts.decode"
    queue: ClassVar[Queue] = Queue.DECODE
    subject_kind: ClassVar[str] = "artifact"

    artifact_id: ArtifactId


@dataclass(frozen=True)
class ExpireUpload(Job):
    """Forget an upload whose time is over, and the parts that had arrived. Asked for by `cross_team.delete_expired_rows`."""

    name: ClassVar[str] = "artifacts.expire-upload"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "upload"

    upload_id: UploadId


@dataclass(frozen=True)
class DeleteUnusedBlobs(Job):
    """Remove the bytes that belonged to a deleted row, unless another row of the team still needs them."""

    name: ClassVar[str] = "artifacts.delete-blobs"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "artifact"

    artifact_id: ArtifactId
    keys: list[str]
