"""Operations on deployments: which build runs where and when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BuildId, DeployId, EnvironmentId, ServiceId, new_id
from slowpath.inventory.catalog.errors import DeploymentNotFound, NoDeploymentInEvent
from slowpath.inventory.catalog.queries import deployments_annotations
from slowpath.inventory.catalog.queries.deployments_annotations import After
from slowpath.inventory.catalog.rules import DeploymentEvent, NotADeploymentEvent, parse_deployment_event
from slowpath.inventory.catalog.service.catalog_entries import (
    build,
    ensure_environment,
    ensure_service,
    environment,
    service,
)
from slowpath.inventory.catalog.service.get_or_insert import get_or_insert
from slowpath.inventory.catalog.tables import Build, Deployment

DEFAULT_ENVIRONMENT = "production"
MOST_SHOWN = 1_000
"""Deployments on one dashboard: more could not be distinguished."""


@dataclass(frozen=True)
class DeploymentFields:
    """A new deployment."""

    service_id: ServiceId
    environment_id: EnvironmentId
    started_at: datetime
    source: str
    commit: str = ""
    build_id: BuildId | None = None
    label: str | None = None
    external_id: str | None = None
    url: str | None = None
    commits: Sequence[Any] = ()


def deploy(session: ReadSession, deploy_id: DeployId) -> Deployment:
    """Return the deployment. Raises `DeploymentNotFound`."""
    row = deployments_annotations.deploy(session, deploy_id)
    if row is None:
        raise DeploymentNotFound("The team has no such deployment.")
    return row


def find_former_deployment(session: ReadSession, row: Deployment) -> Deployment | None:
    """Return the last deployment of the service in the environment before this one."""
    at = (ServiceId(row.service_id), EnvironmentId(row.environment_id), row.started_at)
    return deployments_annotations.select_adjacent_deployments(session, *at)[0]


def deploys(
    session: ReadSession,
    after: After,
    limit: int,
    *,
    service_id: ServiceId | None = None,
    environment_id: EnvironmentId | None = None,
    search: str | None = None,
) -> Sequence[Deployment]:
    """Return deployments, the last recorded first; `search` as in the queries."""
    return deployments_annotations.deploys(
        session, after, limit, service_id=service_id, environment_id=environment_id, search=search
    )


def deploys_between(
    session: ReadSession, environment_id: EnvironmentId, start: datetime, end: datetime
) -> Sequence[Deployment]:
    """Return the deployments that started in [start, end], oldest first; of more than 1,000 the newest."""
    return deployments_annotations.deploys_between(session, environment_id, start, end, MOST_SHOWN)


def deploys_of_builds(session: ReadSession, builds: Mapping[BuildId, ServiceId]) -> Sequence[Deployment]:
    """Return the deployments of builds, each with its service, oldest first; of more than 1,000 the newest."""
    return deployments_annotations.deploys_of_builds(session, sorted(set(builds.values())), list(builds), MOST_SHOWN)


def list_active_deployments(
    session: ReadSession, environment_id: EnvironmentId, at: datetime
) -> dict[ServiceId, Deployment]:
    """Return the deployment of each service at a time."""
    return {
        ServiceId(row.service_id): row for row in deployments_annotations.deploys_running(session, environment_id, at)
    }


def record_deployment(session: WriteSession, new: DeploymentFields) -> tuple[Deployment, bool]:
    """Return the deployment, created if it is new, and whether it was created; an external ID identifies it.

    It ends the previous deployment, and ends at the next known one. Its build is found by its commit; a build that is
    created later is linked to its deployments. Raises `ServiceNotFound`, `EnvironmentNotFound`, `BuildNotFound`.
    """
    service(session, new.service_id)
    environment(session, new.environment_id)
    of_build = _build(session, new)
    row = Deployment(
        team_id=session.team_id,
        id=new_id(),
        service_id=new.service_id,
        environment_id=new.environment_id,
        build_id=of_build.id if of_build else None,
        commit=of_build.commit if of_build else new.commit,
        label=new.label,
        started_at=new.started_at,
        source=new.source,
        external_id=new.external_id,
        url=new.url,
        commits=list(new.commits),
    )
    before, later = deployments_annotations.select_adjacent_deployments(
        session, new.service_id, new.environment_id, new.started_at
    )
    row.ended_at = later.started_at if later else None
    external_id = new.external_id
    row, made = get_or_insert(
        session,
        row,
        lambda: deployments_annotations.select_deployment_by_external_id(session, external_id) if external_id else None,
    )
    if not made:
        return row, False
    if before is not None:
        before.ended_at = new.started_at
    return row, True


def record_deployment_event(
    session: WriteSession,
    message: dict[str, Any],
    now: datetime,
    *,
    of_service: ServiceId | None = None,
    one_of_several: bool = False,
) -> tuple[Deployment, bool]:
    """Record a deployment event; new services and environments are created.

    `of_service` is known from elsewhere, and may be one of several services of the event.
    Raises `NoDeploymentInEvent` for an unknown format or an event without a completed deployment, `InvalidSlug`,
    `ServiceNotFound`.
    """
    event = _read(message)
    service_id = ServiceId(ensure_service(session, event.service).id) if of_service is None else of_service
    new = DeploymentFields(
        service_id=service_id,
        environment_id=EnvironmentId(ensure_environment(session, event.environment or DEFAULT_ENVIRONMENT).id),
        started_at=event.started_at or now,
        source="webhook",
        commit=event.commit,
        label=event.label,
        external_id=f"{event.external_id} {service_id}" if event.external_id and one_of_several else event.external_id,
        url=event.url,
        commits=event.commits,
    )
    return record_deployment(session, new)


def change_deploy(session: WriteSession, deploy_id: DeployId, values: dict[str, Any]) -> Deployment:
    """Update a deployment; service, environment and start do not change. Raises `DeploymentNotFound`."""
    row = deploy(session, deploy_id)
    for name, value in values.items():
        setattr(row, name, value)
    return row


def delete_deploy(session: WriteSession, deploy_id: DeployId) -> Deployment:
    """Delete a deployment: the previous one then lasts until the next. Raises `DeploymentNotFound`."""
    row = deploy(session, deploy_id)
    of_service = ServiceId(row.service_id), EnvironmentId(row.environment_id)
    before, later = deployments_annotations.select_adjacent_deployments(session, *of_service, row.started_at)
    if before is not None:
        before.ended_at = later.started_at if later else None
    session.delete(row)
    return row


def _build(session: ReadSession, new: DeploymentFields) -> Build | None:
    if new.build_id is not None:
        return build(session, new.build_id)
    return deployments_annotations.build_of_commit(session, new.service_id, new.commit) if new.commit else None


def _read(message: dict[str, Any]) -> DeploymentEvent:
    try:
        return parse_deployment_event(message)
    except NotADeploymentEvent as why:
        raise NoDeploymentInEvent(str(why)) from why
