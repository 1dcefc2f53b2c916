"""What the settings of a team show of its provisioning."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.platform.accounts.tables import ProvisionedMember
from slowpath.platform.scim import queries


def find_last_synchronization(session: ReadSession) -> datetime | None:
    """Return when the identity provider last sent a request with a SCIM token of the team, to the minute."""
    return queries.last_synchronization(session)


def list_provisioned_members(
    session: ReadSession, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[ProvisionedMember]:
    """Return up to `limit` provisioned members, newest first."""
    return queries.select_newest_provisioned(session, after=after, limit=limit)
