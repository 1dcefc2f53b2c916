"""Apply the next step of a commit comparison: deploy one side after the other until the pairs decide.

Its whole state is in the rows, so that it can be repeated at any time.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from slowpath.analysis.bisect.pair_settings import PairSettings
from slowpath.analysis.bisect.pair_wording import EQUAL_BUILDS, describe_decision
from slowpath.analysis.bisect.paired_measurements import PairDecision
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import ArtifactId, BisectId, ServiceId
from slowpath.core.jobs import enqueue, enqueue_unless_pending
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.jobs import MonitorBisect, PullRequestStarted
from slowpath.verdicts.bisects.rules.bisect_states import OPEN, WATCH_SECONDS, BisectState
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.rules.commit_comparisons import (
    DAY,
    NO_NUMBER,
    OUTCOMES,
    CommitComparison,
    PairProgress,
    SideProbe,
    dump_decision,
    follow_pairs,
    is_waiting_too_long,
)
from slowpath.verdicts.bisects.rules.service_rules import MeasurementRules
from slowpath.verdicts.bisects.service import service_rules
from slowpath.verdicts.bisects.service.bisect_locks import lock_bisect, publish_bisect_change, record_bisect_event
from slowpath.verdicts.bisects.service.search_steps import invalidate_probe, make_probe, stop_probe, tear_down_bisect
from slowpath.verdicts.bisects.tables import Bisect, Probe, ProbeMeasurement
from slowpath.verdicts.comparisons.rules import MAX_ARTIFACTS_A_SIDE, ComparisonOrigin
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.comparisons.service.comparisons import SideRequest

BASE = "good"
MOST_STEPS = 4


def begin_pairs(session: WriteSession, bisect_id: BisectId, base: str, *, is_equal: bool, now: datetime) -> None:
    """Record the merge base and start to measure; equal builds pass without. Does nothing once it was cancelled."""
    bisect = lock_bisect(session, bisect_id)
    if bisect.state != BisectState.PLANNED:
        return
    bisect.good_sha, bisect.started_at = base, now
    if is_equal:
        _finish(session, bisect, PairDecision("not-slower", 0, None, 0.0, float("inf")), EQUAL_BUILDS, now=now)
        return
    bisect.state = BisectState.SEARCHING
    record_bisect_event(session, bisect, "planned", {"commits": 1, "candidates": 1}, now=now)
    if CommitComparison.from_json(bisect.commit_comparison or {}).pull_request is not None:
        enqueue(session, PullRequestStarted(bisect_id))
    publish_bisect_change(session, bisect, step=True)


def advance_pairs(session: WriteSession, bisect_id: BisectId, *, secret: str, now: datetime) -> None:
    """Apply the next steps of a commit comparison; none while it is paused, planned, or ended."""
    bisect = lock_bisect(session, bisect_id)
    if bisect.state != BisectState.SEARCHING or bisect.commit_comparison is None:
        return
    options = CommitComparison.from_json(bisect.commit_comparison)
    enqueue_unless_pending(session, MonitorBisect(bisect_id), after_s=WATCH_SECONDS)
    for _ in range(MOST_STEPS):
        probes = queries.select_probes(session, bisect_id)
        _give_up_waiting(probes, now)
        progress = load_progress(session, bisect, probes, now=now)
        for one in probes:
            if one.number in progress.close:
                stop_probe(one, now)
        if progress.failure is not None:
            _fail(session, bisect, probes, progress.failure, now=now)
        elif progress.decision.verdict is not None:
            _conclude(session, bisect, options, progress, now=now)
        elif progress.start is not None:
            _queue(session, bisect, *progress.start, secret=secret, now=now)
        session.flush()
        if not progress.close and progress.start is None:
            break
    _update_summary(session, bisect, options, now)
    publish_bisect_change(session, bisect)


def load_progress(session: WriteSession, bisect: Bisect, probes: Sequence[Probe], *, now: datetime) -> PairProgress:
    """Return the progress of a commit comparison within the minutes that its service has left for the day."""
    assert bisect.commit_comparison is not None
    options = CommitComparison.from_json(bisect.commit_comparison)
    sides = observe_sides(probes, queries.select_measurements(session, bisect.id), now)
    left = float("inf")
    if options.pull_request is not None:
        rules = service_rules.find_rules(session, ServiceId(bisect.service_id), MeasurementRules)
        others = queries.sum_pair_seconds(session, bisect.service_id, now - DAY, now, without=bisect.id)
        left = 60.0 * rules.minutes_per_day - others
    larger = bool(bisect.signature.get("larger_is_worse", True))
    return follow_pairs(str(bisect.id), sides, options, larger_is_worse=larger, seconds=left)


def observe_sides(
    probes: Sequence[Probe], windows: Mapping[UUID, Sequence[ProbeMeasurement]], now: datetime
) -> list[SideProbe]:
    """Return the probes of a commit comparison as its rules use them."""
    sides = []
    for one in probes:
        taken = next((each for each in windows.get(one.id, ()) if not each.invalidated), None)
        problem = None if taken is None else taken.problem
        if taken is not None and taken.value is None and taken.verdict is not None:
            problem = NO_NUMBER
        seconds = 0.0 if one.leased_at is None else ((one.ended_at or now) - one.leased_at).total_seconds()
        value = None if taken is None else taken.value
        is_pending = taken is not None and value is None and problem is None
        sides.append(
            SideProbe(
                one.number, one.round, one.candidate != BASE, one.state, one.ended_at is not None and not is_pending,
                value, problem, seconds,
            )
        )  # fmt: skip
    return sides


def _give_up_waiting(probes: Sequence[Probe], now: datetime) -> None:
    """Discard a pair whose second side waits for a runner that does not return."""
    for before, one in pairwise(probes):
        if is_waiting_too_long(one.state, now - one.queued_at, is_second=before.round == one.round):
            invalidate_probe(one, "the runner of the other side did not return", now)


def _queue(
    session: WriteSession,
    bisect: Bisect,
    pair: int,
    is_candidate: bool,
    *,
    secret: str,
    now: datetime,
) -> None:
    number = len(queries.select_probes(session, bisect.id)) + 1
    commit = bisect.bad_sha if is_candidate else bisect.good_sha
    row = make_probe(session, bisect, BuildInputs(commit), number, secret=secret, now=now)
    row.candidate, row.purpose, row.round = (commit if is_candidate else BASE), "boundary", pair
    facts = {"number": number, "candidate": row.candidate, "purpose": row.purpose}
    record_bisect_event(session, bisect, "queued", facts, now=now)


def _conclude(
    session: WriteSession, bisect: Bisect, options: CommitComparison, progress: PairProgress, *, now: datetime
) -> None:
    is_short = len(progress.pairs) < options.pairs and progress.decision.verdict == "inconclusive"
    sentence = describe_decision(progress.decision, PairSettings(options.smallest_change))
    _finish(session, bisect, progress.decision, f"{sentence} The time is used up." if is_short else sentence, now=now)


def _finish(session: WriteSession, bisect: Bisect, decision: PairDecision, sentence: str, *, now: datetime) -> None:
    assert decision.verdict is not None
    state = OUTCOMES[decision.verdict]
    bisect.state = state
    outcome = {"outcome": str(state), "suspects": [], "belief": 0.0, "sentence": sentence, **dump_decision(decision)}
    bisect.outcome = outcome
    bisect.comparison_id = _compare_artifacts(session, bisect)
    tear_down_bisect(session, bisect, queries.select_probes(session, bisect.id), str(state), outcome, now=now)


def _fail(session: WriteSession, bisect: Bisect, probes: Sequence[Probe], reason: str, *, now: datetime) -> None:
    bisect.state = BisectState.FAILED
    bisect.problem = {
        "type": "about:blank",
        "title": "The commits could not be measured",
        "status": 422,
        "detail": reason,
    }
    tear_down_bisect(session, bisect, probes, "failed", {"detail": reason}, now=now)


def _compare_artifacts(session: WriteSession, bisect: Bisect) -> UUID | None:
    """Compare what was recorded of both sides, which shows the cause; None if a side has no artifacts."""
    windows = queries.select_measurements(session, bisect.id)
    ids: dict[bool, list[ArtifactId]] = {False: [], True: []}
    for one in queries.select_probes(session, bisect.id):
        for each in windows.get(one.id, ()):
            ids[one.candidate != BASE] += [ArtifactId(UUID(str(artifact))) for artifact in each.artifact_ids]
    if not ids[False] or not ids[True]:
        return None
    base, candidate = (
        SideRequest(tuple(ids[side][:MAX_ARTIFACTS_A_SIDE]), short_commit(sha))
        for side, sha in ((False, bisect.good_sha), (True, bisect.bad_sha))
    )
    try:
        created = comparisons.create_comparison(session, bisect.title, base, candidate, origin=ComparisonOrigin.BUILD)
    except SlowpathError:  # an artifact was deleted meanwhile
        return None
    return created.id


def _update_summary(session: WriteSession, bisect: Bisect, options: CommitComparison, now: datetime) -> None:
    """Store what lists show."""
    probes = queries.select_probes(session, bisect.id)
    progress = load_progress(session, bisect, probes, now=now)
    settings = PairSettings(options.smallest_change)
    sentence = describe_decision(progress.decision, settings) if progress.pairs else "No pair is complete yet."
    summary: dict[str, Any] = {
        "between": None, "belief": 0.0, "deploys": sum(one.leased_at is not None for one in probes), "expected": None,
        "limit": 2 * options.pairs, "levels": 1, "culprit": None, "pairs": len(progress.pairs), "sentence": sentence,
    }  # fmt: skip
    bisect.summary = summary


def cancel_pairs(session: WriteSession, bisect: Bisect, reason: str, *, now: datetime) -> None:
    """Cancel an open commit comparison and tear down what is deployed. The bisect is locked."""
    if bisect.state in OPEN:
        bisect.state = BisectState.CANCELLED
        probes = queries.select_probes(session, bisect.id)
        tear_down_bisect(session, bisect, probes, "cancelled", {"reason": reason}, now=now)
