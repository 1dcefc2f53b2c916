"""Create, list and delete federated services."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import InvalidRequest
from slowpath.core.ids import EnvironmentId, MetricSourceId, ServiceId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.metric_sources import queries
from slowpath.evidence.metric_sources.errors import (
    FederatedServiceNotFound,
    ServiceAlreadyFederated,
    TooManyFederatedServices,
)
from slowpath.evidence.metric_sources.jobs import WatchFederatedServices
from slowpath.evidence.metric_sources.queries import After
from slowpath.evidence.metric_sources.rules import MOST_FEDERATED_SERVICES
from slowpath.evidence.metric_sources.service import metric_sources
from slowpath.evidence.metric_sources.tables import FederatedService
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Environment, Service

Named = tuple[FederatedService, Service, Environment]


@dataclass(frozen=True)
class ServicePlacement:
    """Names of a service and an environment; both are created if they do not exist."""

    service: str
    environment: str


def list_federated_services(
    session: ReadSession, source_id: MetricSourceId, after: After, limit: int
) -> Sequence[Named]:
    """Return the federated services of a source, newest first. Raises `MetricSourceNotFound`."""
    metric_sources.get_metric_source(session, source_id)
    return queries.select_federated_services(session, source_id, after, limit)


def environments_of(session: ReadSession, service_id: UUID) -> list[UUID]:
    """Return the environments in which a service is federated."""
    return [
        row.environment_id for row, _ in queries.select_all_federated_services(session) if row.service_id == service_id
    ]


def services_of(session: ReadSession, environment_id: EnvironmentId) -> list[ServiceId]:
    """Return the services that are federated in an environment."""
    rows = queries.select_all_federated_services(session)
    return [ServiceId(row.service_id) for row, _ in rows if row.environment_id == environment_id]


def count_federated_services(session: ReadSession) -> int:
    """Return the number of federated services of the team."""
    return queries.count_federated_services(session)


def create_federated_service(
    session: WriteSession, source_id: MetricSourceId, place: ServicePlacement, equal: Mapping[str, Any]
) -> Named:
    """Create a federated service.

    Raises `MetricSourceNotFound`, `ServiceAlreadyFederated`, `TooManyFederatedServices`, `InvalidRequest`.
    """
    metric_sources.get_metric_source(session, source_id)
    if not any(equal.values()):
        raise InvalidRequest(
            "At least one label with a value is required to select the series of the service.",
            slug="labels-needed",
            remedy="Set a label and its value, such as job and the name of the service.",
        )
    there = queries.count_federated_services(session)
    if there >= MOST_FEDERATED_SERVICES:
        raise TooManyFederatedServices(
            "The team has reached the limit of federated services.",
            limit=MOST_FEDERATED_SERVICES,
            actual=there,
            unit="services",
        )
    service = catalog.ensure_service(session, place.service)
    environment = catalog.ensure_environment(session, place.environment)
    if queries.find_federated_service_at(session, environment.id, service.id) is not None:
        raise ServiceAlreadyFederated(
            f"{service.name} in {environment.name} is federated already.", remedy="Delete that federated service first."
        )
    row = FederatedService(
        team_id=session.team_id,
        id=new_id(),
        source_id=source_id,
        service_id=service.id,
        environment_id=environment.id,
        label_matchers=dict(equal),
    )
    session.add(row)
    session.flush()  # the database sets created_at
    enqueue_unless_pending(session, WatchFederatedServices(session.team_id))
    return row, service, environment


def delete_federated_service(
    session: WriteSession, source_id: MetricSourceId, federated_service_id: UUID
) -> FederatedService:
    """Delete a federated service. Raises `FederatedServiceNotFound`."""
    row = queries.find_federated_service(session, federated_service_id)
    if row is None or row.source_id != source_id:
        raise FederatedServiceNotFound("This source has no such federated service.")
    session.delete(row)
    return row
