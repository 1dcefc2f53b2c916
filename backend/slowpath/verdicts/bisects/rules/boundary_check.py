"""The next step of a bisect that measures both boundaries once and pauses before its first candidate."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from slowpath.analysis.bisect.candidate_sequence import GOOD_END
from slowpath.analysis.bisect.search_state import ProbeStart, SearchState
from slowpath.verdicts.bisects.rules.next_step import NextStep, decide_next_step
from slowpath.verdicts.bisects.rules.probe_observations import ProbeObservation

BOUNDARIES_DONE = "boundaries-measured"
"""Reason of the pause, and kind of the event, once each boundary was measured or failed."""


def decide_boundary_step(state: SearchState, tried: Sequence[ProbeObservation], *, since: Collection[int]) -> NextStep:
    """Return the next step. `since`: numbers of the probes queued after the last retry.

    Boundaries without a measurement from before the retry are deployed; if none is missing, both are once more.
    """
    step = decide_next_step(
        replace(state, settings=replace(state.settings, control=False)), tried, since=since
    )  # the control is for candidates
    if short := _list_short(state, step):
        return NextStep(measure=short)
    if not (step.start or step.finished or step.open or step.pause):
        return step
    left = list_unmeasured_boundaries(state, tried, since=since)
    starts = [ProbeStart(build, "boundary") for build in left][: state.settings.slots]
    return NextStep(start=tuple(starts)) if starts else NextStep(pause=BOUNDARIES_DONE)


def _list_short(state: SearchState, step: NextStep) -> tuple[int, ...]:
    """Return the probes that the search would end before all measurements of a boundary, because their noise is unknown yet."""
    most = state.settings.most_windows
    return tuple(one.number for one in state.deploys if one.number in step.close and 0 < len(one.windows) < most)


def list_unmeasured_boundaries(
    state: SearchState, tried: Sequence[ProbeObservation], *, since: Collection[int]
) -> list[str]:
    """Return the boundaries that are to be deployed and were not since the last retry."""
    both = (GOOD_END, state.line.at(len(state.line)))
    measured = {one.build for one in state.deploys if one.is_measured and one.number not in since}
    missing = [one for one in both if one not in measured]
    attempted = {one.candidate for one in tried if one.number in since and one.purpose == "boundary"}
    return [one for one in missing or both if one not in attempted]
