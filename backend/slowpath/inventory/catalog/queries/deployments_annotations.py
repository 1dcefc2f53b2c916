"""SELECT statements for deployments, annotations, service edges and orders."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import distinct_on

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import AnnotationId, DeployId, EnvironmentId, ServiceId
from slowpath.inventory.catalog.tables import Annotation, Build, Deployment, ManualServiceOrder, Service, ServiceEdge

After = tuple[datetime, UUID] | None


def deploy(session: ReadSession, deploy_id: DeployId) -> Deployment | None:
    """Return one deployment, by primary key."""
    return session.get(Deployment, (session.team_id, deploy_id))


def select_deployment_by_external_id(session: ReadSession, external_id: str) -> Deployment | None:
    """Return the deployment with this external ID, by its unique constraint."""
    return session.scalars(select(Deployment).where(Deployment.external_id == external_id)).one_or_none()


def deploys(
    session: ReadSession,
    after: After,
    limit: int,
    *,
    service_id: ServiceId | None,
    environment_id: EnvironmentId | None,
    search: str | None = None,
) -> Sequence[Deployment]:
    """Return deployments, the last recorded first, by ix_deploy_newest.

    `search` is the prefix of a commit SHA, or part of a label.
    """
    found = select(Deployment).order_by(Deployment.created_at.desc(), Deployment.id.desc()).limit(limit)
    if service_id is not None:
        found = found.where(Deployment.service_id == service_id)
    if environment_id is not None:
        found = found.where(Deployment.environment_id == environment_id)
    if search is not None:
        prefix = Deployment.commit.istartswith(search, autoescape=True)
        found = found.where(or_(prefix, Deployment.label.icontains(search, autoescape=True)))
    if after is not None:
        found = found.where(tuple_(Deployment.created_at, Deployment.id) < after)
    return session.scalars(found).all()


def select_adjacent_deployments(
    session: ReadSession, service_id: ServiceId, environment_id: EnvironmentId, at: datetime
) -> tuple[Deployment | None, Deployment | None]:
    """Return the last deployment of the service before a time and the first after it, by ix_deploy_service."""
    of_service = select(Deployment).where(
        Deployment.service_id == service_id, Deployment.environment_id == environment_id
    )
    before = session.scalars(
        of_service.where(Deployment.started_at < at).order_by(Deployment.started_at.desc(), Deployment.id).limit(1)
    ).first()
    later = session.scalars(
        of_service.where(Deployment.started_at > at).order_by(Deployment.started_at, Deployment.id).limit(1)
    ).first()
    return before, later


def deploys_between(
    session: ReadSession, environment_id: EnvironmentId, start: datetime, end: datetime, limit: int
) -> Sequence[Deployment]:
    """Return the newest deployments that started in [start, end], oldest first, by ix_deploy_when."""
    found = (
        select(Deployment)
        .where(
            Deployment.environment_id == environment_id, Deployment.started_at >= start, Deployment.started_at <= end
        )
        .order_by(Deployment.started_at.desc(), Deployment.id)
        .limit(limit)
    )
    return session.scalars(found).all()[::-1]


def deploys_of_builds(
    session: ReadSession, service_ids: Sequence[UUID], build_ids: Sequence[UUID], limit: int
) -> Sequence[Deployment]:
    """Return the newest deployments of builds of these services, oldest first, by ix_deploy_service."""
    found = (
        select(Deployment)
        .where(Deployment.service_id.in_(service_ids), Deployment.build_id.in_(build_ids))
        .order_by(Deployment.started_at.desc(), Deployment.id)
        .limit(limit)
    )
    return session.scalars(found).all()[::-1]


def deploys_running(session: ReadSession, environment_id: EnvironmentId, at: datetime) -> Sequence[Deployment]:
    """Return what ran at a time: the last earlier deployment of each service."""
    found = (
        select(Deployment)
        .where(Deployment.environment_id == environment_id, Deployment.started_at <= at)
        .ext(distinct_on(Deployment.service_id))
        .order_by(Deployment.service_id, Deployment.started_at.desc(), Deployment.id)
    )
    return session.scalars(found).all()


def build_of_commit(session: ReadSession, service_id: ServiceId, commit: str) -> Build | None:
    """Return the newest build of a commit, given by its SHA or a prefix."""
    found = (
        select(Build)
        .where(Build.service_id == service_id, Build.commit.startswith(commit, autoescape=True))
        .order_by(Build.created_at.desc(), Build.id)
        .limit(1)
    )
    return session.scalars(found).first()


def link_build_to_deployments(session: WriteSession, build: Build) -> None:
    """Link deployments of the build's commit that have no build to this one."""
    session.execute(
        update(Deployment)
        .where(
            Deployment.service_id == build.service_id, Deployment.build_id.is_(None), Deployment.commit == build.commit
        )
        .values(build_id=build.id)
    )


def annotation(session: ReadSession, annotation_id: AnnotationId) -> Annotation | None:
    """Return one annotation, by primary key."""
    return session.get(Annotation, (session.team_id, annotation_id))


def annotations_between(
    session: ReadSession, environment_id: EnvironmentId, start: datetime, end: datetime, limit: int
) -> Sequence[Annotation]:
    """Return the newest annotations that overlap [start, end], oldest first, by ix_annotation_when."""
    found = (
        select(Annotation)
        .where(
            Annotation.environment_id == environment_id,
            Annotation.started_at <= end,
            or_(Annotation.started_at >= start, Annotation.ended_at >= start),
        )
        .order_by(Annotation.started_at.desc(), Annotation.id)
        .limit(limit)
    )
    return session.scalars(found).all()[::-1]


def edges(session: ReadSession, environment_id: EnvironmentId) -> Sequence[ServiceEdge]:
    """Return all edges of an environment."""
    return session.scalars(
        select(ServiceEdge).where(ServiceEdge.environment_id == environment_id).order_by(ServiceEdge.id)
    ).all()


def order(session: ReadSession, environment_id: EnvironmentId) -> ManualServiceOrder | None:
    """Return the manual order, by its unique constraint."""
    return session.scalars(
        select(ManualServiceOrder).where(ManualServiceOrder.environment_id == environment_id)
    ).one_or_none()


def services_by_name(session: ReadSession) -> Sequence[Service]:
    """Return all services by name."""
    return session.scalars(select(Service).order_by(Service.slug)).all()
