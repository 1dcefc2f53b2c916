"""Every SELECT on what runs where: deploys, annotations, edges, orders."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import distinct_on

from slowpath.catalog.tables import Annotation, BoardOrder, Build, Deploy, Service, ServiceEdge
from slowpath.core.ids import AnnotationId, DeployId, EnvironmentId, ServiceId
from slowpath.core.sessions import ReadSession, WriteSession

After = tuple[datetime, UUID] | None


def deploy(session: ReadSession, deploy_id: DeployId) -> Deploy | None:
    """Return one deploy, by primary key."""
    return session.get(Deploy, (session.team_id, deploy_id))


def deploy_told(session: ReadSession, external_id: str) -> Deploy | None:
    """Return the deploy that a message of this id told of, by its unique constraint."""
    return session.scalars(select(Deploy).where(Deploy.external_id == external_id)).one_or_none()


def deploys(
    session: ReadSession,
    after: After,
    limit: int,
    *,
    service_id: ServiceId | None,
    environment_id: EnvironmentId | None,
) -> Sequence[Deploy]:
    """Return deploys, the last made known first, by ix_deploy_newest."""
    found = select(Deploy).order_by(Deploy.created_at.desc(), Deploy.id.desc()).limit(limit)
    if service_id is not None:
        found = found.where(Deploy.service_id == service_id)
    if environment_id is not None:
        found = found.where(Deploy.environment_id == environment_id)
    if after is not None:
        found = found.where(tuple_(Deploy.created_at, Deploy.id) < after)
    return session.scalars(found).all()


def neighbours(
    session: ReadSession, service_id: ServiceId, environment_id: EnvironmentId, at: datetime
) -> tuple[Deploy | None, Deploy | None]:
    """Return the last deploy of the service that began before a time and the first after it, by ix_deploy_service."""
    of_service = select(Deploy).where(Deploy.service_id == service_id, Deploy.environment_id == environment_id)
    before = session.scalars(
        of_service.where(Deploy.started_at < at).order_by(Deploy.started_at.desc(), Deploy.id).limit(1)
    ).first()
    later = session.scalars(
        of_service.where(Deploy.started_at > at).order_by(Deploy.started_at, Deploy.id).limit(1)
    ).first()
    return before, later


def deploys_between(
    session: ReadSession, environment_id: EnvironmentId, start: datetime, end: datetime, limit: int
) -> Sequence[Deploy]:
    """Return the newest deploys that began in [start, end], oldest first, by ix_deploy_when."""
    found = (
        select(Deploy)
        .where(Deploy.environment_id == environment_id, Deploy.started_at >= start, Deploy.started_at <= end)
        .order_by(Deploy.started_at.desc(), Deploy.id)
        .limit(limit)
    )
    return session.scalars(found).all()[::-1]


def deploys_of_builds(
    session: ReadSession, service_ids: Sequence[UUID], build_ids: Sequence[UUID], limit: int
) -> Sequence[Deploy]:
    """Return the newest deploys of builds of these services, oldest first, by ix_deploy_service."""
    found = (
        select(Deploy)
        .where(Deploy.service_id.in_(service_ids), Deploy.build_id.in_(build_ids))
        .order_by(Deploy.started_at.desc(), Deploy.id)
        .limit(limit)
    )
    return session.scalars(found).all()[::-1]


def deploys_running(session: ReadSession, environment_id: EnvironmentId, at: datetime) -> Sequence[Deploy]:
    """Return what ran at a time: of each service the last deploy begun before."""
    found = (
        select(Deploy)
        .where(Deploy.environment_id == environment_id, Deploy.started_at <= at)
        .ext(distinct_on(Deploy.service_id))
        .order_by(Deploy.service_id, Deploy.started_at.desc(), Deploy.id)
    )
    return session.scalars(found).all()


def build_of_commit(session: ReadSession, service_id: ServiceId, commit: str) -> Build | None:
    """Return the newest build of a commit, which may be told by its beginning."""
    found = (
        select(Build)
        .where(Build.service_id == service_id, Build.commit.startswith(commit, autoescape=True))
        .order_by(Build.created_at.desc(), Build.id)
        .limit(1)
    )
    return session.scalars(found).first()


def give_build(session: WriteSession, build: Build) -> None:
    """Let deploys of the build's commit that know no build know this one."""
    session.execute(
        update(Deploy)
        .where(Deploy.service_id == build.service_id, Deploy.build_id.is_(None), Deploy.commit == build.commit)
        .values(build_id=build.id)
    )


def annotation(session: ReadSession, annotation_id: AnnotationId) -> Annotation | None:
    """Return one annotation, by primary key."""
    return session.get(Annotation, (session.team_id, annotation_id))


def annotations_between(
    session: ReadSession, environment_id: EnvironmentId, start: datetime, end: datetime, limit: int
) -> Sequence[Annotation]:
    """Return the newest annotations that touch [start, end], oldest first, by ix_annotation_when."""
    found = (
        select(Annotation)
        .where(
            Annotation.environment_id == environment_id,
            Annotation.at <= end,
            or_(Annotation.at >= start, Annotation.until >= start),
        )
        .order_by(Annotation.at.desc(), Annotation.id)
        .limit(limit)
    )
    return session.scalars(found).all()[::-1]


def edges(session: ReadSession, environment_id: EnvironmentId) -> Sequence[ServiceEdge]:
    """Return all edges of an environment."""
    return session.scalars(
        select(ServiceEdge).where(ServiceEdge.environment_id == environment_id).order_by(ServiceEdge.id)
    ).all()


def order(session: ReadSession, environment_id: EnvironmentId) -> BoardOrder | None:
    """Return the order laid by hand, by its unique constraint."""
    return session.scalars(select(BoardOrder).where(BoardOrder.environment_id == environment_id)).one_or_none()


def services_by_name(session: ReadSession) -> Sequence[Service]:
    """Return all services by name."""
    return session.scalars(select(Service).order_by(Service.slug)).all()
