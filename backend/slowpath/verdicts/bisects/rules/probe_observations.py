"""Probes as values, and the state of the search they imply."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from slowpath.analysis.bisect.candidate_sequence import CandidateSequence
from slowpath.analysis.bisect.search_state import DeployState, MeasuredValue, ProbeRecord, Purpose, SearchState
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import LIVING, MARK_COUNTS, NO_BUILD, NOT_COUNTED, ProbeState

OVERRIDE: Final = "override"
MIXED_ANSWERS: Final = "The command ended without a number, but printed numbers for other builds."
BASELINE: Final = "baseline"
"""Purpose of a production baseline: no deployment by the search."""


@dataclass(frozen=True)
class ProbeMeasurementValue:
    """One measurement of a probe. Without value, verdict and problem it is pending."""

    index: int
    round: int
    value: float | None = None
    verdict: str | None = None
    problem: str | None = None
    annulled: bool = False

    @property
    def is_read(self) -> bool:
        """Return whether the measurement is complete."""
        return self.value is not None or self.verdict is not None or self.problem is not None


@dataclass(frozen=True)
class ProbeObservation:
    """One probe, as the search uses it."""

    number: int
    candidate: str
    purpose: str
    round: int
    state: str
    about: str | None = None
    measurements_requested: int = 1
    windows: tuple[ProbeMeasurementValue, ...] = ()
    good: int = 0
    bad: int = 0
    is_leased: bool = True
    """Whether a runner leased it; overrides and superseded probes are never leased."""

    @property
    def can_measure_more(self) -> bool:
        """Return whether more measurements can follow."""
        return self.state in LIVING

    @property
    def waits(self) -> bool:
        """Return whether a measurement is outstanding; after the end, whether one is still to be read."""
        if self.state not in NOT_COUNTED and any(not one.is_read and not one.annulled for one in self.windows):
            return True
        return self.can_measure_more and len(self.windows) < self.measurements_requested

    @property
    def count_without_value(self) -> int:
        """Return how many measurements have no value, if none has one."""
        counted = [one for one in self.windows if not one.annulled]
        has_result = any(one.value is not None or one.verdict is not None for one in counted)
        return 0 if has_result else sum(one.problem is not None for one in counted)


def discard_verdicts(tried: Sequence[ProbeObservation]) -> list[ProbeObservation]:
    """Return probes with verdicts as failed builds, where the command prints numbers for other builds.

    Overrides are verdicts of persons and remain.
    """
    measured = [one for one in tried if one.purpose != OVERRIDE]
    has_numbers = any(window.value is not None for one in measured for window in one.windows if not window.annulled)
    return [_discard_verdict(one) if has_numbers and one.purpose != OVERRIDE else one for one in tried]


def _discard_verdict(one: ProbeObservation) -> ProbeObservation:
    if any(window.value is not None for window in one.windows) or not one.good + one.bad:
        return one
    windows = tuple(
        replace(window, verdict=None, problem=MIXED_ANSWERS) if window.verdict is not None else window
        for window in one.windows
    )
    state = one.state if one.state in NOT_COUNTED | NO_BUILD else ProbeState.UNBUILDABLE
    return replace(one, windows=windows, good=0, bad=0, state=state)


def build_search_state(
    line: CandidateSequence, settings: BisectSettings, tried: Sequence[ProbeObservation], *, larger_is_worse: bool
) -> SearchState:
    """Return the state of the search. `tried`: numbered from 1 without gaps."""
    return SearchState(
        settings.search(larger_is_worse=larger_is_worse, marks=count_undeployed(tried)),
        line,
        tuple(_deploy(one) for one in tried),
        max((one.round for one in tried), default=0),
    )


def count_undeployed(tried: Sequence[ProbeObservation]) -> int:
    """Count the probes that were no deployments of the bisect: overrides, superseded ones, and those of a former bisect."""
    return sum(not one.is_leased and not one.can_measure_more and one.purpose != BASELINE for one in tried)


def _deploy(one: ProbeObservation) -> ProbeRecord:
    counted = [window for window in one.windows if not window.annulled]
    weight = MARK_COUNTS if one.purpose == OVERRIDE else 1
    return ProbeRecord(
        one.number,
        one.candidate,
        _purpose(one.purpose),
        one.round,
        _state(one.state),
        tuple(MeasuredValue(window.round, window.value) for window in counted if window.value is not None),
        one.good * weight,
        one.bad * weight,
        one.about,
    )


def _state(state: str) -> DeployState:
    if state in LIVING:
        return "running"
    if state in NO_BUILD:
        return "unbuildable"
    return "invalidated" if state in NOT_COUNTED else "done"


def _purpose(purpose: str) -> Purpose:
    known: dict[str, Purpose] = {BASELINE: "baseline", "boundary": "boundary", "control": "control", "verify": "verify"}
    return known.get(purpose, "probe")


def is_failure(one: ProbeObservation) -> bool:
    """Return whether a probe failed for a reason other than its build."""
    return one.state in {ProbeState.FAILED, ProbeState.LOST} or (
        one.state == ProbeState.INVALIDATED and one.count_without_value > 0
    )
