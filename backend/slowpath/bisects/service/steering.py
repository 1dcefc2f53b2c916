"""What people do to a search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slowpath.analysis.bisect.line import GOOD_END
from slowpath.analysis.bisect.search import Start
from slowpath.analysis.wording import plural
from slowpath.bisects import queries
from slowpath.bisects.errors import BisectInWrongState, BisectRefused, ProbeNotFound
from slowpath.bisects.jobs import PlanBisect
from slowpath.bisects.rules import plans
from slowpath.bisects.rules import settings as kept
from slowpath.bisects.rules.plans import Plan
from slowpath.bisects.rules.states import LIVING, OPEN, BisectState, ProbeState
from slowpath.bisects.service import files, stepping
from slowpath.bisects.service.files import Left
from slowpath.bisects.service.holding import changed, hold, write
from slowpath.bisects.service.starting import check, check_repository, check_room
from slowpath.bisects.service.summing import sum_up
from slowpath.bisects.tables import Bisect, Probe
from slowpath.commits.service import keeping as repositories
from slowpath.core.ids import BisectId, RepositoryId, UserId
from slowpath.core.jobs import enqueue_once
from slowpath.core.sessions import WriteSession


@dataclass(frozen=True)
class Mark:
    """What a person knows of a candidate."""

    candidate: str
    verdict: str
    reason: str


def change(
    session: WriteSession, bisect_id: BisectId, said: Mapping[str, Any], *, by: UserId | None, now: datetime
) -> Bisect:
    """Change settings; a higher limit continues a search that stopped at its limit.

    Raises `BisectNotFound`, `BisectInWrongState`, `BisectRefused`.
    """
    bisect = hold(session, bisect_id)
    if bisect.state != BisectState.STOPPED:
        bisect = _open(session, bisect_id)
    settings = kept.changed(kept.from_json(bisect.settings), {k: v for k, v in said.items() if k in kept.LIVE})
    check(session, settings)
    if bisect.state == BisectState.STOPPED:
        _continue(session, bisect, settings.max_deploys, now=now, by=by)
    bisect.settings = kept.to_json(settings)
    if bisect.state == BisectState.WAITING and not settings.approval:
        bisect.state = BisectState.SEARCHING
    write(session, bisect, "changed", {"settings": dict(said)}, now=now, by=by)
    changed(session, bisect, step=True)
    session.flush()
    return bisect


def _continue(session: WriteSession, bisect: Bisect, most: int | None, *, now: datetime, by: UserId | None) -> None:
    """Reopen a search that stopped at its limit. Raises `BisectInWrongState` unless the new limit is higher."""
    limit = int((bisect.seen or {}).get("limit", 0))
    if most is None or most <= limit:
        raise BisectInWrongState(
            f"The bisect stopped at its limit of {plural(limit, 'deploy')}.",
            remedy=f"Set a limit above {limit} to continue.",
        )
    bisect.state, bisect.outcome, bisect.finished_at = BisectState.SEARCHING, None, None
    write(session, bisect, "continued", {"limit": most}, now=now, by=by)


def delete(session: WriteSession, bisect_id: BisectId, *, with_files: bool) -> tuple[Bisect, Left | None]:
    """Delete a bisect that has ended and of which nothing runs any more, with the files of its deploys if that is wanted.

    Raises `BisectNotFound`, `BisectInWrongState`.
    """
    bisect = hold(session, bisect_id)
    if bisect.state in OPEN:
        raise BisectInWrongState("The bisect has not ended.", remedy="Cancel it first.")
    left = [one for one in queries.probes(session, bisect_id) if one.leased_at is not None and one.ended_at is None]
    if left:
        raise BisectInWrongState(
            f"{len(left)} of its deploys have not been torn down yet.", remedy="Wait for the runner, or forget it."
        )
    forgotten = files.forget(session, bisect_id) if with_files else None
    session.delete(bisect)
    return bisect, forgotten


def move(
    session: WriteSession, bisect_id: BisectId, what: str, reason: str, *, by: UserId | None, now: datetime
) -> Bisect:
    """Pause, resume, cancel, approve; retry a start that failed.

    Raises `BisectNotFound`, `BisectInWrongState`; a retry also `BisectIncomplete`, `TooManyBisects`.
    """
    if what == "retry":
        return _retry(session, bisect_id, now=now, by=by)
    bisect = _open(session, bisect_id)
    probes = queries.probes(session, bisect_id)
    if what == "pause":
        if bisect.state == BisectState.PAUSED:
            raise BisectInWrongState("The bisect is paused already.")
        bisect.state, bisect.pause_reason = BisectState.PAUSED, reason or None
        write(session, bisect, "paused", {"reason": reason}, now=now, by=by)
    elif what == "resume":
        _resume(session, bisect, probes, now=now, by=by)
    elif what == "approve":
        if bisect.state != BisectState.WAITING:
            raise BisectInWrongState("Nothing waits for approval.")
        bisect.approved = max((one.round for one in probes), default=0)
        bisect.state = BisectState.SEARCHING
        write(session, bisect, "approved", {"round": bisect.approved}, now=now, by=by)
    else:
        bisect.state = BisectState.CANCELLED
        stepping.end(session, bisect, probes, "cancelled", {"reason": reason}, now=now, by=by)
        return _told(session, bisect)
    changed(session, bisect, step=True)
    session.flush()
    return bisect


def _resume(
    session: WriteSession, bisect: Bisect, probes: Sequence[Probe], *, now: datetime, by: UserId | None
) -> None:
    if bisect.state != BisectState.PAUSED:
        raise BisectInWrongState("The bisect is not paused.")
    asked = [one.round for one in probes if one.state == ProbeState.ASKED]
    unapproved = kept.from_json(bisect.settings).approval and any(one > bisect.approved for one in asked)
    bisect.pause_reason = None
    if bisect.plan is None:
        bisect.state = BisectState.PLANNED
        enqueue_once(session, PlanBisect(BisectId(bisect.id)))
    else:
        bisect.state = BisectState.WAITING if unapproved else BisectState.SEARCHING
    write(session, bisect, "resumed", {}, now=now, by=by)


def _retry(session: WriteSession, bisect_id: BisectId, *, now: datetime, by: UserId | None) -> Bisect:
    """Plan again a search that failed before it had a plan."""
    bisect = hold(session, bisect_id)
    if bisect.state != BisectState.FAILED or bisect.plan is not None:
        raise BisectInWrongState("Only a bisect that failed to start can be tried again.", remedy="Start another one.")
    if bisect.repository_id is None:
        raise BisectInWrongState("The repository of this bisect was deleted.", remedy="Start another one.")
    check_repository(repositories.find(session, RepositoryId(bisect.repository_id)))
    check_room(session)
    bisect.state, bisect.problem, bisect.finished_at = BisectState.PLANNED, None, None
    write(session, bisect, "retried", {}, now=now, by=by)
    enqueue_once(session, PlanBisect(BisectId(bisect.id)))
    changed(session, bisect)
    session.flush()
    return bisect


def mark(
    session: WriteSession, bisect_id: BisectId, said: Mark, *, secret: str, by: UserId | None, now: datetime
) -> Bisect:
    """Say what is known of a candidate without a deploy. Raises `BisectNotFound`, `BisectInWrongState`, `BisectRefused`."""
    bisect, plan = _planned(session, bisect_id, said.candidate)
    probes = queries.probes(session, bisect_id)
    build = plan.build(said.candidate)
    row = stepping.new_probe(session, bisect, build, len(probes) + 1, secret=secret, now=now)
    row.candidate, row.purpose, row.round = said.candidate, "mark", max((one.round for one in probes), default=0)
    row.state = ProbeState.UNBUILDABLE if said.verdict == "unbuildable" else ProbeState.DONE
    row.good, row.bad = int(said.verdict == "not-slower"), int(said.verdict == "slower")
    row.windows_wanted, row.reason, row.ended_at = 0, said.reason, now
    facts = {"candidate": said.candidate, "verdict": said.verdict, "reason": said.reason, "number": row.number}
    write(session, bisect, "marked", facts, now=now, by=by)
    changed(session, bisect, step=True)
    session.flush()
    return _told(session, bisect)


def remeasure(
    session: WriteSession, bisect_id: BisectId, candidate: str, *, secret: str, by: UserId | None, now: datetime
) -> Bisect:
    """Ask for one more deploy of a candidate. Raises `BisectNotFound`, `BisectInWrongState`, `BisectRefused`."""
    bisect, plan = _planned(session, bisect_id, candidate)
    probes = queries.probes(session, bisect_id)
    last = max((one.round for one in probes), default=0)
    under_way = any(one.state in LIVING and one.purpose != "control" for one in probes)
    round_ = last if under_way else last + 1
    stepping.ask(session, bisect, plan, [Start(candidate, "probe")], round_, secret=secret, now=now)
    write(session, bisect, "remeasured", {"candidate": candidate}, now=now, by=by)
    changed(session, bisect, step=True)
    session.flush()
    return bisect


def annul(
    session: WriteSession, bisect_id: BisectId, number: int, reason: str, *, by: UserId | None, now: datetime
) -> Bisect:
    """Say that a probe does not count. Raises `BisectNotFound`, `ProbeNotFound`, `BisectInWrongState`."""
    bisect = _open(session, bisect_id)
    row = next((one for one in queries.probes(session, bisect_id) if one.number == number), None)
    if row is None:
        raise ProbeNotFound(f"This bisect has no probe #{number}.")
    if row.state == ProbeState.ANNULLED:
        raise BisectInWrongState("This probe does not count already.")
    stepping.annul(row, reason, now)
    write(session, bisect, "annulled", {"number": number, "reason": reason}, now=now, by=by)
    changed(session, bisect, step=True)
    session.flush()
    return _told(session, bisect)


def _open(session: WriteSession, bisect_id: BisectId) -> Bisect:
    bisect = hold(session, bisect_id)
    if bisect.state not in OPEN:
        raise BisectInWrongState("The bisect has ended.", remedy="Start another one.")
    return bisect


def _planned(session: WriteSession, bisect_id: BisectId, candidate: str) -> tuple[Bisect, Plan]:
    bisect = _open(session, bisect_id)
    if bisect.plan is None:
        raise BisectInWrongState("The candidates are not known yet.", remedy="Wait until they are.")
    plan = plans.from_json(bisect.plan)
    if candidate != GOOD_END and candidate not in plan.nodes:
        raise BisectRefused("The bisect has no such candidate.")
    return bisect, plan


def _told(session: WriteSession, bisect: Bisect) -> Bisect:
    """Return a bisect whose row tells how it stands now."""
    if bisect.plan is not None:
        sum_up(session, bisect, plans.from_json(bisect.plan))
    session.flush()
    return bisect
