"""SELECT statements for services, environments and builds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, or_, select, tuple_
from sqlalchemy.orm import defer

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BuildId, EnvironmentId, ServiceId
from slowpath.inventory.catalog.tables import Build, Environment, PendingCommitMetadata, Service

After = tuple[datetime, UUID] | None


@dataclass(frozen=True)
class BuildIdentity:
    """The identity of a build."""

    service_id: ServiceId
    commit: str
    go_version: str
    goos: str
    goarch: str
    flags: str


@dataclass(frozen=True)
class BuildFilter:
    """Filter of a list of builds; None matches all. `search`: prefix of a commit SHA, or part of name, branch or title."""

    service_id: ServiceId | None = None
    branch: str | None = None
    search: str | None = None


def service(session: ReadSession, service_id: ServiceId) -> Service | None:
    """Return one service, by primary key."""
    return session.get(Service, (session.team_id, service_id))


def service_by_slug(session: ReadSession, slug: str) -> Service | None:
    """Return the service with this slug, by its unique constraint."""
    return session.scalars(select(Service).where(Service.slug == slug)).one_or_none()


def example_services(session: ReadSession, service_ids: Sequence[ServiceId]) -> Sequence[Service]:
    """Return which of these services are of the example, by primary key."""
    return session.scalars(select(Service).where(Service.id.in_(service_ids), Service.is_example)).all()


def services(session: ReadSession, after: After, limit: int) -> Sequence[Service]:
    """Return services newest first."""
    found = select(Service).order_by(Service.created_at.desc(), Service.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(Service.created_at, Service.id) < after)
    return session.scalars(found).all()


def environment(session: ReadSession, environment_id: EnvironmentId) -> Environment | None:
    """Return one environment, by primary key."""
    return session.get(Environment, (session.team_id, environment_id))


def environment_by_slug(session: ReadSession, slug: str) -> Environment | None:
    """Return the environment with this slug, by its unique constraint."""
    return session.scalars(select(Environment).where(Environment.slug == slug)).one_or_none()


def environments(session: ReadSession, after: After, limit: int) -> Sequence[Environment]:
    """Return environments newest first."""
    found = select(Environment).order_by(Environment.created_at.desc(), Environment.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(Environment.created_at, Environment.id) < after)
    return session.scalars(found).all()


def build(session: ReadSession, build_id: BuildId) -> Build | None:
    """Return one build, by primary key."""
    return session.get(Build, (session.team_id, build_id))


def build_by_identity(session: ReadSession, identity: BuildIdentity) -> Build | None:
    """Return the build with this identity, by its unique constraint."""
    return session.scalars(select(Build).filter_by(**vars(identity))).one_or_none()


def builds(session: ReadSession, after: After, limit: int, filters: BuildFilter) -> Sequence[Build]:
    """Return builds newest first, without their dependencies (thousands each), by ix_build_newest, ix_build_service or ix_build_branch."""
    found = select(Build).options(defer(Build.dependencies, raiseload=True)).limit(limit)
    found = found.order_by(Build.created_at.desc(), Build.id.desc())
    if filters.service_id is not None:
        found = found.where(Build.service_id == filters.service_id)
    if filters.branch is not None:
        found = found.where(Build.branch == filters.branch)
    if filters.search:
        starts = Build.commit.startswith(filters.search.lower(), autoescape=True)
        texts = (Build.display_name, Build.branch, Build.title)
        found = found.where(or_(starts, *(text.icontains(filters.search, autoescape=True) for text in texts)))
    if after is not None:
        found = found.where(tuple_(Build.created_at, Build.id) < after)
    return session.scalars(found).all()


def builds_of_commit(session: ReadSession, service_id: ServiceId, commit: str) -> Sequence[Build]:
    """Return all builds of a commit newest first, by uq_build_identity."""
    found = select(Build).where(Build.service_id == service_id, Build.commit == commit)
    return session.scalars(found.order_by(Build.created_at.desc(), Build.id)).all()


def select_pending_commit_metadata(
    session: ReadSession, service_id: ServiceId, commit: str
) -> PendingCommitMetadata | None:
    """Return the pending metadata of a commit without a build, by uq_commit_word."""
    found = select(PendingCommitMetadata).where(
        PendingCommitMetadata.team_id == session.team_id,
        PendingCommitMetadata.service_id == service_id,
        PendingCommitMetadata.commit == commit,
    )
    return session.scalars(found).one_or_none()


def delete_old_pending_commit_metadata(session: WriteSession, service_id: ServiceId, before: datetime) -> None:
    """Delete old pending metadata of commits that got no build, by ix_commit_word_oldest."""
    session.execute(
        delete(PendingCommitMetadata).where(
            PendingCommitMetadata.team_id == session.team_id,
            PendingCommitMetadata.service_id == service_id,
            PendingCommitMetadata.created_at < before,
        )
    )


def lock_commit(session: ReadSession, service_id: ServiceId, commit: str) -> None:
    """Lock the builds of a commit against concurrent creation and completion until the transaction ends."""
    key = f"{session.team_id}/{service_id}/{commit}"
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 2))))
