"""Read production events."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ProductionEventId
from slowpath.evidence.metrics.service.timestamps import to_ms
from slowpath.evidence.metrics.tables import MetricChangePoint
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.production_events import queries
from slowpath.verdicts.production_events.errors import ProductionEventNotFound
from slowpath.verdicts.production_events.tables import ProductionEvent, ProductionEventHistory

MOST_HISTORY = 200
MOST_CHANGE_POINTS = 500


def get_event(session: ReadSession, event_id: ProductionEventId) -> ProductionEvent:
    """Return a confirmed event. Raises `ProductionEventNotFound`."""
    row = queries.select_event(session, event_id)
    if row is None or row.number is None:
        raise ProductionEventNotFound("The team has no production event with this ID.")
    return row


def list_events(session: ReadSession, *, closed: bool, limit: int) -> Sequence[ProductionEvent]:
    """Return the newest confirmed events that are open, or the last closed."""
    return queries.select_listed_events(session, closed=closed, limit=limit)


def find_events(session: ReadSession, event_ids: Sequence[UUID]) -> Sequence[ProductionEvent]:
    """Return the confirmed events among these IDs."""
    return [row for row in queries.select_events_by_id(session, event_ids) if row.number is not None]


def count_closed_events(session: ReadSession) -> int:
    """Return the number of closed events."""
    return queries.count_closed(session)


def list_change_points(session: ReadSession, event_id: ProductionEventId) -> Sequence[MetricChangePoint]:
    """Return the change points of an event, oldest first."""
    return queries.select_change_points(session, event_id)


def list_events_of_change_points(
    session: ReadSession, environment_id: EnvironmentId, begin: datetime, end: datetime
) -> list[tuple[ProductionEvent, list[UUID]]]:
    """Return the events that the change points of a time range belong to. Raises `EnvironmentNotFound`."""
    catalog.environment(session, environment_id)
    events: dict[UUID, tuple[ProductionEvent, list[UUID]]] = {}
    between_ms = to_ms(begin), to_ms(end)
    for event, change_point_id in queries.select_events_of_change_points(
        session, environment_id, between_ms, MOST_CHANGE_POINTS
    ):
        events.setdefault(event.id, (event, []))[1].append(change_point_id)
    return list(events.values())


def list_events_between(
    session: ReadSession, environment_id: EnvironmentId, begin: datetime, end: datetime
) -> Sequence[ProductionEvent]:
    """Return the newest confirmed events of an environment that were open in a time range, newest first."""
    return queries.select_events_between(session, environment_id, begin, end, MOST_CHANGE_POINTS)


def list_history(session: ReadSession, event_id: ProductionEventId) -> Sequence[ProductionEventHistory]:
    """Return the history of an event, newest first."""
    return queries.select_history(session, event_id, MOST_HISTORY)
