"""Retention of the audit log."""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import TeamId
from slowpath.operations.retention import queries
from slowpath.operations.retention.rules import LOG, OTHER_LIMITS
from slowpath.operations.retention.service import retention_rules


def audit_log_cutoff(session: ReadSession, now: datetime) -> datetime | None:
    """Return the time before which audit events expire, at least a year ago; None if never."""
    days = retention_rules.days(session)[LOG]
    return None if days is None else now - timedelta(days=max(days, OTHER_LIMITS[LOG].min_days))


def delete_old_audit_events(cross_team: Connection, team_id: TeamId, before: datetime) -> int:
    """Delete older audit events; return their number. The database never deletes those of the last year."""
    return queries.delete_audit_events(cross_team, team_id, before)
