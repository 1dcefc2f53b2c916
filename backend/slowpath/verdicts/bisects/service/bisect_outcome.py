"""The outcome of a bisect for notifications."""

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BisectId
from slowpath.verdicts.bisects import wording
from slowpath.verdicts.bisects.rules.bisect_states import OPEN, BisectState
from slowpath.verdicts.bisects.service.bisect_locks import get_bisect
from slowpath.verdicts.bisects.tables import Bisect


def get_bisect_outcome(session: ReadSession, bisect_id: BisectId) -> tuple[Bisect, str]:
    """Return a bisect and its state in a sentence. Raises `BisectNotFound`."""
    row = get_bisect(session, bisect_id)
    return row, describe_bisect(row)


def describe_bisect(row: Bisect) -> str:
    """Return the state of a bisect in a sentence."""
    if row.commit_comparison is not None and (sentence := _describe_pairs(row)):
        return sentence
    if row.state == BisectState.SEARCHING and row.settings.get("pauses_after_boundaries"):
        return wording.MEASURING_BOUNDARIES
    if row.expires_at is not None:
        return wording.describe_measured_boundaries(row.pause_reason or "", is_discarded=row.state not in OPEN)
    reason = row.pause_reason or str((row.problem or {}).get("detail") or "")
    return wording.describe_state(row.state, row.summary, row.outcome, reason)


def _describe_pairs(row: Bisect) -> str:
    """Return the outcome of a commit comparison, or its progress; empty before there is any."""
    if row.outcome is not None:
        return str(row.outcome.get("sentence", ""))
    return str((row.summary or {}).get("sentence", "")) if row.state == BisectState.SEARCHING else ""
