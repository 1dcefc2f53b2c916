"""Which services are read through to which source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from slowpath.catalog import service as catalog
from slowpath.catalog.tables import Environment, Service
from slowpath.core.errors import Refused
from slowpath.core.ids import MetricSourceId, new_id
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.sources import queries
from slowpath.sources.errors import AlreadyReadThrough, ReadThroughNotFound, TooManyReadThrough
from slowpath.sources.queries import After
from slowpath.sources.rules import MOST_READ_THROUGH
from slowpath.sources.service import keeping
from slowpath.sources.tables import ReadThrough

Named = tuple[ReadThrough, Service, Environment]


@dataclass(frozen=True)
class Place:
    """Which service of which environment; both are made if nobody has heard of them."""

    service: str
    environment: str


def of_source(session: ReadSession, source_id: MetricSourceId, after: After, limit: int) -> Sequence[Named]:
    """Return what is read through to a source, newest first. Raises `SourceNotFound`."""
    keeping.find(session, source_id)
    return queries.read_through_of(session, source_id, after, limit)


def environments_of(session: ReadSession, service_id: UUID) -> list[UUID]:
    """Return the environments in which a service is read through."""
    return [row.environment_id for row, _ in queries.all_read_through(session) if row.service_id == service_id]


def bind(session: WriteSession, source_id: MetricSourceId, place: Place, equal: Mapping[str, Any]) -> Named:
    """Have a service read through from now on. Raises `SourceNotFound`, `AlreadyReadThrough`, `TooManyReadThrough`, `Refused`."""
    keeping.find(session, source_id)
    if not any(equal.values()):
        raise Refused(
            "At least one label must say which series are the service's.",
            slug="labels-needed",
            remedy="Give a label and its value, such as job and the service's name.",
        )
    there = queries.count_read_through(session)
    if there >= MOST_READ_THROUGH:
        raise TooManyReadThrough(
            "The team reads as many services through as it may.",
            limit=MOST_READ_THROUGH,
            actual=there,
            unit="services",
        )
    service = catalog.ensure_service(session, place.service)
    environment = catalog.ensure_environment(session, place.environment)
    if queries.read_through_place(session, environment.id, service.id) is not None:
        raise AlreadyReadThrough(
            f"{service.name} of {environment.name} is read through already.", remedy="End that first."
        )
    row = ReadThrough(
        team_id=session.team_id,
        id=new_id(),
        source_id=source_id,
        service_id=service.id,
        environment_id=environment.id,
        equal=dict(equal),
    )
    session.add(row)
    session.flush()  # the database gives the time
    return row, service, environment


def release(session: WriteSession, source_id: MetricSourceId, read_through_id: UUID) -> ReadThrough:
    """Read a service through no more. Raises `ReadThroughNotFound`."""
    row = queries.read_through(session, read_through_id)
    if row is None or row.source_id != source_id:
        raise ReadThroughNotFound("There is no such service at this source.")
    session.delete(row)
    return row
