"""Record the history of an event, and enqueue the notification of what is announced."""

from datetime import datetime
from typing import Any, Final

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ProductionEventId, new_id
from slowpath.core.jobs import enqueue
from slowpath.verdicts.production_events.jobs import ProductionEventChanged
from slowpath.verdicts.production_events.rules.event_ends import EndDecision
from slowpath.verdicts.production_events.rules.event_states import HistoryKind, ProductionEventState
from slowpath.verdicts.production_events.tables import ProductionEvent, ProductionEventHistory

ANNOUNCED: Final[frozenset[HistoryKind]] = frozenset({"opened", "state", "assignee", "closed", "reopened"})


def record_history(
    session: WriteSession,
    event: ProductionEvent,
    kind: HistoryKind,
    details: dict[str, Any] | None = None,
    *,
    by_user: bool = True,
) -> None:
    """Add an entry to the history; enqueue the notification if the event was announced."""
    session.add(
        ProductionEventHistory(
            team_id=session.team_id,
            id=new_id(),
            event_id=event.id,
            kind=kind,
            user_id=session.scope.user_id if by_user else None,
            details=details or {},
        )
    )
    if event.announced_at is not None and kind in ANNOUNCED:
        enqueue(session, ProductionEventChanged(ProductionEventId(event.id), kind))
    session.flush()


def close_event(session: WriteSession, event: ProductionEvent, end: EndDecision, at: datetime) -> None:
    """Close an event that is proven to be over."""
    event.state, event.closed_at, event.closed_reason = ProductionEventState.CLOSED, at, end.reason
    record_history(session, event, "closed", {"reason": end.reason, "sentence": end.sentence}, by_user=False)
