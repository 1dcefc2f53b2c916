"""What the deployments of both boundaries of a bisect gave: a result for each, and their difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from slowpath.analysis.bisect.boundary_difference import (
    BoundaryDifference,
    BoundaryLevel,
    compare_boundaries,
    describe_level,
)
from slowpath.analysis.bisect.cost_forecast import forecast_remaining_probes
from slowpath.analysis.bisect.search_state import SearchState
from slowpath.core.db_sessions import ReadSession
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.rules import search_plan
from slowpath.verdicts.bisects.rules.bisect_states import LIVING, ProbeState
from slowpath.verdicts.bisects.service.bisect_summaries import load_probe_observations, load_search_state
from slowpath.verdicts.bisects.tables import Bisect, Probe
from slowpath.verdicts.bisects.wording import describe_boundary_difference, describe_failed_boundary

MOST_LINE: Final = 300
"""Most characters shown of the last line of a log."""
BoundaryName = Literal["good", "bad"]
BoundaryState = Literal["waiting", "building", "measuring", "measured", "failed"]


@dataclass(frozen=True)
class BoundaryResult:
    """One boundary: its level, if it was measured, and its newest deployment."""

    name: BoundaryName
    state: BoundaryState
    level: BoundaryLevel | None
    probe_number: int | None
    taken: int = 0
    """Measurements of the newest deployment."""
    problem: str = ""
    """Why it has no measurement."""


@dataclass(frozen=True)
class BoundaryResults:
    """Both boundaries, their difference once both are measured, and what follows in a sentence."""

    good: BoundaryResult
    bad: BoundaryResult
    difference: BoundaryDifference | None
    sentence: str
    state: SearchState
    """What the search knows."""


def load_results(session: ReadSession, bisect: Bisect) -> BoundaryResults | None:
    """Return what the boundaries of a bisect gave so far; None before it has a plan."""
    if bisect.plan is None:
        return None
    probes, windows = queries.select_probes(session, bisect.id), queries.select_measurements(session, bisect.id)
    state = load_search_state(bisect, search_plan.from_json(bisect.plan), load_probe_observations(probes, windows))
    return read_results(state, probes)


def read_results(state: SearchState, probes: Sequence[Probe]) -> BoundaryResults:
    """Return what the boundaries gave in a state of the search."""
    good, bad = _result(state, probes, "good", 0), _result(state, probes, "bad", len(state.line))
    difference = compare_boundaries(state)
    failed = [one.problem for one in (good, bad) if one.state == "failed"]
    if failed:
        sentence = " ".join(failed)
    elif difference is not None:
        sentence = describe_boundary_difference(difference, forecast_remaining_probes(state).mean)
    else:
        sentence = ""
    return BoundaryResults(good, bad, difference, sentence, state)


def _result(state: SearchState, probes: Sequence[Probe], name: BoundaryName, position: int) -> BoundaryResult:
    level = describe_level(state, position)
    own = [one for one in probes if one.purpose == "boundary" and state.line.position(one.candidate) == position]
    if not own:
        return BoundaryResult(name, "waiting" if level is None else "measured", level, None)
    newest = own[-1]
    record = next(one for one in state.deploys if one.number == newest.number)
    taken = len(record.windows) + record.good + record.bad
    if newest.state in LIVING:
        phase: BoundaryState = "waiting" if newest.state == ProbeState.QUEUED else "building"
        return BoundaryResult(name, "measuring" if newest.ready_at or taken else phase, level, newest.number, taken)
    if record.is_measured:
        return BoundaryResult(name, "measured", level, newest.number, taken)
    problem = describe_failed_boundary(name, newest.state, read_last_line(newest) or newest.reason or "")
    return BoundaryResult(name, "failed", level, newest.number, 0, problem)


def read_last_line(probe: Probe) -> str:
    """Return the last line of the log of a probe, shortened; empty without one."""
    lines = probe.log_tail.strip().splitlines()
    return lines[-1].strip()[:MOST_LINE] if lines else ""
