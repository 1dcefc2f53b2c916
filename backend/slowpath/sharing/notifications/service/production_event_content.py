"""Compose the content of notifications from production events."""

from collections.abc import Mapping
from typing import Final

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ProductionEventId, ServiceId
from slowpath.evidence.metrics.service.timestamps import to_ms
from slowpath.inventory.catalog import service as catalog
from slowpath.platform.accounts.service import get_team
from slowpath.sharing.notifications.rules import NotificationContent, NotificationEvent, ProductionEventContent
from slowpath.verdicts.production_events.rules.event_states import EventKind
from slowpath.verdicts.production_events.service.event_views import get_event
from slowpath.verdicts.production_events.tables import ProductionEvent
from slowpath.verdicts.production_events.wording import STATES, describe_closed
from slowpath.verdicts.regressions.service.regression_views import get_user_names

EVENTS: Final[Mapping[str, NotificationEvent]] = {
    "opened": NotificationEvent.PRODUCTION_OPENED,
    "state": NotificationEvent.PRODUCTION_UPDATED,
    "assignee": NotificationEvent.PRODUCTION_UPDATED,
    "reopened": NotificationEvent.PRODUCTION_UPDATED,
    "closed": NotificationEvent.PRODUCTION_CLOSED,
}


OPTIONAL: Final[Mapping[str, NotificationEvent]] = {
    EventKind.SLOW_DEPLOYMENT: NotificationEvent.SLOW_DEPLOYMENT,
    EventKind.LOAD: NotificationEvent.LOAD_CHANGED,
    EventKind.GAUGE: NotificationEvent.GAUGE_CHANGED,
}
"""Kinds whose whole course is one notification event, which channels choose."""


def compose_production_event(
    session: ReadSession, event_id: ProductionEventId, what: str, moment: str, public_url: str
) -> NotificationContent | None:
    """Return the content of what happened to an event; None: it is not notified, or was superseded meanwhile.

    `moment` identifies a change; an event is opened once. Raises `ProductionEventNotFound`.
    """
    row = get_event(session, event_id)
    event = OPTIONAL.get(row.kind, EVENTS.get(what)) if what in EVENTS else None
    if event is None or row.announced_at is None or (what == "closed") != (row.state == "closed"):
        return None
    content = _describe(session, row)
    words = {
        "state": STATES.get(row.state, row.state),
        "assignee": f"assigned to {content.assignee}" if content.assignee else "unassigned",
        "reopened": "reopened",
        "closed": "closed",
    }.get(what, "")
    return NotificationContent(
        event,
        row.id,
        row.service_id,
        f"{public_url}/t/{get_team(session).slug}/events/{row.id}",
        what=words,
        moment="" if what == "opened" else moment,
        production_event=content,
    )


def compose_event_now(session: ReadSession, event_id: ProductionEventId, public_url: str) -> NotificationContent:
    """Return the content of an event as it is now, whether it was announced or not. Raises `ProductionEventNotFound`."""
    row = get_event(session, event_id)
    url = f"{public_url}/t/{get_team(session).slug}/events/{row.id}"
    content = _describe(session, row)
    return NotificationContent(
        NotificationEvent.PRODUCTION_OPENED, row.id, row.service_id, url, production_event=content
    )


def _describe(session: ReadSession, row: ProductionEvent) -> ProductionEventContent:
    names = get_user_names(session, [row.assignee_id])
    return ProductionEventContent(
        id=str(row.id),
        number=row.number or 0,
        service=catalog.service(session, ServiceId(row.service_id)).slug,
        environment=catalog.environment(session, EnvironmentId(row.environment_id)).name,
        state=row.state,
        title=row.title,
        sentence=describe_closed(row.state, row.proof) if row.state == "closed" else row.sentence,
        severity=row.severity,
        added_seconds_per_second=row.added_seconds_per_second,
        signal=row.signal,
        before=row.before,
        after=row.after,
        ratio=row.ratio,
        ratio_low=row.ratio_low,
        ratio_high=row.ratio_high,
        commit=row.commit,
        assignee=names.get(row.assignee_id) if row.assignee_id else None,
        started_ms=to_ms(row.started_at),
        ended_ms=to_ms(row.closed_at) if row.closed_at else None,
        kind=row.kind,
        gauge=row.gauge,
    )
