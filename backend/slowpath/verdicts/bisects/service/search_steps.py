"""Apply the next step of a search.

Its whole state is in the rows, so that it can be repeated at any time.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from slowpath.analysis.bisect import measurement_normalization, search
from slowpath.analysis.bisect.range_levels import explain_increase, find_slower_build
from slowpath.analysis.bisect.search_state import ProbeStart, SearchResult, SearchState
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BisectId, JobId, RepositoryId, UserId, new_id
from slowpath.core.jobs import enqueue, enqueue_unless_pending
from slowpath.inventory.repositories.service import pull_requests
from slowpath.platform.accounts.rules.credentials import hash_secret
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.jobs import service as work
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.jobs import BisectFinished, ExpandCandidate, MonitorBisect
from slowpath.verdicts.bisects.rules import bisect_settings, search_plan
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import (
    LIVING,
    MOST_PROBES,
    OPEN,
    WATCH_SECONDS,
    BisectState,
    ProbeState,
)
from slowpath.verdicts.bisects.rules.boundary_check import BOUNDARIES_DONE, decide_boundary_step
from slowpath.verdicts.bisects.rules.callback_secret import callback_secret
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.rules.next_step import NextStep, decide_next_step
from slowpath.verdicts.bisects.rules.probe_observations import BASELINE, MIXED_ANSWERS, ProbeObservation
from slowpath.verdicts.bisects.rules.search_plan import SearchPlan
from slowpath.verdicts.bisects.rules.toolchain_levels import GO_LEVELS, describe_go_change
from slowpath.verdicts.bisects.service import boundary_results
from slowpath.verdicts.bisects.service.bisect_locks import lock_bisect, publish_bisect_change, record_bisect_event
from slowpath.verdicts.bisects.service.bisect_summaries import (
    load_probe_observations,
    load_search_state,
    update_bisect_summary,
)
from slowpath.verdicts.bisects.tables import Bisect, Probe
from slowpath.verdicts.bisects.wording import describe_explained, describe_share, describe_slower_build

GOES_ON = frozenset({BisectState.SEARCHING, BisectState.WAITING})
MOST_LIKELY = 3
"""Most suspects named in the sentence of an inconclusive search."""
MOST_STEPS = 20
"""Most steps per call; each changes rows, so that the next one waits or differs."""

MOST_LOOKED_UP: Final = 5
"""Suspects of an outcome whose reviewers the code host is asked for."""


def advance_bisect(session: WriteSession, bisect_id: BisectId, *, secret: str, now: datetime) -> None:
    """Apply the next steps of a bisect; none while it is paused, planned, being expanded, or ended."""
    bisect = lock_bisect(session, bisect_id)
    if bisect.state not in GOES_ON or bisect.plan is None or bisect.expanding_candidate is not None:
        return
    plan = search_plan.from_json(bisect.plan)
    enqueue_unless_pending(session, MonitorBisect(bisect_id), after_s=WATCH_SECONDS)
    settings = bisect_settings.from_json(bisect.settings)
    resumed = queries.select_last_event_time(session, bisect_id, _last_restart(settings))
    for _ in range(MOST_STEPS):
        probes = queries.select_probes(session, bisect_id)
        known = load_probe_observations(probes, queries.select_measurements(session, bisect_id))
        _stop_failed_builds(probes, known, now)
        state = load_search_state(bisect, plan, known)
        since = {one.number for one in probes if resumed is None or one.queued_at >= resumed}
        decide = decide_boundary_step if settings.pauses_after_boundaries else decide_next_step
        todo = decide(state, known, since=since)
        if todo == NextStep():
            break
        if todo.disown is not None:
            _disown(session, bisect, probes, todo.disown, now)
        _apply_step(session, bisect, plan, state, {one.number: one for one in probes}, todo, secret=secret, now=now)
        session.flush()
        publish_bisect_change(session, bisect)
        if todo.finished or todo.open or todo.pause:
            break
    update_bisect_summary(session, bisect, plan)


def _last_restart(settings: BisectSettings) -> str:
    """Return the kind of the event after which failures are counted anew."""
    return "retried" if settings.pauses_after_boundaries else "resumed"


def _stop_failed_builds(probes: Sequence[Probe], known: Sequence[ProbeObservation], now: datetime) -> None:
    """Stop the probes that run although their answers show that their build failed."""
    for row, seen in zip(probes, known, strict=True):
        if row.state in LIVING and seen.state == ProbeState.UNBUILDABLE:
            row.reason = MIXED_ANSWERS
            stop_probe(row, now)


def _apply_step(  # noqa: PLR0917 - the bisect, its state, and the step
    session: WriteSession,
    bisect: Bisect,
    plan: SearchPlan,
    state: SearchState,
    probes: Mapping[int, Probe],
    todo: NextStep,
    *,
    secret: str,
    now: datetime,
) -> None:
    for number in todo.measure:
        taken = len(queries.select_measurements_of_probe(session, probes[number].id))
        probes[number].measurements_requested = max(probes[number].measurements_requested, taken + 1)
    for number in todo.close:
        stop_probe(probes[number], now)
    for number in todo.give_up:
        invalidate_probe(probes[number], f"{probes[number].measurements_requested} measurements without a value", now)
    if todo.start:
        _record_drift(session, bisect, state, now)
        for one in probes.values():  # the control is measured together with new probes
            if one.purpose == "control" and one.state in LIVING:
                one.measurements_requested = len(queries.select_measurements_of_probe(session, one.id)) + 1
        queue_probes(session, bisect, plan, todo.start, state.round + 1, secret=secret, now=now)
    if todo.open is not None:
        bisect.expanding_candidate = todo.open
        record_bisect_event(session, bisect, "expanding", {"candidate": todo.open}, now=now)
        enqueue(session, ExpandCandidate(BisectId(bisect.id), todo.open))
    if todo.finished is not None:
        _record_drift(session, bisect, state, now)
        likeliest = _likeliest(plan, state, todo.finished)
        explained = describe_levels(plan, state, todo.finished)
        rest_after = find_rest(plan, state, todo.finished)
        record_outcome(
            session, bisect, list(probes.values()), todo.finished, likeliest,
            explained=explained, rest_after=rest_after, now=now,
        )  # fmt: skip
    if todo.pause is not None:
        _pause(session, bisect, state, list(probes.values()), todo.pause, now=now)


def _pause(
    session: WriteSession, bisect: Bisect, state: SearchState, probes: Sequence[Probe], reason: str, *, now: datetime
) -> None:
    """Pause a bisect; one that has measured both boundaries with their difference as the reason."""
    if reason == BOUNDARIES_DONE:
        sentence = boundary_results.read_results(state, probes).sentence
        pause_bisect(session, bisect, sentence, now=now, kind=BOUNDARIES_DONE)
    else:
        pause_bisect(session, bisect, reason, now=now)


def queue_probes(
    session: WriteSession,
    bisect: Bisect,
    plan: SearchPlan,
    starts: Sequence[ProbeStart],
    round_: int,
    *,
    secret: str,
    now: datetime,
) -> list[Probe]:
    """Queue probes as a new round; it may wait for approval."""
    rows = []
    first = len(queries.select_probes(session, bisect.id)) + 1
    for number, one in enumerate(starts, start=first):
        rows.append(make_probe(session, bisect, plan.build(one.build), number, secret=secret, now=now))
        rows[-1].candidate, rows[-1].purpose, rows[-1].verified_candidate, rows[-1].round = (
            one.build,
            one.purpose,
            one.about,
            round_,
        )
        record_bisect_event(
            session, bisect, "queued", {"number": number, "candidate": one.build, "purpose": one.purpose}, now=now
        )
    session.flush()
    settings = bisect_settings.from_json(bisect.settings)
    if first + len(starts) > MOST_PROBES:
        pause_bisect(session, bisect, f"The limit of {MOST_PROBES} probes is reached.", now=now)
    elif settings.needs_approval and bisect.approved_through_round < round_:
        bisect.state = BisectState.WAITING
        record_bisect_event(session, bisect, "waiting", {"round": round_}, now=now)
    return rows


def make_probe(
    session: WriteSession, bisect: Bisect, build: BuildInputs, number: int, *, secret: str, now: datetime
) -> Probe:
    """Return a new probe of a build; the caller sets candidate, purpose and round."""
    run_id = new_id()
    row = Probe(
        team_id=session.team_id,
        id=new_id(),
        bisect_id=bisect.id,
        number=number,
        run_id=run_id,
        callback_hash=hash_secret(callback_secret(secret, run_id)),
        build={
            "commit": build.commit,
            "modules": dict(build.modules),
            "versions": dict(build.versions),
            "settings": dict(build.settings),
        },
        state=ProbeState.QUEUED,
        measurements_requested=1,
        good_verdicts=0,
        bad_verdicts=0,
        queued_at=now,
        log_tail="",
    )
    session.add(row)
    return row


def stop_probe(probe: Probe, now: datetime) -> None:
    """Stop a probe and keep its measurements; end it at once if it was never leased."""
    if probe.leased_at is None:
        probe.state, probe.ended_at = ProbeState.INVALIDATED, now
        probe.reason = probe.reason or "no longer needed"
    elif probe.ended_at is None and probe.state not in {ProbeState.LOST, ProbeState.INVALIDATED}:
        probe.state = ProbeState.STOPPING


def invalidate_probe(probe: Probe, reason: str, now: datetime) -> None:
    """Invalidate a probe; tear it down if it is deployed."""
    probe.state, probe.reason = ProbeState.INVALIDATED, reason
    if probe.leased_at is None:
        probe.ended_at = now


def pause_bisect(session: WriteSession, bisect: Bisect, reason: str, *, now: datetime, kind: str = "paused") -> None:
    """Pause a bisect; deployed probes are torn down after their measurement, queued ones wait. `kind`: of the event."""
    bisect.state, bisect.pause_reason = BisectState.PAUSED, reason
    record_bisect_event(session, bisect, kind, {"reason": reason}, now=now)
    publish_bisect_change(session, bisect)


def _disown(session: WriteSession, bisect: Bisect, probes: Iterable[Probe], reason: str, now: datetime) -> None:
    """Invalidate the production baselines, so that the search deploys the boundaries."""
    for one in probes:
        if one.purpose == BASELINE and one.state == ProbeState.DONE:
            invalidate_probe(one, reason, now)
    record_bisect_event(session, bisect, "baselines-invalidated", {"reason": reason}, now=now)


def _record_drift(session: WriteSession, bisect: Bisect, state: SearchState, now: datetime) -> None:
    """Record once that the environment drifts and no control corrects for it."""
    is_recorded = queries.select_last_event_time(session, bisect.id, "drifted") is not None
    if not is_recorded and measurement_normalization.has_drift(state, search.compute_state_posterior(state)):
        record_bisect_event(session, bisect, "drifted", {}, now=now)


def _likeliest(plan: SearchPlan, state: SearchState, result: SearchResult) -> list[tuple[str, float]]:
    """Return the commits of the remaining suspects with the highest posterior."""
    here = search.compute_state_posterior(state).candidate_probabilities
    beliefs = {one: float(here[state.line.position(one) - 1]) for one in result.suspects}
    order = sorted(beliefs, key=lambda one: -beliefs[one])[:MOST_LIKELY]
    return [(plan.nodes[one].sha, beliefs[one]) for one in order]


def describe_levels(plan: SearchPlan, state: SearchState, result: SearchResult) -> str:
    """Return how much of the increase a culprit explains, and a build slower than both boundaries; "" if unknown."""
    found = explain_increase(state, result.suspects[0]) if result.outcome == "found" else None
    slower = find_slower_build(state)
    sentences = [] if found is None else [describe_explained(found)]
    culprit = plan.nodes[result.suspects[0]] if found is not None else None
    if found is not None and culprit is not None and culprit.repository in GO_LEVELS:
        sentences = [describe_go_change(culprit, describe_share(found.culprit))]
    if slower is not None:
        sentences.append(describe_slower_build(plan.nodes[slower.build].sha, slower.excess))
    return " ".join(sentences)


def find_rest(plan: SearchPlan, state: SearchState, result: SearchResult) -> str | None:
    """Return the main repository's commit of the culprit's build if a later candidate certainly explains a part."""
    found = explain_increase(state, result.suspects[0]) if result.outcome == "found" else None
    return plan.nodes[result.suspects[0]].build.commit if found is not None and found.has_later_rest else None


def record_outcome(
    session: WriteSession,
    bisect: Bisect,
    probes: Sequence[Probe],
    result: SearchResult,
    likeliest: Sequence[tuple[str, float]],
    *,
    explained: str = "",
    rest_after: str | None = None,
    now: datetime,
) -> None:
    """Record the outcome of a search; `explained`: how much of the increase its culprit explains, as a sentence.

    `rest_after`: the main repository's commit of its build if something later explains the rest.
    """
    outcome: dict[str, Any] = {
        "outcome": result.outcome, "suspects": list(result.suspects), "belief": result.belief,
        "likeliest": [{"sha": sha, "belief": belief} for sha, belief in likeliest],
        "explained": explained,
        "rest_after": rest_after,
    }  # fmt: skip
    bisect.state, bisect.outcome, bisect.finished_at = BisectState(result.outcome), outcome, now
    if bisect.repository_id is not None:
        for sha in result.suspects[:MOST_LOOKED_UP]:  # those of other repositories are not found there
            pull_requests.enqueue_lookup(session, RepositoryId(bisect.repository_id), sha)
    tear_down_bisect(session, bisect, probes, result.outcome, outcome, now=now)


def tear_down_bisect(
    session: WriteSession,
    bisect: Bisect,
    probes: Sequence[Probe],
    kind: str,
    facts: dict[str, Any],
    *,
    now: datetime,
    by: UserId | None = None,
) -> None:
    """Tear down all probes of a bisect that has ended, and notify."""
    for one in probes:
        if one.ended_at is None:
            stop_probe(one, now)
    bisect.finished_at, bisect.expanding_candidate = now, None
    if (job := work.find_open_job(session, ExpandCandidate.subject_kind, bisect.id)) is not None:
        work.cancel_job(session, JobId(job.id))  # its result is no longer needed
    record_bisect_event(session, bisect, kind, facts, now=now, by=by)
    details = {"title": bisect.title, "to": kind, "service_id": str(bisect.service_id)}
    record_audit_event(session, None, "bisect.finished", "bisect", bisect.id, details)
    publish_bisect_change(session, bisect)
    enqueue(session, BisectFinished(BisectId(bisect.id)))


def fail_bisect(session: WriteSession, bisect_id: BisectId, problem: dict[str, Any], *, now: datetime) -> None:
    """Record why a search failed. Raises `BisectNotFound`."""
    bisect = lock_bisect(session, bisect_id)
    if bisect.state not in OPEN:
        return
    bisect.state, bisect.problem = BisectState.FAILED, problem
    tear_down_bisect(
        session,
        bisect,
        queries.select_probes(session, bisect_id),
        "failed",
        {"detail": problem.get("detail", "")},
        now=now,
    )
