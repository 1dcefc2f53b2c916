"""Do what the search says. Everything it knows is in the rows, so that it can be asked again at any time."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from slowpath.accounts.rules.credentials import secret_hash
from slowpath.accounts.service import audit
from slowpath.analysis.bisect import numbers, search
from slowpath.analysis.bisect.search import Finished, Start
from slowpath.analysis.bisect.state import State
from slowpath.bisects import queries
from slowpath.bisects.jobs import BisectEnded, OpenCandidate, WatchBisect
from slowpath.bisects.rules import plans
from slowpath.bisects.rules import settings as kept
from slowpath.bisects.rules.callbacks import callback_secret
from slowpath.bisects.rules.nodes import Build
from slowpath.bisects.rules.plans import Plan
from slowpath.bisects.rules.states import LIVING, MOST_PROBES, OPEN, WATCH_SECONDS, BisectState, ProbeState
from slowpath.bisects.rules.stepping import Todo, next_of
from slowpath.bisects.rules.tried import KNOWN
from slowpath.bisects.service.holding import changed, hold, write
from slowpath.bisects.service.summing import state_as, sum_up, tried
from slowpath.bisects.tables import Bisect, Probe
from slowpath.core.ids import BisectId, JobId, UserId, new_id
from slowpath.core.jobs import enqueue, enqueue_once
from slowpath.core.sessions import WriteSession
from slowpath.work import service as work

GOES_ON = frozenset({BisectState.SEARCHING, BisectState.WAITING})
MOST_LIKELY = 3
"""Suspects that the sentence of an undecided search names."""
MOST_STEPS = 20
"""At a time; each changes rows, so that the next one waits or differs."""


def step(session: WriteSession, bisect_id: BisectId, *, secret: str, now: datetime) -> None:
    """Do what there is to do for a bisect; nothing while it is paused, planned, being looked into, or ended."""
    bisect = hold(session, bisect_id)
    if bisect.state not in GOES_ON or bisect.plan is None or bisect.opening is not None:
        return
    plan = plans.from_json(bisect.plan)
    enqueue_once(session, WatchBisect(bisect_id), after_s=WATCH_SECONDS)
    resumed = queries.last_event_at(session, bisect_id, "resumed")
    for _ in range(MOST_STEPS):
        probes = queries.probes(session, bisect_id)
        known = tried(probes, queries.windows(session, bisect_id))
        state = state_as(bisect, plan, known)
        since = {one.number for one in probes if resumed is None or one.asked_at >= resumed}
        todo = next_of(state, known, since=since)
        if todo == Todo():
            break
        if todo.disown is not None:
            _disown(session, bisect, probes, todo.disown, now)
        _do(session, bisect, plan, state, {one.number: one for one in probes}, todo, secret=secret, now=now)
        session.flush()
        changed(session, bisect)
        if todo.finished or todo.open or todo.pause:
            break
    sum_up(session, bisect, plan)


def _do(  # noqa: PLR0917 - the bisect, what is known of it, and what is to be done
    session: WriteSession,
    bisect: Bisect,
    plan: Plan,
    state: State,
    probes: Mapping[int, Probe],
    todo: Todo,
    *,
    secret: str,
    now: datetime,
) -> None:
    for number in todo.measure:
        taken = len(queries.windows_of(session, probes[number].id))
        probes[number].windows_wanted = max(probes[number].windows_wanted, taken + 1)
    for number in todo.close:
        close(probes[number], now)
    for number in todo.give_up:
        annul(probes[number], f"{probes[number].windows_wanted} windows without a number", now)
    if todo.start:
        _tell_drift(session, bisect, state, now)
        for one in probes.values():  # what stays is measured together with what comes
            if one.purpose == "control" and one.state in LIVING:
                one.windows_wanted = len(queries.windows_of(session, one.id)) + 1
        ask(session, bisect, plan, todo.start, state.round + 1, secret=secret, now=now)
    if todo.open is not None:
        bisect.opening = todo.open
        write(session, bisect, "opening", {"candidate": todo.open}, now=now)
        enqueue(session, OpenCandidate(BisectId(bisect.id), todo.open))
    if todo.finished is not None:
        _tell_drift(session, bisect, state, now)
        likeliest = _likeliest(plan, state, todo.finished)
        finish(session, bisect, list(probes.values()), todo.finished, likeliest, now=now)
    if todo.pause is not None:
        pause(session, bisect, todo.pause, now=now)


def ask(
    session: WriteSession,
    bisect: Bisect,
    plan: Plan,
    starts: Sequence[Start],
    round_: int,
    *,
    secret: str,
    now: datetime,
) -> list[Probe]:
    """Ask for deploys in a round of their own; with `approval` they wait for a person."""
    rows = []
    first = len(queries.probes(session, bisect.id)) + 1
    for number, one in enumerate(starts, start=first):
        rows.append(new_probe(session, bisect, plan.build(one.build), number, secret=secret, now=now))
        rows[-1].candidate, rows[-1].purpose, rows[-1].about, rows[-1].round = (
            one.build,
            one.purpose,
            one.about,
            round_,
        )
        write(session, bisect, "asked", {"number": number, "candidate": one.build, "purpose": one.purpose}, now=now)
    session.flush()
    settings = kept.from_json(bisect.settings)
    if first + len(starts) > MOST_PROBES:
        pause(session, bisect, f"There were {MOST_PROBES} probes.", now=now)
    elif settings.approval and bisect.approved < round_:
        bisect.state = BisectState.WAITING
        write(session, bisect, "waiting", {"round": round_}, now=now)
    return rows


def new_probe(session: WriteSession, bisect: Bisect, build: Build, number: int, *, secret: str, now: datetime) -> Probe:
    """Return a fresh row; who asks says of what."""
    run_id = new_id()
    row = Probe(
        team_id=session.team_id,
        id=new_id(),
        bisect_id=bisect.id,
        number=number,
        run_id=run_id,
        callback_hash=secret_hash(callback_secret(secret, run_id)),
        build={"commit": build.commit, "modules": dict(build.modules), "versions": dict(build.versions)},
        state=ProbeState.ASKED,
        windows_wanted=1,
        good=0,
        bad=0,
        asked_at=now,
        log_tail="",
    )
    session.add(row)
    return row


def close(probe: Probe, now: datetime) -> None:
    """Have a probe taken down, and what it gave kept; what no runner has yet is done with."""
    if probe.leased_at is None:
        probe.state, probe.ended_at = ProbeState.ANNULLED, now
        probe.reason = probe.reason or "no longer needed"
    elif probe.ended_at is None and probe.state not in {ProbeState.LOST, ProbeState.ANNULLED}:
        probe.state = ProbeState.CLOSING


def annul(probe: Probe, reason: str, now: datetime) -> None:
    """Say that what a probe gave does not count; if it runs it is taken down."""
    probe.state, probe.reason = ProbeState.ANNULLED, reason
    if probe.leased_at is None:
        probe.ended_at = now


def pause(session: WriteSession, bisect: Bisect, reason: str, *, now: datetime) -> None:
    """Have a bisect wait for a person; what runs is taken down after its window, what nobody has waits with it."""
    bisect.state, bisect.pause_reason = BisectState.PAUSED, reason
    write(session, bisect, "paused", {"reason": reason}, now=now)
    changed(session, bisect)


def _disown(session: WriteSession, bisect: Bisect, probes: Iterable[Probe], reason: str, now: datetime) -> None:
    """Say that what production measured of the ends does not count; the search deploys them then."""
    for one in probes:
        if one.purpose == KNOWN and one.state == ProbeState.DONE:
            annul(one, reason, now)
    write(session, bisect, "disowned", {"reason": reason}, now=now)


def _tell_drift(session: WriteSession, bisect: Bisect, state: State, now: datetime) -> None:
    """Say once that what no control sees makes all of it less sure, long before anybody is named."""
    told = queries.last_event_at(session, bisect.id, "drifts") is not None
    if not told and numbers.wanders(state, search.belief_of(state)):
        write(session, bisect, "drifts", {}, now=now)


def _likeliest(plan: Plan, state: State, told: Finished) -> list[tuple[str, float]]:
    """Return the commits of the likeliest suspects that are left, and their posterior probabilities."""
    here = search.belief_of(state).here
    beliefs = {one: float(here[state.line.position(one) - 1]) for one in told.suspects}
    order = sorted(beliefs, key=lambda one: -beliefs[one])[:MOST_LIKELY]
    return [(plan.nodes[one].sha, beliefs[one]) for one in order]


def finish(
    session: WriteSession,
    bisect: Bisect,
    probes: Sequence[Probe],
    told: Finished,
    likeliest: Sequence[tuple[str, float]],
    *,
    now: datetime,
) -> None:
    """Write down how a search ended."""
    outcome: dict[str, Any] = {
        "outcome": told.outcome, "suspects": list(told.suspects), "belief": told.belief,
        "likeliest": [{"sha": sha, "belief": belief} for sha, belief in likeliest],
    }  # fmt: skip
    bisect.state, bisect.outcome, bisect.finished_at = BisectState(told.outcome), outcome, now
    end(session, bisect, probes, told.outcome, outcome, now=now)


def end(
    session: WriteSession,
    bisect: Bisect,
    probes: Sequence[Probe],
    kind: str,
    facts: dict[str, Any],
    *,
    now: datetime,
    by: UserId | None = None,
) -> None:
    """Take down what is left of a bisect that has ended, and tell of it."""
    for one in probes:
        if one.ended_at is None:
            close(one, now)
    bisect.finished_at, bisect.opening = now, None
    if (job := work.under_way(session, OpenCandidate.subject_kind, bisect.id)) is not None:
        work.cancel(session, JobId(job.id))  # nobody waits any more for what it reads
    write(session, bisect, kind, facts, now=now, by=by)
    told = {"title": bisect.title, "to": kind, "service_id": str(bisect.service_id)}
    audit(session, None, "bisect.ended", "bisect", bisect.id, told)
    changed(session, bisect)
    enqueue(session, BisectEnded(BisectId(bisect.id)))


def fail(session: WriteSession, bisect_id: BisectId, problem: dict[str, Any], *, now: datetime) -> None:
    """Write down why a search can not go on. Raises `BisectNotFound`."""
    bisect = hold(session, bisect_id)
    if bisect.state not in OPEN:
        return
    bisect.state, bisect.problem = BisectState.FAILED, problem
    end(session, bisect, queries.probes(session, bisect_id), "failed", {"detail": problem.get("detail", "")}, now=now)
