"""What of a view is coloured: each row's interval, and whether it is more, less, new, gone or noise.

A row is coloured only when its interval excludes the noise, at a confidence corrected for how many rows are looked
at; everything else is grey, however large.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.distributions import t_two_sided_of_many
from slowpath.analysis.profiles.estimate import Estimates, Moments, estimate
from slowpath.analysis.profiles.judging import whole_changed
from slowpath.analysis.profiles.kind_comparison import prior_of
from slowpath.analysis.profiles.sets import Basis
from slowpath.analysis.profiles.view_ground import ViewGround

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

INSIDE_NOISE, MORE, LESS, ONLY_CANDIDATE, ONLY_BASE = range(5)

# Rows that are estimated at a time: estimates take some twenty arrays, and over millions of nodes at once they would
# be written to fresh memory.
SLICE = 65_536


@dataclass(frozen=True)
class Changes:
    """Per row: what to colour, the interval of the ratio candidate / base (NaN where there is none), the p-value."""

    state: U8
    low: F32
    high: F32
    p_value: F64


def changes_of(ground: ViewGround, base: Moments, candidate: Moments, basis: Basis) -> Changes:
    """Judge many rows on one basis."""
    begins = range(0, max(len(base.values), 1), SLICE)
    parts = [
        _changes(ground, base.part(begin, begin + SLICE), candidate.part(begin, begin + SLICE), basis)
        for begin in begins
    ]
    return Changes(
        state=np.concatenate([part.state for part in parts]),
        low=np.concatenate([part.low for part in parts]),
        high=np.concatenate([part.high for part in parts]),
        p_value=np.concatenate([part.p_value for part in parts]),
    )


def with_whole(ground: ViewGround, changes: Changes, base: Moments, candidate: Moments, basis: Basis) -> Changes:
    """The same with row 0 as the total: judged on its own, as the headline judges it, not as one frame among many."""
    estimates = _estimates(ground, base.part(0, 1), candidate.part(0, 1), basis)
    state = changes.state.copy()
    state[0] = INSIDE_NOISE
    if whole_changed(ground.comparison, basis, estimates, 0):
        state[0] = _directions(estimates, base.part(0, 1), candidate.part(0, 1))[0]
    return replace(changes, state=state)


def row_changes(ground: ViewGround, rows: F64, basis: Basis) -> Changes:
    """Judge rows of values (subjects x profiles) on one basis."""
    values = ground.sets.folded(rows)
    weights = ground.sets.folded(basis.weights[np.newaxis, :])
    return changes_of(ground, Moments.of(values[0], weights[0][0]), Moments.of(values[1], weights[1][0]), basis)


def _changes(ground: ViewGround, base: Moments, candidate: Moments, basis: Basis) -> Changes:
    estimates = _estimates(ground, base, candidate, basis)
    # A p-value below what the many looks allow.
    significant = estimates.beyond(1 - ground.comparison.thresholds.view_alpha)
    return Changes(
        state=np.where(significant, _directions(estimates, base, candidate), INSIDE_NOISE).astype(np.uint8),
        low=single(estimates.low),
        high=single(estimates.high),
        p_value=t_two_sided_of_many(estimates.statistic, estimates.df),
    )


def _estimates(ground: ViewGround, base: Moments, candidate: Moments, basis: Basis) -> Estimates:
    thresholds, kind = ground.comparison.thresholds, ground.comparison.kind
    return estimate(
        base,
        candidate,
        quantum=ground.quantum,
        share=basis.id == "share",
        prior=prior_of(thresholds, kind, min(base.replicates, candidate.replicates)),
        confidence=thresholds.confidence,
    )


def _directions(estimates: Estimates, base: Moments, candidate: Moments) -> U8:
    """How each row would be coloured if it changed."""
    direction = np.where(estimates.difference > 0, MORE, LESS)
    direction = np.where(base.values == 0, ONLY_CANDIDATE, direction)
    return np.where(candidate.values == 0, ONLY_BASE, direction).astype(np.uint8)


def single(values: F64) -> F32:
    """Single precision; what is too large for it becomes its largest number."""
    largest = float(np.finfo(np.float32).max)
    return np.clip(values, -largest, largest).astype(np.float32)
