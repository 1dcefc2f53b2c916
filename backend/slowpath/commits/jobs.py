"""What is to be done with repositories, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import CommitId, RepositoryId, ServiceId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class FetchRepository(Job):
    """Bring a repository's commits. Doing it twice brings nothing twice."""

    name: ClassVar[str] = "commits.fetch"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "repository"

    repository_id: RepositoryId


@dataclass(frozen=True)
class LookAtRepository(Job):
    """Have a repository fetched of which nobody said for a while that something is new."""

    name: ClassVar[str] = "commits.look"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    repository_id: RepositoryId


@dataclass(frozen=True)
class ReadDiff(Job):
    """Read what a commit changes line by line."""

    name: ClassVar[str] = "commits.diff"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "commit"

    commit_id: CommitId


@dataclass(frozen=True)
class ReadClosures(Job):
    """Find which commits of a range change a service's binary."""

    name: ClassVar[str] = "commits.closures"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "service"

    service_id: ServiceId
    good: str
    bad: str


@dataclass(frozen=True)
class ForgetMirror(Job):
    """Take away the copy of a repository that was deleted."""

    name: ClassVar[str] = "commits.forget"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "repository"

    repository_id: RepositoryId
