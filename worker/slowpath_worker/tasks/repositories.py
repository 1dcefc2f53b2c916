"""Fetch repositories, and read the diffs of commits."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import structlog

from slowpath.analysis.formats.unified_diff import as_json, parse_unified_diff
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import create_sealer
from slowpath.core.errors import SlowpathError, Unavailable
from slowpath.core.git_ports import GitCommit, GitMirrorPort
from slowpath.core.ids import RepositoryId
from slowpath.inventory.repositories.jobs import (
    DeleteRepositoryMirror,
    FetchCommitPullRequest,
    FetchPullRequests,
    FetchRepository,
    PollRepository,
    ReadCommitDiff,
)
from slowpath.inventory.repositories.rules import MOST_FETCHED
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts
from slowpath.inventory.repositories.service import (
    commit_extraction,
    commit_graph,
    host_access,
    pull_requests,
    repositories,
    suspect_commits,
)
from slowpath.inventory.repositories.tables import Commit
from slowpath.inventory.webhooks.service import earlier_pull_requests
from slowpath_worker.job_context import JobContext, JobFailure

__all__ = [
    "DeleteRepositoryMirror",
    "FetchCommitPullRequest",
    "FetchPullRequests",
    "FetchRepository",
    "PollRepository",
    "ReadCommitDiff",
    "delete_repository_mirror",
    "fetch_commit_pull_request",
    "fetch_pull_requests",
    "fetch_repository",
    "poll_repository",
    "read_diff",
    "record_diff_failure",
    "record_fetch_failure",
]  # fmt: skip

log = structlog.get_logger(__name__)
BATCH_SIZE = 500
"""Commits recorded in one transaction."""
MAX_PATCH_BYTES = 4 << 20


def fetch_repository(job: FetchRepository, context: JobContext) -> None:
    """Fetch new commits and record them oldest first, so that a failure leaves no gaps."""
    with context.reading() as session:
        row = repositories.get_repository(session, job.repository_id)
        url, known = row.url, set(row.branch_heads.values())
        authorization = repositories.authorization(row, create_sealer(context.settings))
    if url is None:  # the repository is no longer fetched; commits are only pushed
        with context.finishing():
            return
    mirror = _mirror(context, job.repository_id)
    context.progress("fetching", 0.0)
    heads = mirror.fetch(url, authorization, context.check)

    context.progress("reading commits", 0.5)
    known_commits = {sha for sha in known if mirror.has(sha)}
    new = {*heads.branches.values()} - known_commits
    seen = 0
    with mirror.objects() as objects:
        for batch in _batches(mirror.commits(new, known_commits, MOST_FETCHED, context.check)):
            facts = [commit_extraction.extract_commit_metadata(commit, objects) for commit in batch]
            with context.writing() as session:
                commit_graph.record_commits(session, job.repository_id, facts)
            seen += len(batch)
            context.progress(f"reading commits: {seen:,}", 0.5 + 0.5 * seen / (seen + 5 * BATCH_SIZE))

    with context.finishing() as session:
        repositories.record_fetch(
            session,
            job.repository_id,
            heads=heads.branches,
            tags=heads.tags,
            default_branch=heads.default_branch,
            at=context.clock.now(),
        )
        pull_requests.enqueue_lookup(session, job.repository_id)


def fetch_pull_requests(job: FetchPullRequests, context: JobContext) -> None:
    """Ask the code host for the pull requests of the newest commits that it was not asked for."""
    with context.reading() as session:
        commits = pull_requests.list_unchecked_commits(session, job.repository_id)
        unknown = _list_unknown(session, commits)
    _look_up(job.repository_id, unknown, context)


def fetch_commit_pull_request(job: FetchCommitPullRequest, context: JobContext) -> None:
    """Ask the code host for the pull request of a commit, once."""
    with context.reading() as session:
        commit = suspect_commits.get_commit_by_id(session, job.commit_id)
        unknown = _list_unknown(session, [commit] if commit.pull_request_checked_at is None else [])
        repository_id = RepositoryId(commit.repository_id)
    _look_up(repository_id, unknown, context)


def _list_unknown(session: ReadSession, commits: Sequence[Commit]) -> dict[str, bool]:
    """Return for each commit whether the host has to be asked: not if a webhook reported the reviewers."""
    found = {row.sha: pull_requests.find_pull_request(session, RepositoryId(row.repository_id), row) for row in commits}
    return {sha: row is None or not row.reviewers for sha, row in found.items()}


def _look_up(repository_id: RepositoryId, commits: Mapping[str, bool], context: JobContext) -> None:
    """Ask the code host for pull requests, and record each with its reviewers."""
    found: dict[str, PullRequestFacts | None] = {sha: None for sha, is_unknown in commits.items() if not is_unknown}
    try:
        _ask_host(repository_id, [sha for sha in commits if sha not in found], found, context)
    except Unavailable:
        if not found:
            raise  # retried soon
    except SlowpathError as error:  # credentials that may not read pull requests: asked again after the next fetch
        log.info("repository.pull_requests_not_read", reason=error.detail)
    with context.finishing() as session:
        for sha, facts in found.items():
            pull_requests.record_lookup(session, repository_id, sha, facts, context.clock.now())


def _ask_host(
    repository_id: RepositoryId, shas: Sequence[str], found: dict[str, PullRequestFacts | None], context: JobContext
) -> None:
    """Add what the code host answers for each commit to `found`, one after the other."""
    if not shas:
        return
    with context.reading() as session:
        access = host_access.get_host_access(session, repository_id, create_sealer(context.settings))
    with context.egress.opened(access.api_url) as peer:
        for sha in shas:
            context.check()
            found[sha] = earlier_pull_requests.find_pull_request(peer, access, sha, context.clock.now())


def record_fetch_failure(session: WriteSession, job: FetchRepository, failure: JobFailure) -> None:
    """Record on the repository why its fetch failed."""
    repositories.record_fetch_failure(session, job.repository_id, failure.problem)


def poll_repository(job: PollRepository, context: JobContext) -> None:
    """Enqueue the fetch of a repository without recent pushes."""
    with context.finishing() as session:
        repositories.poll_repository(session, job.repository_id, context.clock.now())


def read_diff(job: ReadCommitDiff, context: JobContext) -> None:
    """Read the diff of a commit."""
    with context.reading() as session:
        commit = suspect_commits.get_commit_by_id(session, job.commit_id)
        sha, repository_id = commit.sha, RepositoryId(commit.repository_id)
    mirror = _mirror(context, repository_id)
    if not mirror.has(sha):
        _fetch_again(context, repository_id, mirror)
    text, is_truncated = mirror.patch(sha, max_bytes=MAX_PATCH_BYTES, check=context.check)
    content = as_json(parse_unified_diff(text, cut=is_truncated))
    with context.finishing() as session:
        suspect_commits.record_diff(session, job.commit_id, content, None)


def record_diff_failure(session: WriteSession, job: ReadCommitDiff, failure: JobFailure) -> None:
    """Record on the commit why its diff is missing."""
    suspect_commits.record_diff(session, job.commit_id, None, failure.problem)


def delete_repository_mirror(job: DeleteRepositoryMirror, context: JobContext) -> None:
    """Delete the mirror of a repository on this machine; mirrors on other machines are no longer used."""
    _mirror(context, job.repository_id).delete()
    with context.finishing():
        return


def _fetch_again(context: JobContext, repository_id: RepositoryId, mirror: GitMirrorPort) -> None:
    """Fetch into a mirror that is new on this machine, or was deleted."""
    with context.reading() as session:
        row = repositories.get_repository(session, repository_id)
        url, authorization = row.url, repositories.authorization(row, create_sealer(context.settings))
    if url is not None:
        mirror.fetch(url, authorization, context.check)


def _mirror(context: JobContext, repository_id: RepositoryId) -> GitMirrorPort:
    return context.mirrors.get_mirror(context.team_id, repository_id)


def _batches(commits: Iterable[GitCommit]) -> Iterator[list[GitCommit]]:
    found = iter(commits)
    while batch := list(islice(found, BATCH_SIZE)):
        yield batch
