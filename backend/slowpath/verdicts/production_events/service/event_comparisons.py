"""Compare what was recorded before and after an event started."""

from datetime import datetime

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ComparisonId, DeployId, EnvironmentId, ProductionEventId, ServiceId
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.comparisons.errors import ComparisonNotFound
from slowpath.verdicts.comparisons.rules import ComparisonOrigin, Side, TimeRange
from slowpath.verdicts.comparisons.rules.side_sources import DeploymentSource, SideSource, TimeRangeSource, to_ms
from slowpath.verdicts.comparisons.service import comparisons, side_sources
from slowpath.verdicts.comparisons.tables import Comparison
from slowpath.verdicts.production_events import queries
from slowpath.verdicts.production_events.rules.event_ends import BEFORE
from slowpath.verdicts.production_events.service.event_history import record_history
from slowpath.verdicts.production_events.service.event_views import get_event
from slowpath.verdicts.production_events.tables import ProductionEvent


def get_or_create_comparison(session: WriteSession, event_id: ProductionEventId, now: datetime) -> Comparison:
    """Return the comparison of an event, created if it has none.

    Raises `ProductionEventNotFound`, `EmptySide` and what resolving the sources raises.
    """
    event = get_event(session, event_id)
    queries.lock_events(session, [event_id])
    if event.comparison_id is not None:
        return comparisons.get_comparison(session, ComparisonId(event.comparison_id))
    return create_comparison(session, event, now)


def create_comparison(
    session: WriteSession, event: ProductionEvent, now: datetime, *, by_user: bool = True
) -> Comparison:
    """Compare both sides of an event, and record the comparison in its history."""
    base, candidate = choose_sources(session, event, now)
    asked = (
        side_sources.make_side_request(session, Side.BASE, base, "before", now),
        side_sources.make_side_request(session, Side.CANDIDATE, candidate, "after", now),
    )
    name = f"Event {event.number}: before and after"
    created = comparisons.create_comparison(session, name, *asked, origin=ComparisonOrigin.REGRESSION)
    event.comparison_id = created.id
    record_history(session, event, "comparison", {"comparison_id": str(created.id)}, by_user=by_user)
    return created


def have_evidence(session: ReadSession, event: ProductionEvent, now: datetime) -> bool:
    """Return whether artifacts of both sides exist: latency alone would only repeat what the event shows."""
    sources = choose_sources(session, event, now)
    return all(side_sources.resolve_source(session, each, now).evidence for each in sources)


def choose_sources(session: ReadSession, event: ProductionEvent, now: datetime) -> tuple[SideSource, SideSource]:
    """Return base and candidate: the former deployment and the one that caused it, or else the time before and after."""
    service_id, environment_id = ServiceId(event.service_id), EnvironmentId(event.environment_id)
    if event.deployment_id is not None:
        cause = DeploymentSource(DeployId(event.deployment_id))
        started_at = catalog.deploy(session, DeployId(event.deployment_id)).started_at
        former = queries.find_former_deployment(session, service_id, environment_id, started_at)
        if former is not None:
            return DeploymentSource(DeployId(former.id)), cause
    start = to_ms(event.started_at)
    end = to_ms(min(event.closed_at or now, now, event.started_at + BEFORE))
    before_ms = int(BEFORE.total_seconds() * 1000)
    return (
        TimeRangeSource(TimeRange(service_id, environment_id, start - before_ms, start)),
        TimeRangeSource(TimeRange(service_id, environment_id, start, max(end, start + 1))),
    )


def find_comparison(session: ReadSession, event: ProductionEvent) -> Comparison | None:
    """Return the comparison of an event, if it exists."""
    if event.comparison_id is None:
        return None
    try:
        return comparisons.get_comparison(session, ComparisonId(event.comparison_id))
    except ComparisonNotFound:
        return None
