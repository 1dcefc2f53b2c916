"""Pull requests that code hosts reported: record them, and find that of a commit with its reviewers."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import CommitId, RepositoryId, ServiceId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.inventory.repositories import queries
from slowpath.inventory.repositories.errors import CommitNotFound
from slowpath.inventory.repositories.jobs import FetchCommitPullRequest, FetchPullRequests
from slowpath.inventory.repositories.rules import HOST_APIS, SHA, UNTOLD
from slowpath.inventory.repositories.rules.pull_requests import (
    MOST_DESCENDANTS,
    PullRequestFacts,
    Reviewer,
    add_reviewers,
    find_former_head,
    list_pull_request_commits,
)
from slowpath.inventory.repositories.service import commit_graph
from slowpath.inventory.repositories.tables import Commit, PullRequest

MOST_LOOKED_UP: Final = 200
"""Newest commits of a repository whose pull requests the code host is asked for."""
LOOKED_UP_AT_ONCE: Final = 20
"""By one job, which runs after each fetch."""
MOST_CLOSED: Final = 1_000
"""Open pull requests that a list of the code host can close at once."""


def record_pull_request(
    session: WriteSession, repository_id: RepositoryId, facts: PullRequestFacts, now: datetime
) -> None:
    """Record what a code host reports about a pull request; a review adds reviewers, and changes no known commits."""
    session.execute(
        insert(PullRequest)
        .values(
            team_id=session.team_id,
            id=new_id(),
            repository_id=repository_id,
            number=facts.number,
            head_sha=facts.head,
            base_sha=facts.base,
        )
        .on_conflict_do_nothing()
    )
    row = queries.select_pull_request(session, repository_id, facts.number, is_locked=True)
    assert row is not None
    row.url = facts.url or row.url
    row.merge_sha = facts.merge or row.merge_sha
    if facts.reports_commits and (row.merge_sha is None or facts.merge is not None):  # it may arrive after the merge
        row.head_sha, row.base_sha = facts.head, facts.base or row.base_sha
        row.branch, row.base_branch = facts.branch or row.branch, facts.base_branch or row.base_branch
        row.is_open, row.changed_at = facts.is_open, now
    if facts.reviewers:
        row.reviewers = [asdict(one) for one in add_reviewers(list_reviewers(row), facts.reviewers)]
    session.flush()


def record_open_pull_requests(
    session: WriteSession,
    repository_id: RepositoryId,
    listed: Sequence[PullRequestFacts],
    *,
    is_complete: bool,
    now: datetime,
) -> None:
    """Record the open pull requests of a repository, those that changed last first; with a complete list, others are closed."""
    for place, facts in enumerate(listed):
        with suppress(CommitNotFound):  # abbreviated commits that are not fetched yet
            resolved = resolve_facts(session, repository_id, facts)
            record_pull_request(session, repository_id, resolved, now - timedelta(milliseconds=place))
    if is_complete:
        numbers = {one.number for one in listed}
        for row in queries.select_open_pull_requests(session, repository_id, MOST_CLOSED):
            row.is_open = row.number in numbers


def resolve_facts(session: ReadSession, repository_id: RepositoryId, facts: PullRequestFacts) -> PullRequestFacts:
    """Return the facts with whole SHAs: Bitbucket abbreviates them.

    An unknown base is left out. An unknown head of a fork, which is never measured, is replaced by the merge or stays
    abbreviated. Raises `CommitNotFound` if the merge, or a head that can be measured, is not known yet.
    """
    spelled = {one for one in (facts.head, facts.base, facts.merge) if one is not None and not SHA.fullmatch(one)}
    if not spelled:
        return facts
    whole = commit_graph.resolve_commits(session, repository_id, spelled)
    for needed in (facts.merge, facts.head if facts.is_open else None):
        if needed in spelled - whole.keys():
            raise CommitNotFound(f"The repository has no commit {needed} yet.")
    merge = whole.get(facts.merge, facts.merge) if facts.merge else None
    head = whole.get(facts.head) or (facts.head if facts.head not in spelled else merge or facts.head)
    base = facts.base if facts.base not in spelled else whole.get(facts.base)
    return replace(facts, head=head, base=base, merge=merge)


def enqueue_lookup(session: WriteSession, repository_id: RepositoryId, sha: str | None = None) -> None:
    """Enqueue the request for earlier pull requests: of the newest commits, or of one that is shown.

    Nothing is done for a repository without credentials of a code host with an API, or if the host was asked before.
    """
    repository = queries.repository(session, repository_id)
    if repository is None or repository.encrypted_credentials is None or repository.kind not in HOST_APIS:
        return
    if sha is None:
        enqueue_unless_pending(session, FetchPullRequests(repository_id))
        return
    for row in queries.commits(session, repository_id, [sha]):
        if row.pull_request_checked_at is None:
            enqueue_unless_pending(session, FetchCommitPullRequest(CommitId(row.id)))


def list_unchecked_commits(session: ReadSession, repository_id: RepositoryId) -> Sequence[Commit]:
    """Return some of the newest commits whose pull requests the code host was not asked for."""
    return queries.select_unchecked_commits(session, repository_id, newest=MOST_LOOKED_UP, limit=LOOKED_UP_AT_ONCE)


def record_lookup(
    session: WriteSession, repository_id: RepositoryId, sha: str, facts: PullRequestFacts | None, now: datetime
) -> None:
    """Record the answer of the code host for a commit; None: it has no pull request that was reviewed or merged."""
    if facts is not None:
        with suppress(CommitNotFound):  # its commits are not in the mirror
            record_pull_request(session, repository_id, resolve_facts(session, repository_id, facts), now)
    for row in queries.commits(session, repository_id, [sha]):
        row.pull_request_checked_at = now


def get_reported_pull_request(session: ReadSession, repository_id: RepositoryId, number: int) -> PullRequest | None:
    """Return a pull request by its number; None if it was never reported."""
    return queries.select_pull_request(session, repository_id, number)


def list_open_pull_requests(session: ReadSession, service_id: ServiceId, limit: int) -> Sequence[PullRequest]:
    """Return the open pull requests of a service's repository that changed last."""
    source = queries.service_repository(session, service_id)
    return (
        [] if source is None else queries.select_open_pull_requests(session, RepositoryId(source.repository_id), limit)
    )


def find_common_repository(session: ReadSession, service_ids: Collection[ServiceId]) -> RepositoryId | None:
    """Return the only repository that services are built from; None if there is none, or several."""
    linked = (queries.service_repository(session, one) for one in service_ids)
    found = {RepositoryId(one.repository_id) for one in linked if one is not None}
    return found.pop() if len(found) == 1 else None


def list_reviewers(row: PullRequest) -> list[Reviewer]:
    """Return who reviewed a pull request."""
    return [Reviewer(one["login"], one["name"], one["email"]) for one in row.reviewers]


def find_pull_request(session: ReadSession, repository_id: RepositoryId, row: Commit) -> PullRequest | None:
    """Return the pull request that a commit belongs to; None if that is not certain."""
    direct = queries.select_pull_requests(session, repository_id, [row.sha])
    if direct:
        return direct[0]
    after = queries.select_descendants(session, repository_id, row.sha, MOST_DESCENDANTS)
    found = queries.select_pull_requests(session, repository_id, after) if len(after) > 1 else []
    found = [one for one in found if one.head_sha in after]
    merges = {one.sha: one for one in queries.commits(session, repository_id, [*_merges(found)])} if found else {}
    former = {
        one.id: find_former_head(one.base_sha, merges[one.merge_sha].parents if one.merge_sha in merges else None)
        for one in found
    }
    counted = queries.generations(session, repository_id, [one for one in former.values() if one is not None])
    for one in found:
        base = former[one.id]
        if base is None or base not in counted or base in after:
            continue  # the commit was there before the pull request, or that is not known
        if len(after) < MOST_DESCENDANTS or counted[base][0] <= row.generation:
            return one
    return None


def list_pull_requests(
    session: ReadSession, repository_id: RepositoryId, rows: Sequence[Commit]
) -> dict[str, PullRequest]:
    """Return the pull requests of the commits of a range by SHA, of those that belong to one with certainty."""
    graph = {row.sha: [UNTOLD] if row.parents is None else row.parents for row in rows}
    found: dict[str, PullRequest] = {}
    for one in queries.select_pull_requests(session, repository_id, list(graph)):
        for sha in list_pull_request_commits(graph, one.head_sha, one.base_sha, one.merge_sha):
            found.setdefault(sha, one)
    return found


def _merges(rows: Sequence[PullRequest]) -> list[str]:
    return [one.merge_sha for one in rows if one.merge_sha is not None]
