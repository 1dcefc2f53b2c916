"""Which services are read through to which source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import InvalidRequest
from slowpath.core.ids import MetricSourceId, new_id
from slowpath.evidence.metric_sources import queries
from slowpath.evidence.metric_sources.errors import (
    FederatedServiceNotFound,
    ServiceAlreadyFederated,
    TooManyFederatedServices,
)
from slowpath.evidence.metric_sources.queries import After
from slowpath.evidence.metric_sources.rules import MOST_READ_THROUGH
from slowpath.evidence.metric_sources.service import metric_sources
from slowpath.evidence.metric_sources.tables import FederatedService
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Environment, Service

Named = tuple[FederatedService, Service, Environment]


@dataclass(frozen=True)
class ServicePlacement:
    """Which service of which environment; both are made if nobody has heard of them."""

    service: str
    environment: str


def list_federated_services(
    session: ReadSession, source_id: MetricSourceId, after: After, limit: int
) -> Sequence[Named]:
    """Return what is read through to a source, newest first. Raises `SourceNotFound`."""
    metric_sources.get_metric_source(session, source_id)
    return queries.read_through_of(session, source_id, after, limit)


def environments_of(session: ReadSession, service_id: UUID) -> list[UUID]:
    """Return the environments in which a service is read through."""
    return [row.environment_id for row, _ in queries.all_read_through(session) if row.service_id == service_id]


def create_federated_service(
    session: WriteSession, source_id: MetricSourceId, place: ServicePlacement, equal: Mapping[str, Any]
) -> Named:
    """Have a service read through from now on. Raises `SourceNotFound`, `ServiceAlreadyFederated`, `TooManyFederatedServices`, `InvalidRequest`."""
    metric_sources.get_metric_source(session, source_id)
    if not any(equal.values()):
        raise InvalidRequest(
            "At least one label must say which series are the service's.",
            slug="labels-needed",
            remedy="Give a label and its value, such as job and the service's name.",
        )
    there = queries.count_read_through(session)
    if there >= MOST_READ_THROUGH:
        raise TooManyFederatedServices(
            "The team reads as many services through as it may.",
            limit=MOST_READ_THROUGH,
            actual=there,
            unit="services",
        )
    service = catalog.ensure_service(session, place.service)
    environment = catalog.ensure_environment(session, place.environment)
    if queries.read_through_place(session, environment.id, service.id) is not None:
        raise ServiceAlreadyFederated(
            f"{service.name} of {environment.name} is read through already.", remedy="End that first."
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
    session.flush()  # the database gives the time
    return row, service, environment


def delete_federated_service(
    session: WriteSession, source_id: MetricSourceId, read_through_id: UUID
) -> FederatedService:
    """Read a service through no more. Raises `FederatedServiceNotFound`."""
    row = queries.read_through(session, read_through_id)
    if row is None or row.source_id != source_id:
        raise FederatedServiceNotFound("There is no such service at this source.")
    session.delete(row)
    return row
