"""Repositories as they are read, as protocols. Only whole ids of commits, forty hexadecimal digits, ever reach a command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

NO_BLOB = 40 * "0"
"""Stands for what is not there, before a file was added or after it was removed."""


@dataclass(frozen=True)
class GitChange:
    """One file that a commit changes, against its first parent."""

    path: str
    status: str
    """Git's letter: A, M, D, R, T."""
    before: str
    """The id of the blob; `NO_BLOB` where there was none."""
    after: str
    added: int | None
    """Lines; nothing for what is no text."""
    removed: int | None


@dataclass(frozen=True)
class GitCommit:
    """A commit as git tells it. Every text is whatever its author liked."""

    sha: str
    parents: tuple[str, ...]
    author_name: str
    author_email: str
    authored_at: datetime | None
    committed_at: datetime | None
    title: str
    message: str
    changes: tuple[GitChange, ...]


@dataclass(frozen=True)
class GitHeads:
    """Where the branches of a repository stand."""

    branches: Mapping[str, str]
    tags: Mapping[str, str]
    default_branch: str | None


class GitBlobs(Protocol):
    """Objects by their ids."""

    def root(self, sha: str) -> str:
        """Return the id of a commit's tree. Raises `NotFound`."""

    def blob(self, blob_id: str, *, max_bytes: int) -> bytes:
        """Return the bytes of a file. Raises `NotFound`, `TooLarge`."""


@dataclass(frozen=True)
class GitStep:
    """One commit of a line: what is asked of it when a line is searched."""

    sha: str
    parents: tuple[str, ...]
    title: str


class GitLines(Protocol):
    """How commits of one repository follow each other, wherever it lies. What can not be answered raises `Refused` or `NotFound`."""

    @property
    def label(self) -> str:
        """How people call it."""

    def line(self, good: str, bad: str) -> Sequence[GitStep]:
        """Return the commits after `good` up to `bad`, along first parents, in order; those that `good` holds are left out."""

    def is_ancestor(self, one: str, of: str) -> bool:
        """Tell whether a commit is among the ancestors of another, or is it."""

    def changed(self, before: str, after: str) -> Sequence[str]:
        """Return the paths that differ."""

    def parents(self, sha: str) -> tuple[str, ...]:
        """Return the parents of a commit."""

    def version(self, version: str, module: str) -> str:
        """Return the commit of a module's version: a tag, a pseudo-version, or a revision."""


class Remotes(Protocol):
    """Which addresses repositories are fetched from."""

    def check(self, url: str) -> None:
        """Raise `AddressRefused` for an address that is refused by its spelling alone; nothing is looked up."""
