"""How far back the log of a team goes."""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from slowpath.core.ids import TeamId
from slowpath.core.sessions import ReadSession
from slowpath.keeping import queries
from slowpath.keeping.rules import LOG, least_days
from slowpath.keeping.service import retaining


def oldest_kept(session: ReadSession, now: datetime) -> datetime | None:
    """Return since when the log is kept, at least a year; None if for ever."""
    days = retaining.days(session)[LOG]
    return None if days is None else now - timedelta(days=max(days, least_days(LOG)))


def forget(door: Connection, team_id: TeamId, before: datetime) -> int:
    """Delete what is older; the database itself refuses to touch the last year. Returns how many entries."""
    return queries.forget_audit(door, team_id, before)
