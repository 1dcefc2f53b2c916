"""Two commits that runners measure alternately: options, and what follows from the measurements. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Self

from slowpath.analysis.bisect.pair_settings import DEFAULT_PAIRS, DEFAULT_SMALLEST_CHANGE, PairSettings
from slowpath.analysis.bisect.paired_measurements import PairDecision, compare_pair, decide_pairs, is_candidate_first
from slowpath.verdicts.bisects.rules.bisect_states import LIVING, NO_BUILD, NOT_COUNTED, BisectState, ProbeState

MOST_DISCARDED: Final = 3
"""Consecutive pairs without a value of both sides before a commit comparison fails."""
DAY: Final = timedelta(days=1)
LONGEST_GAP: Final = timedelta(minutes=10)
"""Time the second side of a pair waits for the runner of the first one."""
OUTCOMES: Final = {
    "slower": BisectState.FOUND,
    "not-slower": BisectState.NOT_IN_RANGE,
    "inconclusive": BisectState.NOT_SEPARABLE,
}
"""State of an ended commit comparison by its verdict."""
NO_NUMBER: Final = "The measurement has a verdict, but no number."


@dataclass(frozen=True)
class PullRequest:
    """A pull request of the repository itself."""

    number: int
    url: str | None
    branch: str
    base_branch: str


@dataclass(frozen=True)
class CommitComparison:
    """Options of a commit comparison, stored with it."""

    smallest_change: float = DEFAULT_SMALLEST_CHANGE
    pairs: int = DEFAULT_PAIRS
    minutes: int = 60
    """Most minutes that its deployments take together."""
    pull_request: PullRequest | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the stored JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return the options of stored JSON."""
        named = stored["pull_request"]
        return cls(**{**stored, "pull_request": PullRequest(**named) if named else None})


@dataclass(frozen=True)
class SideProbe:
    """A probe of one side of a pair."""

    number: int
    pair: int
    """From 1."""
    is_candidate: bool
    state: str
    has_ended: bool
    value: float | None
    problem: str | None
    """Why its measurement has no value."""
    seconds: float
    """Since it was leased."""

    @property
    def has_failed(self) -> bool:
        """Return whether it cannot have a value any more."""
        return (
            self.problem is not None or self.state in NOT_COUNTED | NO_BUILD or (self.has_ended and self.value is None)
        )


@dataclass(frozen=True)
class MeasuredPair:
    """A complete pair."""

    pair: int
    base: float
    candidate: float
    difference: float
    """Logarithm of the cost ratio."""


@dataclass(frozen=True)
class PairProgress:
    """What is measured, and what follows."""

    pairs: tuple[MeasuredPair, ...]
    decision: PairDecision
    close: tuple[int, ...] = ()
    """Probes whose measurement is taken."""
    start: tuple[int, bool] | None = None
    """Pair and side to deploy next."""
    failure: str | None = None
    """Why no further pair is measured."""
    used_seconds: float = 0.0


def follow_pairs(
    key: str, probes: Sequence[SideProbe], options: CommitComparison, *, larger_is_worse: bool, seconds: float
) -> PairProgress:
    """Return the progress of the pairs. At most one probe is open, so that both sides have the same conditions.

    `seconds`: the time that is left to them all; nothing is started after it.
    """
    pairs, discarded, problem = _read_pairs(probes, larger_is_worse=larger_is_worse)
    used = sum(one.seconds for one in probes)
    close = tuple(
        one.number for one in probes if one.state in LIVING and (one.value is not None or one.problem is not None)
    )
    is_open = any(not one.has_ended for one in probes) or any(
        one.value is None and not one.has_failed for one in probes
    )
    begun = probes[-1].pair if probes else 0
    last = [one for one in probes if one.pair == begun]
    is_between = not last or any(one.has_failed for one in last) or len(last) == 2
    is_used_up = used >= min(seconds, 60.0 * options.minutes) and is_between
    settings = PairSettings(
        options.smallest_change, len(pairs) if is_used_up else options.pairs, larger_is_worse=larger_is_worse
    )
    decision = decide_pairs([one.difference for one in pairs], settings)
    unbuilt = next((one for one in probes if one.state in NO_BUILD), None)
    failure = None
    if unbuilt is not None:
        side = "head" if unbuilt.is_candidate else "base"
        failure = f"The {side} cannot be built or does not become healthy. See the log of probe #{unbuilt.number}."
    elif discarded >= MOST_DISCARDED:
        failure = f"{MOST_DISCARDED} consecutive pairs could not be measured. {problem}"
    start = None
    if failure is None and decision.verdict is None and not is_open:
        start = (begun + 1, is_candidate_first(key, begun + 1)) if is_between else (begun, not last[0].is_candidate)
    return PairProgress(pairs, decision, close, start, failure, used)


def _read_pairs(probes: Sequence[SideProbe], *, larger_is_worse: bool) -> tuple[tuple[MeasuredPair, ...], int, str]:
    """Return the complete pairs, the number of discarded ones since, and the reason of the last."""
    pairs: list[MeasuredPair] = []
    discarded, problem = 0, ""
    for pair in dict.fromkeys(one.pair for one in probes):
        sides = [one for one in probes if one.pair == pair]
        values = {one.is_candidate: one.value for one in sides if not one.has_failed and one.value is not None}
        failed = next((one for one in sides if one.has_failed), None)
        if failed is None and len(values) == 2:
            try:
                difference = compare_pair(values[False], values[True], larger_is_worse=larger_is_worse)
            except ValueError as error:
                discarded, problem = discarded + 1, f"Measured {values[False]:g} and {values[True]:g}: {error}."
                continue
            pairs.append(MeasuredPair(pair, values[False], values[True], difference))
            discarded = 0
        elif failed is not None:
            discarded, problem = discarded + 1, failed.problem or f"See the log of probe #{failed.number}."
    return tuple(pairs), discarded, problem


def find_free_time(spans: Sequence[tuple[datetime, datetime]], limit_seconds: float, now: datetime) -> datetime:
    """Return when the deployments of the last 24 hours, from lease to end, no longer reach a limit."""
    left = sum((end - start).total_seconds() for start, end in spans)
    for start, end in sorted(spans):
        if left < limit_seconds:
            break
        left -= (end - start).total_seconds()
        now = max(now, start + DAY)
    return now


def dump_decision(decision: PairDecision) -> dict[str, Any]:
    """Return the stored JSON of a decision; infinite bounds are null."""
    return {**asdict(decision), "high": None if math.isinf(decision.high) else decision.high}


def is_waiting_too_long(state: str, waited: timedelta, *, is_second: bool) -> bool:
    """Return whether the second side of a pair waits too long for its runner."""
    return is_second and state == ProbeState.QUEUED and waited > LONGEST_GAP
