"""Look after an open bisect: runners that fell silent, and the guard."""

from datetime import datetime, timedelta

from slowpath.bisects import queries
from slowpath.bisects.jobs import StepBisect, WatchBisect
from slowpath.bisects.rules import settings as kept
from slowpath.bisects.rules.states import OPEN, UNDER_WAY, WATCH_SECONDS, BisectState, ProbeState
from slowpath.bisects.service import stepping
from slowpath.bisects.service.holding import changed, hold, write
from slowpath.core.ids import BisectId
from slowpath.core.jobs import enqueue_once
from slowpath.core.sessions import ReadSession, WriteSession


def guarded(session: ReadSession, bisect_id: BisectId, *, now: datetime) -> str | None:
    """Return why the guard stops a bisect, if it does."""
    _ = session, bisect_id, now
    return None


def watch(session: WriteSession, bisect_id: BisectId, stop: str | None, *, now: datetime) -> None:
    """Write down what is lost, stop what the guard stops, and look again later. Raises `BisectNotFound`."""
    bisect = hold(session, bisect_id)
    probes = queries.probes(session, bisect_id)
    silent = timedelta(seconds=kept.from_json(bisect.settings).lost_after_seconds)
    for one in probes:
        if one.state in UNDER_WAY and one.lease_until is not None and now > one.lease_until + silent:
            one.state, one.reason = ProbeState.LOST, "its runner is silent"
            write(session, bisect, "lost", {"number": one.number}, now=now)
            changed(session, bisect)
    if bisect.state not in OPEN:
        return
    if stop is not None and bisect.state != BisectState.PAUSED:
        stepping.pause(session, bisect, stop, now=now)
        for one in probes:
            if one.state in UNDER_WAY:
                stepping.close(one, now)
    enqueue_once(session, StepBisect(bisect_id))
    enqueue_once(session, WatchBisect(bisect_id), after_s=WATCH_SECONDS)
