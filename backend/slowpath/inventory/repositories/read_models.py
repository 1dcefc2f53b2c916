"""What verbs tell of commits: values between the service and the wire."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from slowpath.analysis.bisect.commit_suspicion import CommitSuspicion
from slowpath.inventory.repositories.tables import Commit, Repository, ServiceRepository

Closures = Literal["known", "partly", "reading", "unknown"]
DiffState = Literal["ready", "reading", "failed", "unread", "unavailable"]


@dataclass(frozen=True)
class CommitsInRange:
    """The commits that are in a bad build and not in a good one, newest first."""

    repository: Repository
    built: ServiceRepository
    good: str
    bad: str
    commits: Sequence[Commit]
    total: int
    complete: bool
    """Whether every parent on the way is known."""
    related: bool
    """Whether the good one is an ancestor of the bad one."""


@dataclass(frozen=True)
class RepositoryWithServices:
    """A repository with what is built from it."""

    row: Repository
    services: Sequence[tuple[ServiceRepository, str]]
    """With the service's name."""
    commits: int
    fetching: bool


@dataclass(frozen=True)
class SuspectCommit:
    """A commit, and how suspicious it is."""

    commit: Commit
    changes_binary: bool | None
    """Nothing: nobody looked."""
    suspicion: CommitSuspicion
    share: float
    """Of all suspicion in the range, from 0 to 1."""


@dataclass(frozen=True)
class RankedSuspects:
    """The commits between two builds, newest first."""

    between: CommitsInRange
    suspects: Sequence[SuspectCommit]
    closures: Closures
    """Whether it is known which commits change the binary."""


@dataclass(frozen=True)
class CommitDiffView:
    """What a commit changes line by line, as far as it has been read."""

    state: DiffState
    content: dict[str, Any] | None
    problem: dict[str, Any] | None


def commit_url(row: Repository, sha: str) -> str | None:
    """Return where people look at a commit."""
    if row.web_url is None:
        return None
    return f"{row.web_url}/-/commit/{sha}" if row.kind == "gitlab" else f"{row.web_url}/commit/{sha}"
