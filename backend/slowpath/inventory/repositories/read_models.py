"""Results of the services of commits, before they become wire shapes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from slowpath.analysis.bisect.commit_suspicion import CommitSuspicion
from slowpath.inventory.repositories.rules.code_host_links import CodeHost, make_commit_link
from slowpath.inventory.repositories.rules.commit_people import Person, TeamMember
from slowpath.inventory.repositories.tables import Commit, Repository, ServiceRepository

Closures = Literal["known", "partly", "reading", "unknown"]
OwnersReason = Literal["no-mirror", "no-code-owners", "too-large", "no-files"]
DiffState = Literal["ready", "reading", "failed", "unread", "unavailable"]


@dataclass(frozen=True)
class CommitsInRange:
    """The commits that are in a bad and not in a good build, newest first."""

    repository: Repository
    built: ServiceRepository
    good: str
    bad: str
    commits: Sequence[Commit]
    total: int
    complete: bool
    """Whether the parents of all commits on the way are known."""
    related: bool
    """Whether the good commit is an ancestor of the bad commit."""


@dataclass(frozen=True)
class RepositoryWithServices:
    """A repository with the services that are built from it."""

    row: Repository
    services: Sequence[tuple[ServiceRepository, str]]
    """With the name of the service."""
    commits: int
    fetching: bool


@dataclass(frozen=True)
class SuspectCommit:
    """A commit and its suspicion."""

    commit: Commit
    changes_binary: bool | None
    """None: not evaluated."""
    suspicion: CommitSuspicion
    share: float
    """Share of the suspicion in the range, from 0 to 1."""


@dataclass(frozen=True)
class RankedSuspects:
    """The commits between two builds, newest first."""

    between: CommitsInRange
    suspects: Sequence[SuspectCommit]
    closures: Closures
    """Whether it is known which commits change the binary."""


@dataclass(frozen=True)
class CommitDiffView:
    """The extracted line changes of a commit."""

    state: DiffState
    content: dict[str, Any] | None
    problem: dict[str, Any] | None


@dataclass(frozen=True)
class PersonOfCommit:
    """A person of a commit, and the team member with the same address or name."""

    person: Person
    member: TeamMember | None


@dataclass(frozen=True)
class CommitPeople:
    """Author and reviewers of a commit, and the owners of the files that it changes.

    `owners` is None if they are not known; `owners_reason` states why.
    """

    repository: Repository
    commit: Commit
    author: PersonOfCommit
    reviewers: Sequence[PersonOfCommit]
    owners: Sequence[str] | None
    owner_members: Sequence[TeamMember]
    """Members whose address or login the file names."""
    owners_reason: OwnersReason | None
    pull_request: dict[str, Any] | None


@dataclass(frozen=True)
class DeploymentPeople:
    """Authors and reviewers of the commits since the former deployment, and owners of the files that they change."""

    former_commit: str
    commits: int
    complete: bool
    """Whether the parents of all commits on the way are known."""
    authors: Sequence[tuple[PersonOfCommit, int]]
    """With the number of their commits, most first."""
    reviewers: Sequence[tuple[PersonOfCommit, int]]
    owners: Sequence[str] | None
    owners_reason: OwnersReason | None


def commit_url(row: Repository, sha: str) -> str | None:
    """Return the URL of a commit at the code host."""
    return make_commit_link(code_host_of(row), sha)


def code_host_of(row: Repository) -> CodeHost:
    """Return the address of a repository at its code host."""
    return CodeHost(row.kind, row.web_url, row.file_template)


@dataclass(frozen=True)
class HostRepository:
    """A repository at a code host."""

    name: str
    """Owner and name, or groups and name."""
    url: str
    """For cloning."""
    description: str
    default_branch: str | None
    is_added: bool
    """Whether the team has a repository with this URL."""


@dataclass(frozen=True)
class HostRepositories:
    """The repositories of a code host, the ones with the latest changes first."""

    items: list[HostRepository]
    is_complete: bool
    """False: there are more than were requested."""
