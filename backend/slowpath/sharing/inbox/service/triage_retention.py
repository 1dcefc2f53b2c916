"""Delete the triage of items that no longer exist, and the read marks of items that are no longer listed."""

from datetime import datetime

from slowpath.core.db_sessions import WriteSession
from slowpath.sharing.inbox import queries


def delete_orphaned_triage(session: WriteSession, now: datetime) -> int:
    """Delete the triage rows whose subject was deleted, and unused read marks. Returns their number."""
    return queries.delete_orphaned_triage(session) + queries.delete_unlisted_read_marks(session, now)
