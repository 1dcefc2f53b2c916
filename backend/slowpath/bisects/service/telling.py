"""What others are told of a bisect."""

from slowpath.bisects import wording
from slowpath.bisects.service.holding import find
from slowpath.bisects.tables import Bisect
from slowpath.core.ids import BisectId
from slowpath.core.sessions import ReadSession


def ended(session: ReadSession, bisect_id: BisectId) -> tuple[Bisect, str]:
    """Return a bisect and how it stands, in a sentence. Raises `BisectNotFound`."""
    row = find(session, bisect_id)
    return row, sentence(row)


def sentence(row: Bisect) -> str:
    """Return how a bisect stands."""
    why = row.pause_reason or str((row.problem or {}).get("detail") or "")
    return wording.sentence(row.state, row.seen, row.outcome, why)
