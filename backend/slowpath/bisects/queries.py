"""Every SELECT of bisects."""

from slowpath.bisects.tables import Bisect
from slowpath.core.ids import BisectId
from slowpath.core.sessions import ReadSession


def bisect(session: ReadSession, bisect_id: BisectId) -> Bisect | None:
    """Return one bisect, by primary key."""
    return session.get(Bisect, (session.team_id, bisect_id))
