"""What is to be done next, from what was tried. The same rows always lead to the same."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from slowpath.analysis.bisect.baseline_agreement import baseline_disagreement
from slowpath.analysis.bisect.candidate_sequence import KNOWN_BAD, KNOWN_GOOD
from slowpath.analysis.bisect.search import ProbeStart, SearchResult, next_actions
from slowpath.analysis.bisect.search_state import SearchState
from slowpath.verdicts.bisects.rules.bisect_states import MOST_BAD_WINDOWS, MOST_FAILURES, NO_BUILD, ProbeState
from slowpath.verdicts.bisects.rules.probe_observations import BASELINE, ProbeObservation, is_failure

DOUBTED: Final = 0.5
"""So much it is believed that a search measures otherwise than production did, and what that measured counts no more."""
UNFOUND: Final = frozenset({"not-in-range", "not-separable"})
NOT_ON_ITS_WORD: Final = "Before a search ends without a culprit it deploys both ends itself."


@dataclass(frozen=True)
class NextStep:
    """What is to be done; empty: something is being waited for."""

    start: tuple[ProbeStart, ...] = ()
    measure: tuple[int, ...] = ()
    """Probes of which one more window is wanted."""
    close: tuple[int, ...] = ()
    give_up: tuple[int, ...] = ()
    """Probes of which nothing can be read."""
    open: str | None = None
    finished: SearchResult | None = None
    pause: str | None = None
    """Why a person must look."""
    disown: str | None = None
    """Why what production measured of the ends does not count any more."""


def decide_next_step(state: SearchState, tried: Sequence[ProbeObservation], *, since: Collection[int]) -> NextStep:
    """Return what is to be done. `since` are the numbers of the probes that were asked after a person last resumed."""
    hopeless = tuple(one.number for one in tried if one.lives and one.told_nothing >= MOST_BAD_WINDOWS)
    if hopeless:
        return NextStep(give_up=hopeless)
    if (reason := _trouble([one for one in tried if one.number in since])) is not None:
        return NextStep(pause=reason)
    extra = tuple(one.number for one in tried if one.lives and one.purpose == "control" and not state.settings.control)
    if extra:
        return NextStep(close=extra)
    asked = {one.number for one in tried if one.state == ProbeState.QUEUED}
    if any(one.waits for one in tried if one.number not in asked):
        return NextStep()
    return _go_on(state, tried, asked)


def _go_on(state: SearchState, tried: Sequence[ProbeObservation], asked: Collection[int]) -> NextStep:
    """Return what follows from what was measured."""
    known = any(one.purpose == BASELINE and one.state == ProbeState.DONE for one in tried)
    if known and (why := _disowned(state)) is not None:
        return NextStep(disown=why)
    if asked:
        return _make_room(state, tried, asked)
    told = next_actions(state)
    if known and told.finished is not None and told.finished.outcome in UNFOUND:
        return NextStep(disown=NOT_ON_ITS_WORD)
    return NextStep(told.start, told.measure, told.close, (), told.open, told.finished)


def _disowned(state: SearchState) -> str | None:
    """Return why what production measured of the ends can not stand for deploys of this search."""
    if {one.build for one in state.deploys if not one.is_ours and one.is_measured} != {KNOWN_GOOD, KNOWN_BAD}:
        return "Of one end nothing is left to compare with."
    if baseline_disagreement(state) > DOUBTED:
        return "What was deployed here lies elsewhere than the same builds did there."
    return None


def _make_room(state: SearchState, tried: Sequence[ProbeObservation], asked: Collection[int]) -> NextStep:
    """Go on with what is measured while others wait: perhaps no runner has room for them before these are gone."""
    if not any(one.lives and one.purpose != "control" for one in tried if one.number not in asked):
        return NextStep()
    told = next_actions(replace(state, deploys=tuple(one for one in state.deploys if one.number not in asked)))
    return NextStep(measure=told.measure, close=told.close)


def _trouble(tried: Sequence[ProbeObservation]) -> str | None:
    ended = [one for one in tried if not one.lives and one.purpose != "override"]
    newest = ended[-MOST_FAILURES:]
    if len(newest) == MOST_FAILURES and all(is_failure(one) for one in newest):
        return f"{MOST_FAILURES} deploys one after another came to nothing. See the log of #{newest[-1].number}."
    unbuilt = [one.candidate for one in tried if one.state in NO_BUILD and one.purpose != "probe"]
    twice = next((one for one in unbuilt if unbuilt.count(one) > 1), None)
    if twice is not None:
        named = "The good end" if twice == "good" else "The bad end, or what was to be verified,"
        last = max(one.number for one in tried if one.candidate == twice)
        return f"{named} can not be built or does not become healthy. See the log of #{last}."
    return None
