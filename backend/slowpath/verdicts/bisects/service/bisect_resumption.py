"""Resume a paused bisect, also one that waits between its boundaries and its first candidate."""

from dataclasses import replace
from datetime import datetime

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId, UserId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.jobs import PlanBisect
from slowpath.verdicts.bisects.rules import bisect_settings
from slowpath.verdicts.bisects.rules.bisect_states import BisectState, ProbeState
from slowpath.verdicts.bisects.rules.boundary_check import BOUNDARIES_DONE
from slowpath.verdicts.bisects.service.bisect_locks import record_bisect_event
from slowpath.verdicts.bisects.tables import Bisect


def has_measured_boundaries(session: ReadSession, bisect: Bisect) -> bool:
    """Return whether a bisect has measured both boundaries, or failed to, and waits before its first candidate."""
    if not bisect_settings.from_json(bisect.settings).pauses_after_boundaries:
        return False
    measured = queries.select_last_event_time(session, bisect.id, BOUNDARIES_DONE)
    retried = queries.select_last_event_time(session, bisect.id, "retried")
    return measured is not None and (retried is None or retried < measured)


def resume_bisect(session: WriteSession, bisect: Bisect, *, now: datetime, by: UserId | None) -> None:
    """Resume a paused bisect; one that has measured both boundaries goes on with its candidates."""
    settings = bisect_settings.from_json(bisect.settings)
    bisect.expires_at = None
    if has_measured_boundaries(session, bisect):
        settings = replace(settings, pauses_after_boundaries=False)
        bisect.settings = bisect_settings.to_json(settings)
    queued = [one.round for one in queries.select_probes(session, bisect.id) if one.state == ProbeState.QUEUED]
    unapproved = settings.needs_approval and any(one > bisect.approved_through_round for one in queued)
    bisect.pause_reason = None
    if bisect.plan is None and bisect.experiment_of is None:
        bisect.state = BisectState.PLANNED
        enqueue_unless_pending(session, PlanBisect(BisectId(bisect.id)))
    else:
        bisect.state = BisectState.WAITING if unapproved else BisectState.SEARCHING
    record_bisect_event(session, bisect, "resumed", {}, now=now, by=by)
