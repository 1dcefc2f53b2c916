"""SELECT statements of repositories and commits."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, any_, func, literal, select, tuple_
from sqlalchemy.dialects.postgresql import ARRAY, array
from sqlalchemy.types import Text

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import CommitId, RepositoryId, ServiceId
from slowpath.core.jobs import JobRow, JobState
from slowpath.inventory.catalog.tables import Build, Service
from slowpath.inventory.repositories.jobs import ComputePackageClosures, FetchRepository
from slowpath.inventory.repositories.rules import UNTOLD
from slowpath.inventory.repositories.tables import (
    Commit,
    CommitDiff,
    PackageClosure,
    PullRequest,
    Repository,
    ServiceRepository,
)

After = tuple[datetime, UUID] | None


def repositories(session: ReadSession, after: After, limit: int) -> Sequence[Repository]:
    """Return repositories newest first, by ix_repository_newest."""
    found = select(Repository).where(Repository.team_id == session.team_id)
    found = found.order_by(Repository.created_at.desc(), Repository.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(Repository.created_at, Repository.id) < after)
    return session.scalars(found).all()


def repository(session: ReadSession, repository_id: RepositoryId) -> Repository | None:
    """Return one repository, by primary key."""
    return session.get(Repository, (session.team_id, repository_id))


def lock_repository(session: ReadSession, repository_id: RepositoryId) -> Repository | None:
    """Return one repository, by primary key, and lock it."""
    return session.get(Repository, (session.team_id, repository_id), with_for_update=True, populate_existing=True)


def repository_at(session: ReadSession, url: str) -> Repository | None:
    """Return the repository with a URL, by its unique constraint."""
    return session.scalars(
        select(Repository).where(Repository.team_id == session.team_id, Repository.url == url)
    ).one_or_none()


def repository_urls(session: ReadSession) -> Sequence[str]:
    """Return the URLs of all repositories of the team."""
    found = select(Repository.url).where(Repository.team_id == session.team_id, Repository.url.is_not(None))
    return [url for url in session.scalars(found) if url is not None]


def count_repositories(session: ReadSession) -> int:
    """Return how many repositories the team has, by ix_repository_newest."""
    found = select(func.count()).select_from(Repository).where(Repository.team_id == session.team_id)
    return session.scalars(found).one()


def services_of(session: ReadSession, repository_ids: Collection[UUID]) -> Sequence[ServiceRepository]:
    """Return the services built from repositories, by ix_service_repository_repository."""
    found = select(ServiceRepository).where(
        ServiceRepository.team_id == session.team_id, ServiceRepository.repository_id.in_(repository_ids)
    )
    return session.scalars(found.order_by(ServiceRepository.created_at, ServiceRepository.id)).all()


def service_repository(session: ReadSession, service_id: ServiceId) -> ServiceRepository | None:
    """Return the link of a service to its repository, by its unique constraint."""
    found = select(ServiceRepository).where(
        ServiceRepository.team_id == session.team_id, ServiceRepository.service_id == service_id
    )
    return session.scalars(found).one_or_none()


def commit(session: ReadSession, repository_id: RepositoryId, sha: str) -> Commit | None:
    """Return one commit, by uq_commit_sha."""
    found = select(Commit).where(
        Commit.team_id == session.team_id, Commit.repository_id == repository_id, Commit.sha == sha
    )
    return session.scalars(found).one_or_none()


def commit_by_id(session: ReadSession, commit_id: CommitId) -> Commit | None:
    """Return one commit, by primary key."""
    return session.get(Commit, (session.team_id, commit_id))


def commits(session: ReadSession, repository_id: RepositoryId, shas: Collection[str]) -> Sequence[Commit]:
    """Return the commits with these SHAs, by uq_commit_sha."""
    found = select(Commit).where(
        Commit.team_id == session.team_id,
        Commit.repository_id == repository_id,
        Commit.sha == any_(literal(list(shas), ARRAY(Text))),
    )
    return session.scalars(found).all()


def select_commits_by_prefix(session: ReadSession, repository_id: RepositoryId, prefix: str) -> Sequence[str]:
    """Return at most two SHAs with this prefix, by uq_commit_sha: hexadecimal digits sort before g."""
    found = select(Commit.sha).where(
        Commit.team_id == session.team_id,
        Commit.repository_id == repository_id,
        Commit.sha >= prefix,
        Commit.sha < prefix + "g",
    )
    return session.scalars(found.limit(2)).all()


def generations(
    session: ReadSession, repository_id: RepositoryId, shas: Collection[str]
) -> dict[str, tuple[int, datetime | None]]:
    """Return generation and time of these commits, by uq_commit_sha."""
    found = select(Commit.sha, Commit.generation, Commit.committed_at).where(
        Commit.team_id == session.team_id,
        Commit.repository_id == repository_id,
        Commit.sha == any_(literal(list(shas), ARRAY(Text))),
    )
    return {sha: (generation, at) for sha, generation, at in session.execute(found)}


def has_children(session: ReadSession, repository_id: RepositoryId, shas: Collection[str]) -> bool:
    """Return whether a known commit has one of these as a parent, by ix_commit_parents."""
    found = select(Commit.id).where(
        Commit.team_id == session.team_id,
        Commit.repository_id == repository_id,
        Commit.parents.op("?|")(array([*shas], type_=Text)),
    )
    return bool(shas) and session.scalars(found.limit(1)).first() is not None


def graph(session: ReadSession, repository_id: RepositoryId) -> dict[str, list[str]]:
    """Return every commit of a repository with its parents; `[UNTOLD]` if they are unknown."""
    found = select(Commit.sha, Commit.parents).where(
        Commit.team_id == session.team_id, Commit.repository_id == repository_id
    )
    return {sha: [UNTOLD] if parents is None else parents for sha, parents in session.execute(found)}


def count_commits(session: ReadSession, repository_ids: Collection[UUID]) -> dict[UUID, int]:
    """Return the number of known commits of each repository."""
    found = select(Commit.repository_id, func.count()).where(
        Commit.team_id == session.team_id, Commit.repository_id.in_(repository_ids)
    )
    return {row[0]: row[1] for row in session.execute(found.group_by(Commit.repository_id))}


def closures(session: ReadSession, commit_ids: Collection[UUID], recipe: str) -> dict[UUID, PackageClosure]:
    """Return the closures of commits, by uq_commit_closure_recipe."""
    found = select(PackageClosure).where(
        PackageClosure.team_id == session.team_id,
        PackageClosure.commit_id == any_(literal(list(commit_ids), ARRAY(Commit.id.type))),
        PackageClosure.recipe == recipe,
    )
    return {row.commit_id: row for row in session.scalars(found)}


def diff(session: ReadSession, commit_id: CommitId) -> CommitDiff | None:
    """Return the line changes of a commit, by its unique constraint."""
    found = select(CommitDiff).where(CommitDiff.team_id == session.team_id, CommitDiff.commit_id == commit_id)
    return session.scalars(found).one_or_none()


def service_names(session: ReadSession, service_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of services, by primary key."""
    found = select(Service.id, Service.name).where(Service.team_id == session.team_id, Service.id.in_(service_ids))
    return {row[0]: row[1] for row in session.execute(found)}


def fetching(session: ReadSession, repository_ids: Collection[UUID]) -> set[UUID]:
    """Return which repositories are being fetched, by ix_job_subject."""
    found = select(JobRow.subject_id).where(
        JobRow.team_id == session.team_id,
        JobRow.subject_kind == FetchRepository.subject_kind,
        JobRow.subject_id.in_(repository_ids),
        JobRow.name == FetchRepository.name,
        JobRow.state.in_([JobState.WAITING, JobState.RUNNING]),
    )
    return set(session.scalars(found))


def reading_closures(session: ReadSession, service_id: ServiceId) -> bool:
    """Return whether closures of a service are being computed, by ix_job_subject."""
    found = select(JobRow.id).where(
        JobRow.team_id == session.team_id,
        JobRow.subject_kind == ComputePackageClosures.subject_kind,
        JobRow.subject_id == service_id,
        JobRow.name == ComputePackageClosures.name,
        JobRow.state.in_([JobState.WAITING, JobState.RUNNING]),
    )
    return session.scalars(found.limit(1)).first() is not None


def select_service_refs(
    session: ReadSession, service_ids: Collection[ServiceId] | None
) -> Sequence[Row[UUID, str | None, dict[str, Any], dict[str, Any]]]:
    """Return (service_id, default_branch, branch_heads, tags) of services, None for all, by the unique constraint."""
    found = (
        select(ServiceRepository.service_id, Repository.default_branch, Repository.branch_heads, Repository.tags)
        .join(
            Repository,
            (Repository.team_id == ServiceRepository.team_id) & (Repository.id == ServiceRepository.repository_id),
        )
        .where(ServiceRepository.team_id == session.team_id)
        .order_by(ServiceRepository.service_id)
    )
    if service_ids is not None:
        found = found.where(ServiceRepository.service_id.in_(service_ids))
    return session.execute(found).all()


def select_all_repositories(session: ReadSession) -> Sequence[Repository]:
    """Return all repositories of the team (at most 200), by ix_repository_newest."""
    return session.scalars(
        select(Repository).where(Repository.team_id == session.team_id).order_by(Repository.created_at, Repository.id)
    ).all()


def select_repositories_with_commit(session: ReadSession, sha: str) -> Sequence[Repository]:
    """Return the repositories that have a commit, by uq_commit_sha for each."""
    ids = [row.id for row in select_all_repositories(session)]
    found = select(Commit.repository_id).where(
        Commit.team_id == session.team_id, Commit.repository_id.in_(ids), Commit.sha == sha
    )
    having = set(session.scalars(found)) if ids else set()
    return [row for row in select_all_repositories(session) if row.id in having]


def select_descendants(session: ReadSession, repository_id: RepositoryId, sha: str, limit: int) -> set[str]:
    """Return a commit and its known descendants, the nearest first, at most `limit`, by ix_commit_parents."""
    found = select(literal(sha, Text).label("sha")).cte("descendant", recursive=True)
    children = select(Commit.sha).where(
        Commit.team_id == session.team_id,
        Commit.repository_id == repository_id,
        Commit.parents.op("?", is_comparison=True)(found.c.sha),
    )
    return set(session.scalars(select(found.union(children).c.sha).limit(limit)))


def select_pull_request(
    session: ReadSession, repository_id: RepositoryId, number: int, *, is_locked: bool = False
) -> PullRequest | None:
    """Return one pull request, by uq_pull_request_number, and lock it on request."""
    found = select(PullRequest).where(
        PullRequest.team_id == session.team_id,
        PullRequest.repository_id == repository_id,
        PullRequest.number == number,
    )
    found = found.with_for_update() if is_locked else found
    return session.scalars(found.execution_options(populate_existing=True)).one_or_none()


def select_pull_requests(
    session: ReadSession, repository_id: RepositoryId, shas: Collection[str]
) -> Sequence[PullRequest]:
    """Return the pull requests with one of these as head or merge, the newest number first, by their indexes."""
    those = any_(literal(list(shas), ARRAY(Text)))
    found = select(PullRequest).where(
        PullRequest.team_id == session.team_id,
        PullRequest.repository_id == repository_id,
        (PullRequest.head_sha == those) | (PullRequest.merge_sha == those),
    )
    return session.scalars(found.order_by(PullRequest.number.desc())).all()


def select_unchecked_commits(
    session: ReadSession, repository_id: RepositoryId, *, newest: int, limit: int
) -> Sequence[Commit]:
    """Return those of the newest commits of a repository whose pull requests the code host was not asked for."""
    its = (Commit.team_id == session.team_id) & (Commit.repository_id == repository_id)
    order = Commit.committed_at.desc().nulls_last(), Commit.id.desc()
    ids = select(Commit.id).where(its).order_by(*order).limit(newest)
    found = select(Commit).where(its, Commit.pull_request_checked_at.is_(None), Commit.id.in_(ids))
    return session.scalars(found.order_by(*order).limit(limit)).all()


def select_open_pull_requests(session: ReadSession, repository_id: RepositoryId, limit: int) -> Sequence[PullRequest]:
    """Return the open pull requests of a repository that changed last, by ix_pull_request_open."""
    found = select(PullRequest).where(
        PullRequest.team_id == session.team_id, PullRequest.repository_id == repository_id, PullRequest.is_open
    )
    newest = found.order_by(PullRequest.changed_at.desc(), PullRequest.number.desc()).limit(limit)
    return session.scalars(newest).all()


def select_built_pull_request(session: ReadSession, repository_id: RepositoryId, sha: str) -> dict[str, Any] | None:
    """Return the pull request that a build of a commit reports, of the services built from a repository."""
    found = (
        select(Build.pull_request)
        .join(
            ServiceRepository,
            (ServiceRepository.team_id == Build.team_id) & (ServiceRepository.service_id == Build.service_id),
        )
        .where(
            Build.team_id == session.team_id,
            ServiceRepository.repository_id == repository_id,
            Build.commit == sha,
            Build.pull_request.is_not(None),
        )
    )
    return session.scalars(found.order_by(Build.created_at.desc(), Build.id).limit(1)).first()
