"""Actions of users on a bisect."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slowpath.analysis.bisect.candidate_sequence import GOOD_END
from slowpath.analysis.bisect.search_state import ProbeStart
from slowpath.analysis.findings.wording import pluralize
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BisectId, RepositoryId, UserId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.inventory.repositories.service import repositories
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import InvalidBisectRequest, InvalidBisectState, ProbeNotFound
from slowpath.verdicts.bisects.jobs import PlanBisect
from slowpath.verdicts.bisects.rules import bisect_settings, search_plan
from slowpath.verdicts.bisects.rules.bisect_states import LIVING, MOST_OPEN, OPEN, BisectState, ProbeState
from slowpath.verdicts.bisects.rules.search_plan import SearchPlan
from slowpath.verdicts.bisects.service import boundary_checks, probe_artifacts, search_steps
from slowpath.verdicts.bisects.service.bisect_creation import (
    require_bisect_capacity,
    require_readable_repository,
    validate_settings,
)
from slowpath.verdicts.bisects.service.bisect_locks import lock_bisect, publish_bisect_change, record_bisect_event
from slowpath.verdicts.bisects.service.bisect_resumption import has_measured_boundaries, resume_bisect
from slowpath.verdicts.bisects.service.bisect_summaries import update_bisect_summary
from slowpath.verdicts.bisects.service.probe_artifacts import ProbeArtifactTotals
from slowpath.verdicts.bisects.tables import Bisect


@dataclass(frozen=True)
class CandidateOverride:
    """The verdict of a user on a candidate."""

    candidate: str
    verdict: str
    reason: str


def update_settings(
    session: WriteSession, bisect_id: BisectId, update: Mapping[str, Any], *, by: UserId | None, now: datetime
) -> Bisect:
    """Update settings; a higher limit continues a bisect that stopped at its limit.

    Raises `BisectNotFound`, `InvalidBisectState`, `InvalidBisectRequest`.
    """
    bisect = lock_bisect(session, bisect_id)
    if bisect.state != BisectState.STOPPED:
        bisect = _open(session, bisect_id)
    settings = bisect_settings.apply_settings_update(
        bisect_settings.from_json(bisect.settings), {k: v for k, v in update.items() if k in bisect_settings.LIVE}
    )
    validate_settings(session, settings)
    if bisect.state == BisectState.STOPPED:
        _continue(session, bisect, settings.max_deployments, now=now, by=by)
    bisect.settings = bisect_settings.to_json(settings)
    if bisect.state == BisectState.WAITING and not settings.needs_approval:
        bisect.state = BisectState.SEARCHING
    record_bisect_event(session, bisect, "updated", {"settings": dict(update)}, now=now, by=by)
    publish_bisect_change(session, bisect, step=True)
    session.flush()
    return bisect


def _continue(session: WriteSession, bisect: Bisect, most: int | None, *, now: datetime, by: UserId | None) -> None:
    """Reopen a bisect that stopped at its limit.

    Raises `InvalidBisectState` unless the new limit is higher.
    """
    limit = int((bisect.summary or {}).get("limit", 0))
    if most is None or most <= limit:
        raise InvalidBisectState(
            f"The bisect stopped at its limit of {pluralize(limit, 'deployment')}.",
            remedy=f"Set a limit above {limit} to continue.",
        )
    bisect.state, bisect.outcome, bisect.finished_at = BisectState.SEARCHING, None, None
    record_bisect_event(session, bisect, "continued", {"limit": most}, now=now, by=by)


def delete_bisect(
    session: WriteSession, bisect_id: BisectId, *, with_artifacts: bool
) -> tuple[Bisect, ProbeArtifactTotals | None]:
    """Delete a bisect that has ended and has nothing deployed.

    `with_artifacts` includes the artifacts of its probes. Raises `BisectNotFound`, `InvalidBisectState`.
    """
    bisect = lock_bisect(session, bisect_id)
    if bisect.state in OPEN:
        raise InvalidBisectState("The bisect has not ended.", remedy="Cancel it first.")
    if any(one.state in OPEN for one in queries.select_experiments(session, bisect_id, MOST_OPEN)):
        raise InvalidBisectState("An experiment of the bisect has not ended.", remedy="Cancel it first.")
    compiled = queries.select_compile_probe(session, bisect_id)
    probes = [*queries.select_probes(session, bisect_id), *([] if compiled is None else [compiled])]
    left = [one for one in probes if one.leased_at is not None and one.ended_at is None]
    if left:
        raise InvalidBisectState(
            f"{len(left)} of its probes are still deployed.", remedy="Wait for the runner, or delete it."
        )
    deleted = probe_artifacts.delete_probe_artifacts(session, bisect_id) if with_artifacts else None
    session.delete(bisect)
    return bisect, deleted


def apply_action(
    session: WriteSession, bisect_id: BisectId, what: str, reason: str, *, by: UserId | None, now: datetime
) -> Bisect:
    """Pause, resume, cancel or approve a bisect, or retry one that failed to start.

    The measurements of one that expired are no longer used once it is cancelled.

    A retry also measures the boundaries again of a bisect that waits before its first candidate, or that expired there.
    Raises `BisectNotFound`, `InvalidBisectState`; a retry also `BisectIncomplete`, `TooManyBisects`.
    """
    if what == "retry":
        return _retry(session, bisect_id, now=now, by=by)
    if what == "cancel" and (forgotten := boundary_checks.forget_expired(session, bisect_id, now=now, by=by)):
        return forgotten
    bisect = _open(session, bisect_id)
    probes = queries.select_probes(session, bisect_id)
    if what == "pause":
        if bisect.state == BisectState.PAUSED:
            raise InvalidBisectState("The bisect is already paused.")
        bisect.state, bisect.pause_reason = BisectState.PAUSED, reason or None
        record_bisect_event(session, bisect, "paused", {"reason": reason}, now=now, by=by)
    elif what == "resume":
        if bisect.state != BisectState.PAUSED:
            raise InvalidBisectState("The bisect is not paused.")
        resume_bisect(session, bisect, now=now, by=by)
    elif what == "approve":
        if bisect.state != BisectState.WAITING:
            raise InvalidBisectState("The bisect is not waiting for approval.")
        bisect.approved_through_round = max((one.round for one in probes), default=0)
        bisect.state = BisectState.SEARCHING
        record_bisect_event(session, bisect, "approved", {"round": bisect.approved_through_round}, now=now, by=by)
    else:
        bisect.state, bisect.expires_at = BisectState.CANCELLED, None
        search_steps.tear_down_bisect(session, bisect, probes, "cancelled", {"reason": reason}, now=now, by=by)
        return _with_summary(session, bisect)
    publish_bisect_change(session, bisect, step=True)
    session.flush()
    return bisect


def _retry(session: WriteSession, bisect_id: BisectId, *, now: datetime, by: UserId | None) -> Bisect:
    """Plan a bisect again that failed before it had a plan, or measure its boundaries again before its first candidate."""
    queries.lock_team(session)  # before the bisect, as where a runner name is taken over
    bisect = lock_bisect(session, bisect_id)
    if boundary_checks.is_expired(bisect):
        require_bisect_capacity(session)
        boundary_checks.reopen_check(bisect)
    if bisect.state == BisectState.PAUSED and has_measured_boundaries(session, bisect):
        bisect.state, bisect.pause_reason, bisect.expires_at = BisectState.SEARCHING, None, None
        record_bisect_event(session, bisect, "retried", {}, now=now, by=by)
        publish_bisect_change(session, bisect, step=True)
        session.flush()
        return bisect
    if bisect.state != BisectState.FAILED or bisect.plan is not None or bisect.experiment_of is not None:
        raise InvalidBisectState("Only a bisect that failed to start can be retried.", remedy="Start another one.")
    if bisect.repository_id is None:
        raise InvalidBisectState("The repository of this bisect was deleted.", remedy="Start another one.")
    require_readable_repository(repositories.get_repository(session, RepositoryId(bisect.repository_id)))
    require_bisect_capacity(session)
    bisect.state, bisect.problem, bisect.finished_at = BisectState.PLANNED, None, None
    record_bisect_event(session, bisect, "retried", {}, now=now, by=by)
    enqueue_unless_pending(session, PlanBisect(BisectId(bisect.id)))
    publish_bisect_change(session, bisect)
    session.flush()
    return bisect


def override_candidate(
    session: WriteSession,
    bisect_id: BisectId,
    override: CandidateOverride,
    *,
    secret: str,
    by: UserId | None,
    now: datetime,
) -> Bisect:
    """Record the verdict of a user on a candidate.

    Raises `BisectNotFound`, `InvalidBisectState`, `InvalidBisectRequest`.
    """
    bisect, plan = _planned(session, bisect_id, override.candidate)
    probes = queries.select_probes(session, bisect_id)
    build = plan.build(override.candidate)
    row = search_steps.make_probe(session, bisect, build, len(probes) + 1, secret=secret, now=now)
    row.candidate, row.purpose, row.round = (
        override.candidate,
        "override",
        max((one.round for one in probes), default=0),
    )
    row.state = ProbeState.UNBUILDABLE if override.verdict == "unbuildable" else ProbeState.DONE
    row.good_verdicts, row.bad_verdicts = int(override.verdict == "not-slower"), int(override.verdict == "slower")
    row.measurements_requested, row.reason, row.ended_at = 0, override.reason, now
    facts = {
        "candidate": override.candidate,
        "verdict": override.verdict,
        "reason": override.reason,
        "number": row.number,
    }
    record_bisect_event(session, bisect, "overridden", facts, now=now, by=by)
    publish_bisect_change(session, bisect, step=True)
    session.flush()
    return _with_summary(session, bisect)


def request_probe(
    session: WriteSession, bisect_id: BisectId, candidate: str, *, secret: str, by: UserId | None, now: datetime
) -> Bisect:
    """Queue one more probe of a candidate.

    Raises `BisectNotFound`, `InvalidBisectState`, `InvalidBisectRequest`.
    """
    bisect, plan = _planned(session, bisect_id, candidate)
    probes = queries.select_probes(session, bisect_id)
    last = max((one.round for one in probes), default=0)
    under_way = any(one.state in LIVING and one.purpose != "control" for one in probes)
    round_ = last if under_way else last + 1
    search_steps.queue_probes(session, bisect, plan, [ProbeStart(candidate, "probe")], round_, secret=secret, now=now)
    record_bisect_event(session, bisect, "probe-requested", {"candidate": candidate}, now=now, by=by)
    publish_bisect_change(session, bisect, step=True)
    session.flush()
    return bisect


def invalidate_probe(
    session: WriteSession, bisect_id: BisectId, number: int, reason: str, *, by: UserId | None, now: datetime
) -> Bisect:
    """Invalidate a probe. Raises `BisectNotFound`, `ProbeNotFound`, `InvalidBisectState`."""
    bisect = _open(session, bisect_id)
    row = next((one for one in queries.select_probes(session, bisect_id) if one.number == number), None)
    if row is None:
        raise ProbeNotFound(f"This bisect has no probe #{number}.")
    if row.state == ProbeState.INVALIDATED:
        raise InvalidBisectState("This probe is already invalidated.")
    search_steps.invalidate_probe(row, reason, now)
    record_bisect_event(session, bisect, "invalidated", {"number": number, "reason": reason}, now=now, by=by)
    publish_bisect_change(session, bisect, step=True)
    session.flush()
    return _with_summary(session, bisect)


def _open(session: WriteSession, bisect_id: BisectId) -> Bisect:
    bisect = lock_bisect(session, bisect_id)
    if bisect.state not in OPEN:
        raise InvalidBisectState("The bisect has ended.", remedy="Start another one.")
    return bisect


def _planned(session: WriteSession, bisect_id: BisectId, candidate: str) -> tuple[Bisect, SearchPlan]:
    bisect = _open(session, bisect_id)
    if bisect.plan is None:
        raise InvalidBisectState("The bisect has no candidates yet.", remedy="Wait until planning is done.")
    plan = search_plan.from_json(bisect.plan)
    if candidate != GOOD_END and candidate not in plan.nodes:
        raise InvalidBisectRequest("The bisect has no candidate with this ID.")
    return bisect, plan


def _with_summary(session: WriteSession, bisect: Bisect) -> Bisect:
    """Return a bisect with an updated summary."""
    if bisect.plan is not None:
        update_bisect_summary(session, bisect, search_plan.from_json(bisect.plan))
    session.flush()
    return bisect
