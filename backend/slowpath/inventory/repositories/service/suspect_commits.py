"""Suspect commits of a range, and the line changes of each commit."""

import gzip
import json
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from slowpath.analysis.bisect.commit_suspicion import CommitChanges, CommitSuspicion, RegressedCode, suspicion
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import CommitId, JobId, RepositoryId, ServiceId, new_id
from slowpath.core.jobs import enqueue
from slowpath.inventory.repositories import queries
from slowpath.inventory.repositories.errors import CommitNotFound, RepositoryNotFetched
from slowpath.inventory.repositories.jobs import ComputePackageClosures, ReadCommitDiff
from slowpath.inventory.repositories.read_models import (
    Closures,
    CommitDiffView,
    CommitsInRange,
    RankedSuspects,
    SuspectCommit,
)
from slowpath.inventory.repositories.rules import MOST_BETWEEN, build_recipe
from slowpath.inventory.repositories.service import commit_graph, repositories
from slowpath.inventory.repositories.tables import Commit, CommitDiff, PackageClosure

COMPRESSION: Final = 6


def rank_suspects(
    session: ReadSession,
    service_id: ServiceId,
    good: str,
    bad: str,
    regressed: RegressedCode,
    *,
    limit: int = MOST_BETWEEN,
) -> RankedSuspects:
    """Return the commits in `bad` and not in `good`, with suspicion. Raises as `commit_graph.between` does."""
    between = commit_graph.list_commits_in_range(session, service_id, good, bad)
    recipe = build_recipe(between.built.directory, between.built.main_package)
    found = closures_of(session, between, recipe)
    main = "/".join(filter(None, (between.built.directory, between.built.main_package)))
    asked = RegressedCode(regressed.functions, regressed.files, main)
    changes = [(row, _changes(row, found)) for row in between.commits]
    weighed = [(row, changes, suspicion(_touched(row, changes), asked)) for row, changes in changes]
    total = sum(one.weight for *_, one in weighed)
    known = sum(changes is not None for _, changes in changes)
    closures: Closures = "known" if known == len(changes) else "partly" if known else "unknown"
    if closures != "known" and queries.reading_closures(session, service_id):
        closures = "reading"
    return RankedSuspects(
        between,
        [
            SuspectCommit(row, changes, one, one.weight / total if total else 0.0)
            for row, changes, one in weighed[:limit]
        ],
        closures,
    )


def score_commits(
    session: ReadSession,
    repository_id: RepositoryId,
    shas: Sequence[str],
    regressed: RegressedCode,
    *,
    changes_binary: bool | None,
) -> dict[str, CommitSuspicion]:
    """Return the suspicion of commits, given which of them change the binary, by commit."""
    rows = queries.commits(session, repository_id, set(shas))
    return {row.sha: suspicion(_touched(row, changes_binary), regressed) for row in rows}


def closures_of(session: ReadSession, between: CommitsInRange, recipe: str) -> dict[str, PackageClosure]:
    """Return the known closures of a range and of the commits just before it, by commit."""
    rows = _around(session, between)
    found = queries.closures(session, [row.id for row in rows], recipe)
    return {row.sha: found[row.id] for row in rows if row.id in found}


def read_closures(session: WriteSession, service_id: ServiceId, good: str, bad: str) -> JobId | None:
    """Enqueue a job that finds which commits of a range change the binary, unless that is known or running.

    Raises as `commit_graph.between` does, and `RepositoryNotFetched`.
    """
    found = rank_suspects(session, service_id, good, bad, RegressedCode())
    if found.between.repository.url is None:
        raise RepositoryNotFetched("Slowpath does not fetch this repository, so its files are not available.")
    if found.closures in {"known", "reading"}:
        return None
    return enqueue(session, ComputePackageClosures(service_id, found.between.good, found.between.bad))


def list_uncomputed_closures(
    session: ReadSession, service_id: ServiceId, good: str, bad: str
) -> tuple[CommitsInRange, list[tuple[UUID, str]]]:
    """Return a range, and the commits in it and just before it without a closure."""
    between = commit_graph.list_commits_in_range(session, service_id, good, bad)
    known = closures_of(session, between, build_recipe(between.built.directory, between.built.main_package))
    return between, [(row.id, row.sha) for row in _around(session, between) if row.sha not in known]


def record_closures(
    session: WriteSession, recipe: str, found: Sequence[tuple[UUID, str | None, int | None, str | None]]
) -> None:
    """Record closures: commit, hash, number of packages, problem. Existing rows do not change."""
    there = queries.closures(session, [one[0] for one in found], recipe)
    for commit_id, digest, packages, problem in found:
        if commit_id not in there:
            session.add(
                PackageClosure(
                    team_id=session.team_id,
                    id=new_id(),
                    commit_id=commit_id,
                    recipe=recipe,
                    hash=digest,
                    packages=packages,
                    problem=problem,
                )
            )
    session.flush()


def get_commit(session: ReadSession, repository_id: RepositoryId, sha: str) -> Commit:
    """Return a commit. Raises `CommitNotFound`, `RepositoryNotFound`."""
    repositories.get_repository(session, repository_id)
    row = queries.commit(session, repository_id, sha)
    if row is None:
        raise CommitNotFound("The commit is unknown in this repository.")
    return row


def get_commit_by_id(session: ReadSession, commit_id: CommitId) -> Commit:
    """Return a commit. Raises `CommitNotFound`."""
    row = queries.commit_by_id(session, commit_id)
    if row is None:
        raise CommitNotFound("The commit is unknown in this team.")
    return row


def get_diff(session: ReadSession, row: Commit) -> CommitDiffView:
    """Return the extracted line changes of a commit."""
    found = queries.diff(session, CommitId(row.id))
    if found is None:
        fetched = repositories.get_repository(session, RepositoryId(row.repository_id)).url is not None
        return CommitDiffView("unread" if fetched else "unavailable", None, None)
    if found.content is not None:
        return CommitDiffView("ready", json.loads(gzip.decompress(found.content)), None)
    return CommitDiffView("reading" if found.problem is None else "failed", None, found.problem)


def read_diff(session: WriteSession, row: Commit) -> None:
    """Enqueue the extraction of a commit's line changes, once. Raises `RepositoryNotFetched`."""
    repository = repositories.get_repository(session, RepositoryId(row.repository_id))
    if repository.url is None:
        raise RepositoryNotFetched("Slowpath does not fetch this repository, so its files are not available.")
    found = queries.diff(session, CommitId(row.id))
    if found is not None and (found.content is not None or found.problem is None):
        return
    if found is None:
        session.add(CommitDiff(team_id=session.team_id, id=new_id(), commit_id=row.id))
    else:
        found.problem = None
    enqueue(session, ReadCommitDiff(CommitId(row.id)))


def record_diff(
    session: WriteSession, commit_id: CommitId, content: dict[str, Any] | None, problem: dict[str, Any] | None
) -> None:
    """Record the line changes of a commit, or why they cannot be extracted."""
    found = queries.diff(session, commit_id)
    if found is None:
        if queries.commit_by_id(session, commit_id) is None:
            return
        found = CommitDiff(team_id=session.team_id, id=new_id(), commit_id=commit_id)
        session.add(found)
    found.content = None if content is None else gzip.compress(json.dumps(content).encode(), COMPRESSION, mtime=0)
    found.problem = problem


def _around(session: ReadSession, between: CommitsInRange) -> list[Commit]:
    """Return the commits of a range and those just before it."""
    before = {parent for row in between.commits for parent in row.parents or ()} | {between.good}
    inside = {row.sha for row in between.commits}
    return [*between.commits, *queries.commits(session, RepositoryId(between.repository.id), before - inside)]


def _changes(row: Commit, closures: dict[str, PackageClosure]) -> bool | None:
    """Return whether a commit changes the binary: its inputs differ from those of each of its parents."""
    own = closures.get(row.sha)
    parents = [closures.get(parent) for parent in row.parents or ()]
    if own is None or own.hash is None:
        return None
    if any(one is not None and one.hash == own.hash for one in parents):
        return False
    known = bool(parents) and all(one is not None and one.hash is not None for one in parents)
    return True if known else None


def _touched(row: Commit, changes_binary: bool | None) -> CommitChanges:
    lines = None if row.lines_added is None else row.lines_added + (row.lines_removed or 0)
    return CommitChanges(
        [str(file["path"]) for file in row.files or ()],
        [str(bump["module"]) for bump in row.dependency_updates or ()],
        lines,
        changes_binary,
    )
