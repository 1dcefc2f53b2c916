"""Hold a bisect while it is changed, and write down that it was. Whoever changes a probe holds its bisect first."""

from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId, UserId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import BisectNotFound, ProbeNotFound
from slowpath.verdicts.bisects.jobs import AdvanceBisect
from slowpath.verdicts.bisects.tables import Bisect, BisectEvent, Probe


def get_bisect(session: ReadSession, bisect_id: BisectId) -> Bisect:
    """Return a bisect. Raises `BisectNotFound`."""
    return _there(queries.select_bisect(session, bisect_id))


def lock_bisect(session: WriteSession, bisect_id: UUID) -> Bisect:
    """Return a bisect that nobody else changes until the transaction ends. Raises `BisectNotFound`."""
    return _there(queries.lock_bisect(session, bisect_id))


def lock_probe_run(session: WriteSession, run_id: UUID) -> tuple[Bisect, Probe]:
    """Return a probe with its bisect, which nobody else changes until the transaction ends. Raises `ProbeNotFound`."""
    found = queries.select_probe_by_run(session, run_id)
    bisect = None if found is None else queries.lock_bisect(session, found.bisect_id)
    probe = queries.select_probe_by_run(session, run_id)  # as it is now that nobody else changes it
    if probe is None or bisect is None:
        raise ProbeNotFound("There is no such probe in this team.")
    return bisect, probe


def _there(row: Bisect | None) -> Bisect:
    if row is None:
        raise BisectNotFound("There is no such bisect in this team.")
    return row


def publish_bisect_change(session: WriteSession, bisect: Bisect, *, step: bool = False) -> None:
    """Have everybody who looks at a bisect look again; `step`: the search may have something to do."""
    bisect.revision += 1
    if step:
        enqueue_unless_pending(session, AdvanceBisect(BisectId(bisect.id)))


def record_bisect_event(
    session: WriteSession,
    bisect: Bisect,
    kind: str,
    facts: dict[str, Any],
    *,
    now: datetime,
    by: UserId | None = None,
) -> None:
    """Write a line of the history."""
    session.add(
        BisectEvent(
            team_id=session.team_id,
            id=new_id(),
            bisect_id=bisect.id,
            occurred_at=now,
            kind=kind,
            actor=by,
            details=facts,
        )
    )
