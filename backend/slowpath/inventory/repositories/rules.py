"""What a commit may be told as, and the order of commits. Nothing is looked up here."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal

RepositoryKind = Literal["github", "gitlab", "other", "pushed"]
Credentials = Literal["none", "bearer", "basic"]
FileStatus = Literal["added", "modified", "removed", "renamed", "other"]

MOST_REPOSITORIES: Final = 200
"""Of a team."""
MOST_TAGS: Final = 5_000
"""Of a repository: the first by their names."""
MOST_FILES: Final = 300
"""Files of a commit that are listed; the others are counted."""
MOST_PATH: Final = 1_000
MOST_NAME: Final = 300
MOST_TITLE: Final = 500
MOST_MESSAGE: Final = 10_000
MOST_PARENTS: Final = 64
MOST_BUMPS: Final = 200
LOOKS_AGAIN_AFTER_S: Final = 900.0
"""A repository is fetched so often though nobody pushes to it, as far as is known."""
LOOKS_AT_FAULTY_AFTER_S: Final = 3600.0
"""The same where the last fetch ended badly."""
MOST_FETCHED: Final = 50_000
"""Commits that one fetch writes down: the newest."""
MOST_BETWEEN: Final = 5_000
"""Commits between two builds that are told."""
LEAST_PREFIX: Final = 7
"""Digits of an abbreviated id."""

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)
CLOSURE_VERSION: Final = "1"
"""Rises whenever equal inputs would no longer give equal hashes."""

SHA: Final = re.compile(r"[0-9a-f]{40}")
ABBREVIATED: Final = re.compile(rf"[0-9a-f]{{{LEAST_PREFIX},40}}")

UNTOLD: Final = ""
"""Stands for the parents of a commit of which nobody told them."""

Graph = Mapping[str, Sequence[str]]
"""Commit to its parents; `(UNTOLD,)` where nobody told."""


@dataclass(frozen=True)
class ChangedFile:
    """A file that a commit touches, against its first parent."""

    path: str
    lines_added: int | None = None
    """Lines; nothing for what is no text."""
    lines_removed: int | None = None
    status: FileStatus = "modified"


@dataclass(frozen=True)
class DependencyUpdate:
    """A module whose version a commit changes."""

    module: str
    old_version: str | None
    """Nothing: it was not needed before."""
    new_version: str | None
    """Nothing: it is not needed any more."""
    file: str = "go.mod"


@dataclass(frozen=True)
class CommitMetadata:
    """What is told of a commit, by git or by a message."""

    sha: str
    parents: Sequence[str] | None = None
    """Nothing: nobody told (a push message does not)."""
    author_name: str = ""
    author_email: str = ""
    authored_at: datetime | None = None
    committed_at: datetime | None = None
    title: str = ""
    message: str = ""
    files: Sequence[ChangedFile] | None = None
    dependency_updates: Sequence[DependencyUpdate] | None = None


@dataclass(frozen=True)
class TopologicalOrder:
    """Commits in an order in which none stands before an ancestor of it."""

    order: Sequence[str]
    """As they were asked."""
    unknown: Sequence[str] = field(default_factory=tuple)
    """Asked, and not among the commits that are known."""


@dataclass(frozen=True)
class CommitRange:
    """Which commits are in one and not in another."""

    shas: frozenset[str]
    complete: bool
    """Whether every parent on the way is known."""
    related: bool
    """Whether the good one is an ancestor of the bad one."""


def truncate_text(text: str, most: int) -> str:
    """Return a text as it is kept: no NUL (PostgreSQL takes none), no halves of characters, not too long."""
    whole = text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
    return whole if len(whole) <= most else whole[: most - 1] + "…"


def valid_timestamp(when: datetime | None) -> datetime | None:
    """Return a time; nothing for one that an author made up and no calendar of ours holds."""
    return when if when is not None and EARLIEST <= when <= LATEST else None


def build_recipe(directory: str, main_package: str, goos: str = "linux", goarch: str = "amd64") -> str:
    """Return what is built and for what: services that are built alike from one repository share it."""
    return f"{CLOSURE_VERSION} {goos}/{goarch} {directory or '.'} {main_package or '.'}"


def generations(graph: Graph, below: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return for each commit one more than the largest generation of its known parents (1 for those without).

    `below` holds generations of commits outside the graph. Hostile facts may hold circles: whoever stands in one counts
    as if the parent that closes it were not known.
    """
    found: dict[str, int] = {}
    outside = below or {}
    for start in graph:
        path, open_ = [start], {start}
        while path:
            sha = path[-1]
            waiting = next((one for one in graph[sha] if one in graph and one not in found and one not in open_), None)
            if waiting is not None:
                path.append(waiting)
                open_.add(waiting)
                continue
            if sha not in found:
                found[sha] = 1 + max((found.get(one, outside.get(one, 0)) for one in graph[sha]), default=0)
            open_.discard(path.pop())
    return found


def reachable_commits(graph: Graph, start: str) -> tuple[set[str], bool]:
    """Return a commit and all its known ancestors, and whether every parent on the way is known."""
    seen, todo, complete = {start}, [start], True
    while todo:
        for parent in graph.get(todo.pop(), ()):
            if parent not in graph:
                complete = False
            elif parent not in seen:
                seen.add(parent)
                todo.append(parent)
    return seen, complete


def commit_range(graph: Graph, good: str, bad: str) -> CommitRange:
    """Return what is reached from `bad` and not from `good`. Both are in the graph."""
    with_bad, _ = reachable_commits(graph, bad)
    with_good, _ = reachable_commits(graph, good)
    between = with_bad - with_good
    complete = all(parent in graph for sha in between for parent in graph[sha])
    return CommitRange(frozenset(between), complete, good in with_bad)
