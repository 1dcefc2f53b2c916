"""How far back the log of a team goes."""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import TeamId
from slowpath.operations.retention import queries
from slowpath.operations.retention.rules import LOG, min_days
from slowpath.operations.retention.service import retention_rules


def audit_log_cutoff(session: ReadSession, now: datetime) -> datetime | None:
    """Return since when the log is kept, at least a year; None if for ever."""
    days = retention_rules.days(session)[LOG]
    return None if days is None else now - timedelta(days=max(days, min_days(LOG)))


def delete_old_audit_events(cross_team: Connection, team_id: TeamId, before: datetime) -> int:
    """Delete what is older; the database itself refuses to touch the last year. Returns how many entries."""
    return queries.forget_audit(cross_team, team_id, before)
