"""Delete the triage of items that no longer exist."""

from slowpath.core.db_sessions import WriteSession
from slowpath.sharing.inbox import queries


def delete_orphaned_triage(session: WriteSession) -> int:
    """Delete the triage rows whose subject was deleted. Returns their number."""
    return queries.delete_orphaned_triage(session)
