"""Search for what explains the rest of an increase after a culprit, with the measurements of the first search."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from slowpath.analysis.bisect.candidate_sequence import GOOD_END
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId, UserId, new_id
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import InvalidBisectState
from slowpath.verdicts.bisects.rules import bisect_settings, search_plan
from slowpath.verdicts.bisects.rules.bisect_states import BisectState, ProbeState
from slowpath.verdicts.bisects.rules.probe_observations import BASELINE, OVERRIDE
from slowpath.verdicts.bisects.rules.search_plan import SearchPlan
from slowpath.verdicts.bisects.service import bisect_creation, bisect_locks, bisect_summaries, search_steps
from slowpath.verdicts.bisects.tables import Bisect, Probe, ProbeMeasurement

NO_CALLBACK_BYTES: Final = 32
COPIED_VALUES: Final = (
    "index", "round", "value", "measures", "verdict", "problem", "artifact_ids", "requests", "started_at", "ended_at",
)  # fmt: skip


@dataclass(frozen=True)
class RestOfIncrease:
    """The range in which something explains the rest of an increase, and the bisect that searches it."""

    good_sha: str
    bad_sha: str
    bisect_id: UUID | None


def find_rest_of_increase(session: ReadSession, row: Bisect) -> RestOfIncrease | None:
    """Return where something explains the rest of the increase; None unless a commit after the culprit certainly does."""
    outcome = row.outcome or {}
    if not outcome.get("rest_after"):
        return None
    following = None
    if outcome.get("rest_bisect_id"):
        following = queries.select_bisect(session, BisectId(UUID(outcome["rest_bisect_id"])))
    searches = following is not None and following.state != BisectState.CANCELLED
    return RestOfIncrease(outcome["rest_after"], row.bad_sha, following.id if following and searches else None)


def search_rest(session: WriteSession, bisect_id: BisectId, *, by: UserId | None, now: datetime) -> Bisect:
    """Search after the culprit of a bisect; return the bisect that does so already if there is one.

    No measured build is deployed again. Raises `BisectNotFound`, `InvalidBisectState`, `TooManyBisects`.
    """
    queries.lock_team(session)  # before the bisect, as where a runner name is taken over
    first = bisect_locks.lock_bisect(session, bisect_id)
    found = find_rest_of_increase(session, first)
    if found is None or first.plan is None:
        raise InvalidBisectState(
            "The culprit of this bisect explains the increase, or it is not known.",
            remedy="Start a bisect from a later good commit.",
        )
    if found.bisect_id is not None:
        return bisect_locks.get_bisect(session, BisectId(found.bisect_id))
    bisect_creation.require_bisect_capacity(session)
    before, culprit = search_plan.from_json(first.plan), first.outcome["suspects"][0] if first.outcome else ""
    plan = search_plan.plan_rest(before, culprit)
    row = _make_bisect(session, first, found, plan, by=by, now=now)
    skipped = _copy_unbuildable(session, first, row, before, culprit)
    number = _copy_measurements(session, first, row, before, culprit, after=skipped)
    first.outcome = {**(first.outcome or {}), "rest_bisect_id": str(row.id)}
    bisect_locks.record_bisect_event(session, row, "started", {}, now=now, by=by)
    facts = {"probes": number, "number": first.number}
    bisect_locks.record_bisect_event(session, row, "measurements-used", facts, now=now)
    bisect_locks.publish_bisect_change(session, first)
    bisect_locks.publish_bisect_change(session, row, step=True)
    return row


def _make_bisect(
    session: WriteSession, first: Bisect, found: RestOfIncrease, plan: SearchPlan, *, by: UserId | None, now: datetime
) -> Bisect:
    settings = replace(
        bisect_settings.from_json(first.settings),
        use_production_baselines=False,
        between=(first.summary or {}).get("between"),
    )
    row = Bisect(
        team_id=session.team_id, id=new_id(), number=queries.next_number(session), title=f"The rest of: {first.title}"[:300],
        service_id=first.service_id, repository_id=first.repository_id, regression_id=first.regression_id,
        comparison_id=first.comparison_id, good_sha=found.good_sha, bad_sha=first.bad_sha, state=BisectState.SEARCHING,
        signature=first.signature, settings=bisect_settings.to_json(settings), plan=search_plan.to_json(plan),
        approved_through_round=0, created_by=by, started_at=now, revision=1,
    )  # fmt: skip
    session.add(row)
    session.flush()
    return row


def _copy_unbuildable(session: WriteSession, first: Bisect, row: Bisect, before: SearchPlan, culprit: str) -> int:
    """Copy as overrides which builds after the culprit cannot be built, by a probe or a person; return their number."""
    at = before.line.position(culprit)
    found = {
        one.candidate: one
        for one in queries.select_probes(session, first.id)
        if one.state == ProbeState.UNBUILDABLE and before.line.position(one.candidate) > at
    }
    for number, (candidate, one) in enumerate(found.items(), start=1):
        unused = secrets.token_urlsafe(NO_CALLBACK_BYTES)
        copy = search_steps.make_probe(session, row, before.build(candidate), number, secret=unused, now=one.queued_at)
        copy.candidate, copy.purpose, copy.round, copy.state = candidate, OVERRIDE, one.round, ProbeState.UNBUILDABLE
        copy.measurements_requested, copy.ended_at = 0, one.ended_at
        copy.reason = one.reason or f"could not be built in bisect #{first.number}"
    session.flush()
    return len(found)


def _copy_measurements(
    session: WriteSession, first: Bisect, row: Bisect, before: SearchPlan, culprit: str, *, after: int
) -> int:
    """Copy what was measured of the culprit and after it; return the number of probes. `after`: number of the last copy.

    Copies were never leased: they count as no deployments of this bisect. Production baselines are not copied, because they
    need both boundaries, nor are verdicts of people: these compare with the former good boundary.
    """
    at, last = before.line.position(culprit), before.line.at(len(before.line))
    probes, windows = queries.select_probes(session, first.id), queries.select_measurements(session, first.id)
    known = bisect_summaries.load_probe_observations(probes, windows)
    state = bisect_summaries.load_search_state(first, before, known)
    measured = {one.number for one in state.deploys if one.is_measured and before.line.position(one.build) >= at}
    used = [one for one in probes if one.number in measured and one.purpose not in {BASELINE, OVERRIDE}]
    for number, one in enumerate(used, start=after + 1):
        build = before.build(one.candidate)
        unused = secrets.token_urlsafe(NO_CALLBACK_BYTES)
        copy = search_steps.make_probe(session, row, build, number, secret=unused, now=one.queued_at)
        position = before.line.position(one.candidate)
        copy.candidate = GOOD_END if position == at else one.candidate
        is_end = copy.candidate == GOOD_END or before.line.at(position) == last
        copy.purpose = "boundary" if is_end else "probe"
        copy.round, copy.state, copy.ended_at = one.round, ProbeState.DONE, one.ended_at
        copy.reason = f"measured by bisect #{first.number}"
        session.flush()
        copy.measurements_requested = _copy_windows(session, copy, windows.get(one.id, ()))
    session.flush()
    return len(used)


def _copy_windows(session: WriteSession, copy: Probe, windows: Sequence[ProbeMeasurement]) -> int:
    valid = [one for one in windows if not one.invalidated]
    for one in valid:
        values = {name: getattr(one, name) for name in COPIED_VALUES}
        session.add(ProbeMeasurement(team_id=session.team_id, id=new_id(), probe_id=copy.id, **values))
    return len(valid)
