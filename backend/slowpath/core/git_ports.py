"""Ports to git repositories. Commands get only full SHAs of 40 hexadecimal digits."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from slowpath.core.ids import RepositoryId, TeamId

NO_BLOB = 40 * "0"
"""ID of a missing blob: before a file was added, or after it was removed."""


@dataclass(frozen=True)
class GitFileChange:
    """One file that a commit changes, against its first parent."""

    path: str
    status: str
    """Git's status: A, M, D, R, T."""
    before: str
    """Id of the blob; `NO_BLOB` if the file did not exist."""
    after: str
    added: int | None
    """Lines; None for a binary file."""
    removed: int | None


@dataclass(frozen=True)
class GitChangedFile:
    """A regular file that differs between two commits: the IDs of its blobs, `NO_BLOB` where it does not exist."""

    path: str
    before: str
    after: str


@dataclass(frozen=True)
class GitCommit:
    """One commit. Its texts are untrusted."""

    sha: str
    parents: tuple[str, ...]
    author_name: str
    author_email: str
    authored_at: datetime | None
    committed_at: datetime | None
    title: str
    message: str
    changes: tuple[GitFileChange, ...]


@dataclass(frozen=True)
class GitBranchHeads:
    """Heads of branches and tags, by name, and the default branch."""

    branches: Mapping[str, str]
    tags: Mapping[str, str]
    default_branch: str | None


class GitTreeEntry(Protocol):
    """One entry of a git tree."""

    @property
    def name(self) -> str:
        """Return the file or folder name."""

    @property
    def mode(self) -> str:
        """Return the mode as git writes it, such as 100644."""

    @property
    def id(self) -> str:
        """Return the ID of the entry's object."""

    @property
    def is_folder(self) -> bool:
        """Return whether the entry is a folder."""

    @property
    def is_file(self) -> bool:
        """Return whether the entry is a regular file."""


class GitBlobReader(Protocol):
    """Reads blobs by id."""

    def blob(self, blob_id: str, *, max_bytes: int) -> bytes:
        """Return the bytes of a blob. Raises `NotFound`, `TooLarge`."""


class GitObjectReader(GitBlobReader, Protocol):
    """Reads objects of a repository by id."""

    def root(self, sha: str) -> str:
        """Return the id of a commit's tree. Raises `NotFound`."""

    def tree(self, tree_id: str) -> Sequence[GitTreeEntry]:
        """Return the entries of a tree. Raises `NotFound`, `TooLarge`."""


@dataclass(frozen=True)
class GitParentLink:
    """One commit of a first-parent line, with what a search needs."""

    sha: str
    parents: tuple[str, ...]
    title: str


class GitHistory(Protocol):
    """Commit graph of one repository. What cannot be answered raises `InvalidRequest` or `NotFound`."""

    @property
    def label(self) -> str:
        """Return the repository's name for messages."""

    def line(self, good: str, bad: str) -> Sequence[GitParentLink]:
        """Return the commits in `bad` but not in `good`, along first parents, oldest first."""

    def is_ancestor(self, one: str, of: str) -> bool:
        """Return whether `one` is `of` or one of its ancestors."""

    def merge_base(self, one: str, other: str) -> str | None:
        """Return the best common ancestor of two commits, or None if they have none."""

    def changed(self, before: str, after: str) -> Sequence[str]:
        """Return the paths that differ between two commits."""

    def parents(self, sha: str) -> tuple[str, ...]:
        """Return the parents of a commit."""

    def version(self, version: str, module: str) -> str:
        """Return the commit of a module version: a tag, pseudo-version or revision."""


class GitMirrorHistory(GitHistory, Protocol):
    """Commit graph of a mirror, with its objects."""

    def list_changed_files(self, before: str, after: str) -> Sequence[GitChangedFile]:
        """Return the regular files that differ between two commits, by path. Renamed files are two. Raises `TooLarge`."""

    def objects(self) -> AbstractContextManager[GitObjectReader]:
        """Open a reader of the mirror's objects."""


class GitMirrorPort(Protocol):
    """Bare copy of one repository on this machine. `check` may raise to end a long call."""

    def fetch(self, url: str, authorization: str | None, check: Callable[[], None]) -> GitBranchHeads:
        """Fetch new commits, and return the heads. Raises `AddressNotAllowed`, `TooLarge`, `UpstreamUnavailable`."""

    def commits(
        self, shas: Collection[str], known: Collection[str], limit: int, check: Callable[[], None]
    ) -> Iterator[GitCommit]:
        """Yield the newest commits reachable from `shas` and not from `known`, ancestors first."""

    def has(self, sha: str) -> bool:
        """Return whether the mirror has a commit."""

    def patch(self, sha: str, *, max_bytes: int, check: Callable[[], None]) -> tuple[str, bool]:
        """Return a commit's patch, and whether it was truncated. Raises `NotFound`."""

    def objects(self) -> AbstractContextManager[GitObjectReader]:
        """Open a reader of the mirror's objects."""

    def read_package_cache(self) -> bytes:
        """Return the package cache stored beside the mirror; empty if there is none."""

    def write_package_cache(self, content: bytes) -> None:
        """Store a package cache beside the mirror."""

    def delete(self) -> None:
        """Delete the mirror."""


class GitMirrors(Protocol):
    """Mirrors of the repositories of teams on this machine."""

    def get_mirror(self, team_id: TeamId, repository_id: RepositoryId) -> GitMirrorPort:
        """Return the mirror of a repository, whether or not it was fetched."""

    def get_history(
        self,
        team_id: TeamId,
        repository_id: RepositoryId,
        label: str,
        check: Callable[[], None],
        fetch: Callable[[], None],
    ) -> GitMirrorHistory:
        """Return the commit graph of a mirror; `fetch` is called once if a commit is missing."""

    def delete_team(self, team_id: TeamId) -> None:
        """Delete all mirrors of a team."""


class GitRemotePolicy(Protocol):
    """Addresses that repositories may be fetched from."""

    def check(self, url: str) -> None:
        """Check an address without resolving its host. Raises `AddressNotAllowed`."""
