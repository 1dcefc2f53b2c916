"""What is to be done next, from what was tried. The same rows always lead to the same."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from slowpath.analysis.bisect.search import Finished, Start, steps
from slowpath.analysis.bisect.state import State
from slowpath.bisects.rules.states import MOST_BAD_WINDOWS, MOST_FAILURES, NO_BUILD, ProbeState
from slowpath.bisects.rules.tried import Tried, is_failure


@dataclass(frozen=True)
class Todo:
    """What is to be done; empty: something is being waited for."""

    start: tuple[Start, ...] = ()
    measure: tuple[int, ...] = ()
    """Probes of which one more window is wanted."""
    close: tuple[int, ...] = ()
    give_up: tuple[int, ...] = ()
    """Probes of which nothing can be read."""
    open: str | None = None
    finished: Finished | None = None
    pause: str | None = None
    """Why a person must look."""


def next_of(state: State, tried: Sequence[Tried], *, since: Collection[int]) -> Todo:
    """Return what is to be done. `since` are the numbers of the probes that were asked after a person last resumed."""
    hopeless = tuple(one.number for one in tried if one.lives and one.told_nothing >= MOST_BAD_WINDOWS)
    if hopeless:
        return Todo(give_up=hopeless)
    if (reason := _trouble([one for one in tried if one.number in since])) is not None:
        return Todo(pause=reason)
    extra = tuple(one.number for one in tried if one.lives and one.purpose == "control" and not state.settings.control)
    if extra:
        return Todo(close=extra)
    asked = {one.number for one in tried if one.state == ProbeState.ASKED}
    if any(one.waits for one in tried if one.number not in asked):
        return Todo()
    if asked:
        return _make_room(state, tried, asked)
    told = steps(state)
    return Todo(told.start, told.measure, told.close, (), told.open, told.finished)


def _make_room(state: State, tried: Sequence[Tried], asked: Collection[int]) -> Todo:
    """Go on with what is measured while others wait: perhaps no runner has room for them before these are gone."""
    if not any(one.lives and one.purpose != "control" for one in tried if one.number not in asked):
        return Todo()
    told = steps(replace(state, deploys=tuple(one for one in state.deploys if one.number not in asked)))
    return Todo(measure=told.measure, close=told.close)


def _trouble(tried: Sequence[Tried]) -> str | None:
    ended = [one for one in tried if not one.lives and one.purpose != "mark"]
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
