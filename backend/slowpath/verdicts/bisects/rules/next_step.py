"""The next step of a search, from its probes. The same rows always give the same step."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from slowpath.analysis.bisect.baseline_agreement import baseline_disagreement
from slowpath.analysis.bisect.candidate_sequence import KNOWN_BAD, KNOWN_GOOD
from slowpath.analysis.bisect.search import next_actions
from slowpath.analysis.bisect.search_state import ProbeStart, SearchResult, SearchState
from slowpath.verdicts.bisects.rules.bisect_states import MOST_BAD_WINDOWS, MOST_FAILURES, NO_BUILD, ProbeState
from slowpath.verdicts.bisects.rules.probe_observations import BASELINE, ProbeObservation, is_failure

DOUBTED: Final = 0.5
"""Probability of a disagreement with production above which baselines are invalidated."""
UNFOUND: Final = frozenset({"not-in-range", "not-separable"})
VERIFY_BOUNDARIES: Final = "Both boundaries are deployed before the bisect ends without a culprit."


@dataclass(frozen=True)
class NextStep:
    """The next step; empty while waiting."""

    start: tuple[ProbeStart, ...] = ()
    measure: tuple[int, ...] = ()
    """Probes that need one more measurement."""
    close: tuple[int, ...] = ()
    give_up: tuple[int, ...] = ()
    """Probes without a readable measurement."""
    open: str | None = None
    finished: SearchResult | None = None
    pause: str | None = None
    """Why the bisect pauses."""
    disown: str | None = None
    """Why the production baselines are invalidated."""


def decide_next_step(state: SearchState, tried: Sequence[ProbeObservation], *, since: Collection[int]) -> NextStep:
    """Return the next step. `since`: numbers of the probes queued after the last resume."""
    hopeless = tuple(
        one.number for one in tried if one.can_measure_more and one.count_without_value >= MOST_BAD_WINDOWS
    )
    if hopeless:
        return NextStep(give_up=hopeless)
    if (reason := _describe_failures([one for one in tried if one.number in since])) is not None:
        return NextStep(pause=reason)
    extra = tuple(
        one.number for one in tried if one.can_measure_more and one.purpose == "control" and not state.settings.control
    )
    if extra:
        return NextStep(close=extra)
    asked = {one.number for one in tried if one.state == ProbeState.QUEUED}
    if any(one.waits for one in tried if one.number not in asked):
        return NextStep()
    return _go_on(state, tried, asked)


def _go_on(state: SearchState, tried: Sequence[ProbeObservation], asked: Collection[int]) -> NextStep:
    """Return the step that follows from the measurements."""
    known = any(one.purpose == BASELINE and one.state == ProbeState.DONE for one in tried)
    if known and (why := _reason_against_baselines(state)) is not None:
        return NextStep(disown=why)
    if asked:
        return _make_room(state, tried, asked)
    actions = next_actions(state)
    if known and actions.finished is not None and actions.finished.outcome in UNFOUND:
        return NextStep(disown=VERIFY_BOUNDARIES)
    return NextStep(actions.start, actions.measure, actions.close, (), actions.open, actions.finished)


def _reason_against_baselines(state: SearchState) -> str | None:
    """Return why production baselines cannot replace deployments of this search, or None."""
    if {one.build for one in state.deploys if not one.is_ours and one.is_measured} != {KNOWN_GOOD, KNOWN_BAD}:
        return "The baseline of one boundary was deleted."
    if baseline_disagreement(state) > DOUBTED:
        return "Probes of the same builds differ from production."
    return None


def _make_room(state: SearchState, tried: Sequence[ProbeObservation], asked: Collection[int]) -> NextStep:
    """Continue measuring deployed probes while others wait for a free slot."""
    if not any(one.can_measure_more and one.purpose != "control" for one in tried if one.number not in asked):
        return NextStep()
    actions = next_actions(replace(state, deploys=tuple(one for one in state.deploys if one.number not in asked)))
    return NextStep(measure=actions.measure, close=actions.close)


def _describe_failures(tried: Sequence[ProbeObservation]) -> str | None:
    ended = [one for one in tried if not one.can_measure_more and one.purpose != "override"]
    newest = ended[-MOST_FAILURES:]
    if len(newest) == MOST_FAILURES and all(is_failure(one) for one in newest):
        return f"{MOST_FAILURES} consecutive probes failed. See the log of probe #{newest[-1].number}."
    unbuilt = [one.candidate for one in tried if one.state in NO_BUILD and one.purpose != "probe"]
    twice = next((one for one in unbuilt if unbuilt.count(one) > 1), None)
    if twice is not None:
        named = "The good boundary" if twice == "good" else "The bad boundary or the suspect"
        last = max(one.number for one in tried if one.candidate == twice)
        return f"{named} cannot be built or does not become healthy. See the log of probe #{last}."
    return None
