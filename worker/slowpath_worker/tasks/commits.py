"""Fetch repositories, and read what their commits change."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from slowpath.adapters.clock import SystemClock
from slowpath.adapters.git import BinaryMirror, mirror_of
from slowpath.adapters.git_remotes import create_remotes
from slowpath.adapters.outside import create_outside
from slowpath.analysis.diffs import as_json, read_patch
from slowpath.commits.jobs import FetchRepository, ForgetMirror, LookAtRepository, ReadDiff
from slowpath.commits.rules import MOST_FETCHED
from slowpath.commits.service import bringing, history, keeping, suspecting
from slowpath.core.errors import SlowpathError
from slowpath.core.git import GitCommit
from slowpath.core.ids import RepositoryId
from slowpath.core.sealing import create_sealer
from slowpath.core.sessions import WriteSession
from slowpath_worker.context import Cancelled, Context

__all__ = [
    "FetchRepository", "ForgetMirror", "LookAtRepository", "ReadDiff", "diff_ended_badly", "fetch_ended_badly",
    "fetch_repository", "forget_mirror", "look_at_repository", "read_diff",
]  # fmt: skip

AT_ONCE = 500
"""Commits that are written in one transaction."""
MOST_PATCH_BYTES = 4 << 20


def fetch_repository(job: FetchRepository, context: Context) -> None:
    """Bring what is new of a repository: oldest first, so that what came before a failure stands on what is known."""
    with context.reading() as session:
        row = keeping.find(session, job.repository_id)
        url, known = row.url, set(row.heads.values())
        authorization = keeping.authorization(row, create_sealer(context.settings))
    if url is None:  # it was fetched once, and is only told of now
        with context.finishing():
            return
    mirror = _mirror(context, job.repository_id)
    context.progress("fetching", 0.0)
    heads = mirror.fetch(url, authorization, context.check)

    context.progress("reading commits", 0.5)
    there = {sha for sha in known if mirror.has(sha)}
    new = {*heads.branches.values()} - there
    seen = 0
    with mirror.objects() as objects:
        for some in _batches(mirror.commits(new, there, MOST_FETCHED, context.check)):
            facts = [bringing.facts_of(commit, objects) for commit in some]
            with context.writing() as session:
                history.record(session, job.repository_id, facts)
            seen += len(some)
            context.progress(f"reading commits: {seen:,}", 0.5 + 0.5 * seen / (seen + 5 * AT_ONCE))

    with context.finishing() as session:
        keeping.fetched(
            session,
            job.repository_id,
            heads=heads.branches,
            tags=heads.tags,
            default_branch=heads.default_branch,
            at=SystemClock().now(),
        )


def fetch_ended_badly(
    session: WriteSession, job: FetchRepository, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Write down with the repository why its fetch ended."""
    del error
    keeping.fetch_failed(session, job.repository_id, problem)


def look_at_repository(job: LookAtRepository, context: Context) -> None:
    """Have a repository fetched of which nobody has told for a while."""
    with context.finishing() as session:
        keeping.look_at(session, job.repository_id, SystemClock().now())


def read_diff(job: ReadDiff, context: Context) -> None:
    """Read what a commit changes line by line."""
    with context.reading() as session:
        commit = suspecting.find_by_id(session, job.commit_id)
        sha, repository_id = commit.sha, RepositoryId(commit.repository_id)
    mirror = _mirror(context, repository_id)
    if not mirror.has(sha):
        _bring_again(context, repository_id, mirror)
    text, cut = mirror.patch(sha, max_bytes=MOST_PATCH_BYTES, check=context.check)
    content = as_json(read_patch(text, cut=cut))
    with context.finishing() as session:
        suspecting.write_diff(session, job.commit_id, content, None)


def diff_ended_badly(
    session: WriteSession, job: ReadDiff, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Write down with the commit why its diff is not there."""
    del error
    suspecting.write_diff(session, job.commit_id, None, problem)


def forget_mirror(job: ForgetMirror, context: Context) -> None:
    """Take away the copy of a repository on this machine; copies elsewhere hold nothing that is asked for."""
    _mirror(context, job.repository_id).forget()
    with context.finishing():
        return


def _bring_again(context: Context, repository_id: RepositoryId, mirror: BinaryMirror) -> None:
    """Fetch into a copy that another machine's worker had, or that was taken away."""
    with context.reading() as session:
        row = keeping.find(session, repository_id)
        url, authorization = row.url, keeping.authorization(row, create_sealer(context.settings))
    if url is not None:
        mirror.fetch(url, authorization, context.check)


def _mirror(context: Context, repository_id: RepositoryId) -> BinaryMirror:
    settings = context.settings
    return mirror_of(settings, create_remotes(settings, create_outside(settings)), context.team_id, repository_id)


def _batches(commits: Iterable[GitCommit]) -> Iterator[list[GitCommit]]:
    found = iter(commits)
    while some := list(islice(found, AT_ONCE)):
        yield some
