"""What is to be done with repositories, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import CommitId, RepositoryId, ServiceId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class FetchRepository(Job):
    """Bring a repository's commits. Doing it twice brings nothing twice."""

    name: ClassVar[str] = "repositories.fetch"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "repository"

    repository_id: RepositoryId


@dataclass(frozen=True)
class PollRepository(Job):
    """Have a repository fetched of which nobody said for a while that something is new."""

    name: ClassVar[str] = "repositories.poll"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    repository_id: RepositoryId


@dataclass(frozen=True)
class ReadCommitDiff(Job):
    """Read what a commit changes line by line."""

    name: ClassVar[str] = "repositories.read-diff"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "commit"

    commit_id: CommitId


@dataclass(frozen=True)
class ComputePackageClosures(Job):
    """Find which commits of a range change a service's binary."""

    name: ClassVar[str] = "repositories.compute-closures"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "service"

    service_id: ServiceId
    good: str
    bad: str


@dataclass(frozen=True)
class DeleteRepositoryMirror(Job):
    """Take away the copy of a repository that was deleted."""

    name: ClassVar[str] = "repositories.delete-mirror"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "repository"

    repository_id: RepositoryId
