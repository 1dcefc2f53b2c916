"""Lock bisects while they change, and record and publish the change.

Lock the bisect before its probes.
"""

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
    return _require_found(queries.select_bisect(session, bisect_id))


def lock_bisect(session: WriteSession, bisect_id: UUID) -> Bisect:
    """Lock a bisect until the transaction ends. Raises `BisectNotFound`."""
    return _require_found(queries.lock_bisect(session, bisect_id))


def lock_probe_run(session: WriteSession, run_id: UUID) -> tuple[Bisect, Probe]:
    """Lock the bisect of a probe until the transaction ends; return both. Raises `ProbeNotFound`."""
    found = queries.select_probe_by_run(session, run_id)
    bisect = None if found is None else queries.lock_bisect(session, found.bisect_id)
    probe = queries.select_probe_by_run(session, run_id)  # as of after the lock
    if probe is None or bisect is None:
        raise ProbeNotFound("The team has no probe with this ID.")
    return bisect, probe


def _require_found(row: Bisect | None) -> Bisect:
    if row is None:
        raise BisectNotFound("The team has no bisect with this ID.")
    return row


def publish_bisect_change(session: WriteSession, bisect: Bisect, *, step: bool = False) -> None:
    """Publish that a bisect changed; `step`: enqueue the next step of the search."""
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
    """Record an event of a bisect."""
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
