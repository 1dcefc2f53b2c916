"""Limits and validation of commit metadata, and the order of commits. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal

RepositoryKind = Literal["github", "gitlab", "bitbucket", "gitea", "other", "pushed"]
Credentials = Literal["none", "bearer", "basic"]
HostApi = Literal["github", "gitlab", "gitea", "bitbucket", "bitbucket-server"]
FileStatus = Literal["added", "modified", "removed", "renamed", "other"]

HOST_APIS: Final[Mapping[str, HostApi]] = {
    "github": "github", "gitlab": "gitlab", "gitea": "gitea", "bitbucket": "bitbucket",
}  # fmt: skip
"""API of a code host by the kind of its repositories."""
MOST_REPOSITORIES: Final = 200
"""Per team."""
MOST_TAGS: Final = 5_000
"""Per repository: the first by name."""
MOST_FILES: Final = 300
"""Listed files of a commit; the others are counted."""
MOST_PATH: Final = 1_000
MOST_NAME: Final = 300
MOST_TITLE: Final = 500
MOST_MESSAGE: Final = 10_000
MOST_PARENTS: Final = 64
MOST_BUMPS: Final = 200
LOOKS_AGAIN_AFTER_S: Final = 900.0
"""Interval between fetches of a repository without reported pushes."""
LOOKS_AT_FAULTY_AFTER_S: Final = 3600.0
"""The same after a failed fetch."""
MOST_FETCHED: Final = 50_000
"""Commits recorded by one fetch: the newest."""
MOST_BETWEEN: Final = 5_000
"""Commits of a range that are returned."""
LEAST_PREFIX: Final = 7
"""Digits of an abbreviated SHA."""

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)
CLOSURE_VERSION: Final = "1"
"""Increased whenever equal inputs would no longer have equal hashes."""

SHA: Final = re.compile(r"[0-9a-f]{40}")
ABBREVIATED: Final = re.compile(rf"[0-9a-f]{{{LEAST_PREFIX},40}}")

UNTOLD: Final = ""
"""Represents unknown parents of a commit."""

Graph = Mapping[str, Sequence[str]]
"""Commit to its parents; `(UNTOLD,)` if they are unknown."""


@dataclass(frozen=True)
class ChangedFile:
    """A changed file of a commit, compared with its first parent."""

    path: str
    lines_added: int | None = None
    """Lines; None for a binary file."""
    lines_removed: int | None = None
    status: FileStatus = "modified"


@dataclass(frozen=True)
class DependencyUpdate:
    """A dependency update."""

    module: str
    old_version: str | None
    """None: the dependency is new."""
    new_version: str | None
    """None: the dependency was removed."""
    file: str = "go.mod"


@dataclass(frozen=True)
class CommitMetadata:
    """Metadata of a commit, from git or a push."""

    sha: str
    parents: Sequence[str] | None = None
    """None: unknown (a push does not contain them)."""
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
    """Commits in an order in which none precedes an ancestor of it."""

    order: Sequence[str]
    """The requested values."""
    unknown: Sequence[str] = field(default_factory=tuple)
    """Requested, but not known."""


@dataclass(frozen=True)
class CommitRange:
    """The commits that are in one and not in the other."""

    shas: frozenset[str]
    complete: bool
    """Whether the parents of all commits on the way are known."""
    related: bool
    """Whether the good commit is an ancestor of the bad commit."""


def truncate_text(text: str, most: int) -> str:
    """Return a text that PostgreSQL can store: no NUL, no unpaired surrogates, truncated."""
    whole = text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
    return whole if len(whole) <= most else whole[: most - 1] + "…"


def valid_timestamp(when: datetime | None) -> datetime | None:
    """Return a time; None for a made-up one that PostgreSQL cannot store."""
    return when if when is not None and EARLIEST <= when <= LATEST else None


def build_recipe(directory: str, main_package: str, goos: str = "linux", goarch: str = "amd64") -> str:
    """Return the build recipe: services that are built alike from one repository share it."""
    return f"{CLOSURE_VERSION} {goos}/{goarch} {directory or '.'} {main_package or '.'}"


def generations(graph: Graph, below: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return for each commit one more than the largest generation of its known parents (1 for those without).

    `below` has generations of commits outside the graph. Malicious metadata may have cycles: a commit in one counts as if
    the parent that closes the cycle were unknown.
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
    """Return a commit and all its known ancestors, and whether the parents of all of them are known."""
    seen, todo, complete = {start}, [start], True
    while todo:
        for parent in graph.get(todo.pop(), ()):
            if parent not in graph:
                complete = False
            elif parent not in seen:
                seen.add(parent)
                todo.append(parent)
    return seen, complete


def ancestors_by_distance(graph: Graph, start: str) -> list[str]:
    """Return the known ancestors of a commit, the fewest steps first; of equally near ones that of the first parent first."""
    order, seen = [start], {start}
    for sha in order:  # grows while it is read: breadth-first
        for parent in graph.get(sha, ()):
            if parent in graph and parent not in seen:
                seen.add(parent)
                order.append(parent)
    return order[1:]


def commit_range(graph: Graph, good: str, bad: str) -> CommitRange:
    """Return what is reachable from `bad` and not from `good`. Both are in the graph."""
    with_bad, _ = reachable_commits(graph, bad)
    with_good, _ = reachable_commits(graph, good)
    between = with_bad - with_good
    complete = all(parent in graph for sha in between for parent in graph[sha])
    return CommitRange(frozenset(between), complete, good in with_bad)
