"""Decide the next actions of a search, and record their outcomes in its state.

`next_actions` returns what to do; the driver does it and reports the outcome with `record_started`, `record_measurements`,
`record_verdict`, `record_stopped`, `record_unbuildable` or `record_expansion`. Each returns a new state. The same state
always leads to the same actions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from slowpath.analysis.bisect import measurement_normalization
from slowpath.analysis.bisect.candidate_sequence import GOOD_END, KNOWN_BAD, KNOWN_GOOD, Candidate, CandidateSequence
from slowpath.analysis.bisect.limits import probe_limit
from slowpath.analysis.bisect.posterior import Posterior, compute_posterior
from slowpath.analysis.bisect.probe_selection import (
    ProbeCosts,
    buildable_probability,
    choose_probes,
    optimal_measurement_count,
    should_extend_probe,
)
from slowpath.analysis.bisect.search_state import (
    MeasuredValue,
    Outcome,
    ProbeRecord,
    ProbeStart,
    SearchResult,
    SearchSettings,
    SearchState,
)
from slowpath.analysis.bisect.suspect_confirmation import confirm
from slowpath.analysis.bisect.suspects import credible_set, most_suspected_run, unbuildables
from slowpath.analysis.bisect.verdict_rates import RIGHT, WRONG

EXPAND_AT: Final = 0.5
EXPAND_RIVAL_AT: Final = 0.1
"""Part of the missing belief: rivals with this much are expanded before a suspect is named; that costs no probe."""
MAX_PER_BUILD_WITH_DRIFT: Final = 8
"""Probes of one build under drift without a control: more add no information."""
PROBES_PER_BOUNDARY, BOUNDARY_UNCERTAINTY = 3, 0.05
"""Without a production baseline each boundary is measured again after this many probes while the range is doubtful."""


@dataclass(frozen=True)
class NextActions:
    """The next actions: exactly one field is set, except that `measure` and `close` may come together."""

    start: tuple[ProbeStart, ...] = ()
    measure: tuple[int, ...] = ()
    """Probes to measure once more, at the same time."""
    close: tuple[int, ...] = ()
    open: str | None = None
    """A candidate to expand."""
    finished: SearchResult | None = None


def start_search(
    settings: SearchSettings,
    line: CandidateSequence,
    good: Sequence[Sequence[float]] = (),
    bad: Sequence[Sequence[float]] = (),
) -> SearchState:
    """Return a new search.

    `good` and `bad` are production measurements of deployments of the two boundaries.
    """
    known = [(KNOWN_GOOD, one) for one in good] + [(KNOWN_BAD, one) for one in bad]
    deploys = tuple(
        ProbeRecord(number, build, "baseline", 0, "done", tuple(MeasuredValue(0, value) for value in values))
        for number, (build, values) in enumerate(known, start=1)
    )
    return SearchState(settings, line, deploys)


def compute_state_posterior(state: SearchState) -> Posterior:
    """Return the current posterior."""
    return compute_posterior(state.line, measurement_normalization.readings(state), state.settings.between)


def next_actions(state: SearchState) -> NextActions:
    """Return the next actions."""
    running = [one for one in state.deploys if one.state == "running"]
    probing = [one for one in running if one.purpose != "control"]
    control = tuple(one.number for one in running if one.purpose == "control")
    fresh = tuple(one.number for one in running if not one.is_measured)
    if fresh:
        return NextActions(measure=tuple(dict.fromkeys(fresh + control)))
    if probing:
        belief = compute_state_posterior(state)
        more = tuple(one.number for one in probing if _needs_measurement(state, belief, one))
        done = tuple(one.number for one in probing if one.number not in more)
        return NextActions(measure=more + control if more else (), close=done)
    return _next_round(state)


def _needs_measurement(state: SearchState, belief: Posterior, deploy: ProbeRecord) -> bool:
    if belief.noise is None or not deploy.windows:
        return False
    costs = _costs(state)
    if deploy.purpose in {"boundary", "verify"}:
        return len(deploy.windows) < costs.most_windows
    p = float(belief.bad[max(state.line.position(deploy.build), 0)])
    nearest = float(belief.bad[np.argmin(np.abs(belief.bad - 0.5))])  # the most informative new probe
    _, elsewhere = optimal_measurement_count(nearest, belief.noise, costs, costs.deploy)
    return should_extend_probe(p, len(deploy.windows), belief.noise, costs, elsewhere)


def _next_round(state: SearchState) -> NextActions:
    control = [ProbeStart(GOOD_END, "control")] if state.settings.control and not _running_control(state) else []
    belief = compute_state_posterior(state)
    ends = missing_boundary_probes(state)
    if ends:
        return _limit_starts(state, belief, control, ends[: state.settings.slots])
    group, mass = most_suspected_run(state, belief)
    suspect = state.line.at(group[-1])
    if belief.probability_of_none >= state.settings.belief:
        return _end_without_culprit(state, belief, control)
    if len(group) == 1 and mass >= EXPAND_AT and suspect in state.line.hiding:
        return NextActions(open=suspect)
    hiding = [one for one in map(state.line.at, group) if one in state.line.hiding]
    if hiding and mass >= state.settings.belief:  # commits inside a build that failed may build
        return NextActions(open=hiding[0])
    if mass >= state.settings.belief and (rival := _rival_to_expand(state, belief, suspect)) is not None:
        return NextActions(open=rival)
    starts, finished = confirm(state, belief, group, mass) if mass >= state.settings.belief else ([], None)
    starts = starts or ([] if finished else _probes(state, belief))
    return NextActions(finished=finished) if finished else _limit_starts(state, belief, control, starts)


def _end_without_culprit(state: SearchState, belief: Posterior, control: list[ProbeStart]) -> NextActions:
    """Return the end of a search without a culprit, or second probes of builds that were measured once and are outlying."""
    once = measurement_normalization.outlying_builds(state, belief)[: state.settings.slots]
    if once:
        return _limit_starts(state, belief, control, [ProbeStart(state.line.at(at), "probe") for at in once])
    return NextActions(finished=SearchResult("not-in-range", (), belief.probability_of_none))


def _limit_starts(
    state: SearchState, belief: Posterior, control: list[ProbeStart], starts: list[ProbeStart]
) -> NextActions:
    """Return the starts within the probe limit, or the end of the search without a culprit."""
    left = probe_limit(state) - state.started
    if starts and left > len(control):
        return NextActions(start=tuple([*control, *starts][:left]))
    outcome: Outcome = "stopped" if starts else "not-separable"
    suspects = credible_set(state, belief)
    believed = sum(float(belief.mass[state.line.position(one)]) for one in suspects)
    return NextActions(finished=SearchResult(outcome, suspects, believed))


def _running_control(state: SearchState) -> bool:
    return any(one.purpose == "control" and one.state == "running" for one in state.deploys)


def missing_boundary_probes(state: SearchState) -> list[ProbeStart]:
    """Return the boundary probes still to start, alternating, if there is no production baseline."""
    if any(one.purpose == "baseline" and one.is_measured for one in state.deploys):
        return []
    last = state.line.at(len(state.line))
    good, bad = (
        sum(
            one.is_measured and state.line.position(one.build) == place
            for one in state.deploys
            if one.purpose in {"boundary", "control"}
        )
        for place in (0, len(state.line))
    )
    required = state.settings.end_deploys
    probes = sum(one.is_measured and one.purpose == "probe" for one in state.deploys)
    if probes >= PROBES_PER_BOUNDARY and compute_state_posterior(state).probability_of_none > BOUNDARY_UNCERTAINTY:
        required += probes // PROBES_PER_BOUNDARY  # only the boundaries themselves can show that they are equal
    return [
        ProbeStart(build, "boundary")
        for at in range(required)
        for build in ((GOOD_END,) if at >= good else ()) + ((last,) if at >= bad else ())
    ]


def _probes(state: SearchState, belief: Posterior) -> list[ProbeStart]:
    tried = [one for one in state.deploys if one.is_ours]
    unbuildable = unbuildables(state)
    built = {state.line.position(one.build) for one in tried} - unbuildable
    can_build = buildable_probability(len(state.line), built, unbuildable)
    positions = choose_probes(
        belief, belief.noise, _costs(state), state.settings.slots, can_build, verdicts=_error_rates(state, belief)
    )
    starts = [ProbeStart(state.line.at(one), "probe") for one in positions]
    if measurement_normalization.has_drift(state, belief):
        often = [sum(one.build == start.build for one in tried if one.is_measured) for start in starts]
        return [] if max(often, default=0) >= MAX_PER_BUILD_WITH_DRIFT else starts
    return starts


def _error_rates(state: SearchState, belief: Posterior) -> tuple[float, float]:
    """Return the estimated rates of false bad and false good verdicts."""
    counts = np.array([[WRONG, RIGHT], [WRONG, RIGHT]])
    for one in measurement_normalization.readings(state):
        p = float(belief.bad[one.position]) if 0 <= one.position <= len(state.line) else float(one.position > 0)
        counts += [[(1 - p) * one.bad, (1 - p) * one.good], [p * one.good, p * one.bad]]
    alarms, misses = counts[:, 0] / counts.sum(1)
    return float(alarms), float(misses)


def _costs(state: SearchState) -> ProbeCosts:
    one = state.settings
    return ProbeCosts(one.deploy_cost, one.window_cost, one.most_windows)


def _rival_to_expand(state: SearchState, belief: Posterior, suspect: str) -> str | None:
    """Return the most probable unexpanded candidate at least as deep as the suspect; None below the limit."""
    line, least = state.line, EXPAND_RIVAL_AT * (1 - state.settings.belief)
    masses = {
        one: float(belief.mass[line.position(one)])
        for one in line.hiding - line.pruned
        if line.depth(one) >= line.depth(suspect)
    }
    most = max(masses, key=masses.__getitem__, default=None)
    return most if most is not None and masses[most] >= least else None


def record_started(state: SearchState, starts: Sequence[ProbeStart]) -> SearchState:
    """Return the state in which these builds run, in a new round.

    Their numbers continue after the last one.
    """
    round_, first = state.round + 1, len(state.deploys) + 1
    new = tuple(
        ProbeRecord(first + at, one.build, one.purpose, round_, about=one.about) for at, one in enumerate(starts)
    )
    return replace(state, deploys=state.deploys + new, round=round_)


def record_measurements(state: SearchState, values: dict[int, float]) -> SearchState:
    """Add one measurement to each of these probes, taken at the same time."""
    for number, value in values.items():
        one = _deploy(state, number)
        state = state.with_deploy(replace(one, windows=(*one.windows, MeasuredValue(state.round, float(value)))))
    return state


def record_verdict(state: SearchState, number: int, *, bad: bool) -> SearchState:
    """Add a verdict on a probe."""
    one = _deploy(state, number)
    return state.with_deploy(replace(one, good=one.good + (not bad), bad=one.bad + bad))


def record_stopped(state: SearchState, deploys: Sequence[int]) -> SearchState:
    """Record that probes were stopped."""
    for number in deploys:
        state = state.with_deploy(replace(_deploy(state, number), state="done"))
    return state


def record_unbuildable(state: SearchState, number: int) -> SearchState:
    """Record that a build failed to build or start."""
    return state.with_deploy(replace(_deploy(state, number), state="unbuildable", windows=(), good=0, bad=0))


def record_expansion(state: SearchState, candidate: str, inner: Sequence[Candidate]) -> SearchState:
    """Record what a candidate contains; its last inner one has its build. Empty: it contains nothing."""
    return replace(state, line=state.line.opened(candidate, inner))


def _deploy(state: SearchState, number: int) -> ProbeRecord:
    return state.deploys[number - 1]
