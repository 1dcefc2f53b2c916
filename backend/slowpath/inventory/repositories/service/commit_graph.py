"""Record commits from any source; compute their order and ranges from the recorded parents."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from sqlalchemy import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import RepositoryId, ServiceId, new_id
from slowpath.inventory.repositories import queries
from slowpath.inventory.repositories.errors import (
    CommitNotFound,
    InvalidCommitSha,
    RepositoryNotFound,
    RepositoryNotLinked,
)
from slowpath.inventory.repositories.read_models import CommitsInRange
from slowpath.inventory.repositories.rules import (
    ABBREVIATED,
    MOST_BETWEEN,
    MOST_BUMPS,
    MOST_FILES,
    MOST_MESSAGE,
    MOST_NAME,
    MOST_PARENTS,
    MOST_PATH,
    MOST_TITLE,
    SHA,
    ChangedFile,
    CommitMetadata,
    DependencyUpdate,
    TopologicalOrder,
    ancestors_by_distance,
    commit_range,
    generations,
    truncate_text,
    valid_timestamp,
)
from slowpath.inventory.repositories.tables import Commit, ServiceRepository

AT_ONCE: Final = 1_000
"""Rows per INSERT."""


def record_commits(session: WriteSession, repository_id: RepositoryId, facts: Sequence[CommitMetadata]) -> int:
    """Record commits; returns the number of new ones. Raises `RepositoryNotFound`, `InvalidCommitSha`.

    Recording a commit again only fills missing fields. Commits of one call may refer to each other in any order; a commit
    without known parents is stored without them.
    """
    if (
        queries.lock_repository(session, repository_id) is None
    ):  # locked: concurrent transactions would compute wrong generations
        raise RepositoryNotFound("The team has no such repository.")
    facts_by_sha = {one.sha: one for one in facts}
    for sha in (*facts_by_sha, *(parent for one in facts for parent in one.parents or ())):
        if not SHA.fullmatch(sha):
            raise InvalidCommitSha(f"{truncate_text(sha, 60)!r} is not a commit SHA of 40 hexadecimal digits.")
    known = {row.sha: row for row in queries.commits(session, repository_id, facts_by_sha)}
    for sha, row in known.items():
        _fill(row, facts_by_sha[sha])
    new = [one for sha, one in facts_by_sha.items() if sha not in known]
    learned = [sha for sha, row in known.items() if row.parents is None and facts_by_sha[sha].parents is not None]
    for sha in learned:
        known[sha].parents = list(facts_by_sha[sha].parents or ())[:MOST_PARENTS]
    session.flush()
    _insert(session, repository_id, new)
    if learned or queries.has_children(session, repository_id, [one.sha for one in new]):
        _count_again(session, repository_id)
    return len(new)


def resolve_commits(session: ReadSession, repository_id: RepositoryId, spelled: Collection[str]) -> dict[str, str]:
    """Return the full SHA of each known commit by its requested form: full, or a prefix of at least seven digits."""
    lower = {one: one.strip().lower() for one in spelled}
    whole = {sha for sha in lower.values() if SHA.fullmatch(sha)}
    known = set(queries.generations(session, repository_id, whole)) if whole else set()
    found = {one: sha for one, sha in lower.items() if sha in known}
    for one, prefix in lower.items():
        if one not in found and len(prefix) < 40 and ABBREVIATED.fullmatch(prefix):
            matching = queries.select_commits_by_prefix(session, repository_id, prefix)
            if len(matching) == 1:
                found[one] = matching[0]
    return found


def list_known_commits(session: ReadSession, repository_id: RepositoryId, shas: Collection[str]) -> dict[str, Commit]:
    """Return the recorded commits with these SHAs."""
    return {row.sha: row for row in queries.commits(session, repository_id, shas)}


def find_commit_at(session: ReadSession, repository_id: RepositoryId, head: str, at: datetime) -> str | None:
    """Return the newest commit of the first-parent line of `head` that was committed at `at` or before, if one is recorded."""
    graph = queries.graph(session, repository_id)
    line: list[str] = []
    sha: str | None = head
    while sha is not None and sha in graph:
        line.append(sha)
        sha = next(iter(graph[sha]), None)
    times = queries.generations(session, repository_id, line)
    return next((one for one in line if (time := times[one][1]) is not None and time <= at), None)


def sort_topologically(session: ReadSession, service_id: ServiceId, commits: Sequence[str]) -> TopologicalOrder | None:
    """Order commits of a service so that none precedes an ancestor; equal SHAs once.

    Returns None if no repository is linked to the service, or if none of the commits is known.
    """
    built = queries.service_repository(session, service_id)
    if built is None:
        return None
    repository_id = RepositoryId(built.repository_id)
    asked = list(dict.fromkeys(commits))
    whole = resolve_commits(session, repository_id, asked)
    if not whole:
        return None
    counted = queries.generations(session, repository_id, set(whole.values()))

    def place(spelled: str) -> tuple[int, float, str]:
        generation, at = counted[whole[spelled]]
        return generation, at.timestamp() if at else 0.0, whole[spelled]

    return TopologicalOrder(sorted(whole, key=place), tuple(one for one in asked if one not in whole))


def list_ancestors(
    session: ReadSession, service_id: ServiceId, commit: str, among: Collection[str]
) -> list[str] | None:
    """Return those of the commits `among` that are ancestors of a commit, the nearest first, as they are spelled there.

    Returns None if no repository is linked to the service, or if it does not know the commit.
    """
    built = queries.service_repository(session, service_id)
    if built is None:
        return None
    repository_id = RepositoryId(built.repository_id)
    whole = resolve_commits(session, repository_id, {commit, *among})
    if commit not in whole:
        return None
    spelled: dict[str, list[str]] = {}
    for one in among:
        if one in whole:
            spelled.setdefault(whole[one], []).append(one)
    ancestors = ancestors_by_distance(queries.graph(session, repository_id), whole[commit])
    return [one for sha in ancestors for one in spelled.get(sha, ())]


def get_service_source(session: ReadSession, service_id: ServiceId) -> ServiceRepository:
    """Return the link of a service to its repository. Raises `RepositoryNotLinked`."""
    built = queries.service_repository(session, service_id)
    if built is None:
        raise RepositoryNotLinked(
            "No repository is linked to this service.",
            remedy="Link a repository in Settings > Integrations.",
        )
    return built


def list_commits_in_range(
    session: ReadSession, service_id: ServiceId, good: str, bad: str, *, limit: int = MOST_BETWEEN
) -> CommitsInRange:
    """Return the commits that are in `bad` and not in `good`, newest first.

    Raises `RepositoryNotLinked`, `CommitNotFound`.
    """
    built = get_service_source(session, service_id)
    repository_id = RepositoryId(built.repository_id)
    repository = queries.repository(session, repository_id)
    assert repository is not None  # the row refers to it
    whole = resolve_commits(session, repository_id, {good, bad})
    for spelled in (good, bad):
        if spelled not in whole:
            raise CommitNotFound(
                f"The commit {truncate_text(spelled, 60)} is unknown in {repository.label}.",
                remedy="Fetch the repository, or push the metadata of its commits.",
            )
    graph = queries.graph(session, repository_id)
    found = commit_range(graph, whole[good], whole[bad])
    rows = queries.commits(session, repository_id, found.shas)
    rows = sorted(rows, key=lambda row: (row.generation, row.committed_at or row.created_at, row.sha), reverse=True)
    return CommitsInRange(
        repository, built, whole[good], whole[bad], rows[:limit], len(rows), found.complete, found.related
    )  # fmt: skip


def _fill(row: Commit, facts: CommitMetadata) -> None:
    """Fill missing fields of a commit."""
    for name, value in _values(facts).items():
        if getattr(row, name) in {None, ""} if isinstance(value, str) else getattr(row, name) is None:
            setattr(row, name, value)


def _insert(session: WriteSession, repository_id: RepositoryId, new: Sequence[CommitMetadata]) -> None:
    graph = {one.sha: list(one.parents or ())[:MOST_PARENTS] for one in new}
    outside = {parent for parents in graph.values() for parent in parents if parent not in graph}
    below = {sha: count for sha, (count, _) in queries.generations(session, repository_id, outside).items()}
    counted = generations(graph, below)
    rows = [
        {
            "team_id": session.team_id,
            "id": new_id(),
            "repository_id": repository_id,
            "sha": one.sha,
            "parents": None if one.parents is None else graph[one.sha],
            "generation": counted[one.sha],
            **_values(one),
        }
        for one in new
    ]
    for begin in range(0, len(rows), AT_ONCE):
        session.execute(insert(Commit), rows[begin : begin + AT_ONCE])


def _count_again(session: WriteSession, repository_id: RepositoryId) -> None:
    """Compute all generations of a repository again: a new commit precedes existing ones."""
    counted = generations(queries.graph(session, repository_id))
    there = queries.generations(session, repository_id, set(counted))
    moved = {sha for sha, count in counted.items() if there[sha][0] != count}
    for row in queries.commits(session, repository_id, moved):
        row.generation = counted[row.sha]
    session.flush()


def _values(facts: CommitMetadata) -> dict[str, Any]:
    """Return the columns of a commit except those of its position in the graph."""
    files, bumps = facts.files, facts.dependency_updates
    return {
        "author_name": truncate_text(facts.author_name, MOST_NAME),
        "author_email": truncate_text(facts.author_email, MOST_NAME),
        "authored_at": valid_timestamp(facts.authored_at),
        "committed_at": valid_timestamp(facts.committed_at),
        "title": truncate_text(facts.title, MOST_TITLE),
        "message": truncate_text(facts.message, MOST_MESSAGE),
        "files": None if files is None else [_file(one) for one in files[:MOST_FILES]],
        "files_total": None if files is None else len(files),
        "lines_added": None if files is None else _lines([one.lines_added for one in files]),
        "lines_removed": None if files is None else _lines([one.lines_removed for one in files]),
        "dependency_updates": None if bumps is None else [_bump(one) for one in bumps[:MOST_BUMPS]],
    }


def _lines(counts: Sequence[int | None]) -> int | None:
    """Return the total number of lines, None if it is unknown for all files: unknown is not zero."""
    known = [count for count in counts if count is not None]
    return sum(known) if known or not counts else None


def _file(file: ChangedFile) -> dict[str, Any]:
    return asdict(file) | {"path": truncate_text(file.path, MOST_PATH)}


def _bump(bump: DependencyUpdate) -> dict[str, Any]:
    return {name: None if value is None else truncate_text(value, MOST_PATH) for name, value in asdict(bump).items()}
