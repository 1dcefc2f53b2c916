"""Jobs of repositories."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import CommitId, RepositoryId, ServiceId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class FetchRepository(Job):
    """Fetch the commits of a repository. Idempotent."""

    name: ClassVar[str] = "repositories.fetch"
    queue: ClassVar[Queue] = Queue.MIRROR
    subject_kind: ClassVar[str] = "repository"

    repository_id: RepositoryId


@dataclass(frozen=True)
class PollRepository(Job):
    """Fetch a repository for which no push was reported for a while."""

    name: ClassVar[str] = "repositories.poll"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    repository_id: RepositoryId


@dataclass(frozen=True)
class ReadCommitDiff(Job):
    """Extract the line changes of a commit."""

    name: ClassVar[str] = "repositories.read-diff"
    queue: ClassVar[Queue] = Queue.MIRROR
    subject_kind: ClassVar[str] = "commit"

    commit_id: CommitId


@dataclass(frozen=True)
class FetchPullRequests(Job):
    """Ask the code host for the pull requests of the newest commits that it was not asked for."""

    name: ClassVar[str] = "repositories.fetch-pull-requests"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    repository_id: RepositoryId


@dataclass(frozen=True)
class FetchCommitPullRequest(Job):
    """Ask the code host for the pull request of a commit that is shown."""

    name: ClassVar[str] = "repositories.fetch-commit-pull-request"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    commit_id: CommitId


@dataclass(frozen=True)
class ComputePackageClosures(Job):
    """Find which commits of a range change a service's binary."""

    name: ClassVar[str] = "repositories.compute-closures"
    queue: ClassVar[Queue] = Queue.MIRROR
    subject_kind: ClassVar[str] = "service"

    service_id: ServiceId
    good: str
    bad: str


@dataclass(frozen=True)
class DeleteRepositoryMirror(Job):
    """Delete the mirror of a deleted repository."""

    name: ClassVar[str] = "repositories.delete-mirror"
    queue: ClassVar[Queue] = Queue.MIRROR
    subject_kind: ClassVar[str] = "repository"

    repository_id: RepositoryId
