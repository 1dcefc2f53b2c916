"""The log of a team's events: each is recorded once, with or without channels, and read in the order of its number."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import TeamEventId, new_id
from slowpath.sharing.notifications import queries
from slowpath.sharing.notifications.rules import RETENTION_DAYS, NotificationContent, NotificationEvent
from slowpath.sharing.notifications.tables import TeamEvent


def record_event(session: WriteSession, content: NotificationContent) -> TeamEventId | None:
    """Record an event; return its ID if it is new."""
    queries.lock_event_log(session)
    values = {
        "team_id": session.team_id,
        "id": new_id(),
        "number": queries.select_last_event_number(session) + 1,
        "event": content.event,
        "dedupe_key": content.dedupe_key(),
        "content": content.to_json(),
    }
    once = insert(TeamEvent).values(**values).on_conflict_do_nothing(constraint="uq_team_event_once")
    event_id = session.execute(once.returning(TeamEvent.id)).scalar()
    return None if event_id is None else TeamEventId(event_id)


def list_events(
    session: ReadSession, after: int, events: Collection[NotificationEvent], limit: int
) -> Sequence[TeamEvent]:
    """Return at most `limit` events after a number, oldest first; of these events, or of all if none are given."""
    return queries.select_events(session, after, events, limit)


def find_last_number(session: ReadSession) -> int:
    """Return the number of the newest event, 0 if there is none."""
    return queries.select_last_event_number(session)


def delete_old_events(session: WriteSession, now: datetime) -> int:
    """Delete events after their retention; return how many."""
    return queries.delete_old_events(session, now - timedelta(days=RETENTION_DAYS))


def delete_events_of_services(session: WriteSession, service_ids: Sequence[UUID]) -> None:
    """Delete the events of services whose data is removed, so that no reader of the log gets them."""
    queries.lock_event_log(session)
    queries.delete_events_of_services(session, service_ids)
