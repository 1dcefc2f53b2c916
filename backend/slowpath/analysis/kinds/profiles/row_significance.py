"""What of a view is coloured: each row's interval, and whether it is more, less, new, gone or noise.

A row is coloured only when its q-value, corrected for how many rows are looked at, is as small as that of a finding:
of two equal sets, not one picture in a hundred has any colour. Everything else is grey, however large. The total is no
member of that family: it is one planned question.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.diff_view_inputs import DiffViewInputs
from slowpath.analysis.kinds.profiles.profile_sets import Normalization
from slowpath.analysis.kinds.profiles.rate_estimates import RateEstimates, ReplicateSums, estimate
from slowpath.analysis.kinds.profiles.significance import WEIGHT_POWER, is_total_changed
from slowpath.analysis.kinds.profiles.variance_models import (
    between_processes,
    in_step,
    inflation_of,
    prior_of,
    spread_of_total,
)
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.t_distribution import t_two_sided_of_many

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

INSIDE_NOISE, MORE, LESS, ONLY_CANDIDATE, ONLY_BASE = range(5)

# Rows that are estimated at a time: estimates take some twenty arrays, and over millions of nodes at once they would
# be written to fresh memory.
SLICE = 65_536
# Rows with fewer counts on both sides together cannot differ beyond chance: they are no members of the family.
FEWEST_COUNTS = 5
# Of the 23 bits of a q-value's mantissa.
DROPPED_BITS = 13


@dataclass(frozen=True)
class RowSignificance:
    """Per row: what to colour, the interval of the ratio candidate / base (NaN where there is none), the q-value.

    `q` is NaN where there are too few counts for a test.
    """

    state: U8
    low: F32
    high: F32
    q: F32


@dataclass(frozen=True)
class _UncorrectedRows:
    """Rows before they are held against each other: the colour that each would have, and how improbable it is."""

    direction: U8
    low: F32
    high: F32
    p_value: F64


def node_changes(
    ground: DiffViewInputs, base: ReplicateSums, candidate: ReplicateSums, basis: Normalization
) -> RowSignificance:
    """Judge the nodes of a tree on one basis: each as one of all, but row 0, the total, as the headline judges it."""
    frames = _changes(ground, base, candidate, basis, planned=1)
    whole = base.part(0, 1), candidate.part(0, 1)
    estimates = _estimates(ground, *whole, basis)
    state, q = frames.state.copy(), frames.q.copy()
    changed = is_total_changed(ground.comparison, basis, estimates, 0)
    state[0] = _directions(estimates, *whole)[0] if changed else INSIDE_NOISE
    q[:1] = _brief(estimates.p_value)
    return replace(frames, state=state, q=q)


def row_changes(ground: DiffViewInputs, rows: F64, basis: Normalization) -> RowSignificance:
    """Judge rows of values (subjects x profiles) on one basis, each as one of all."""
    values = ground.sets.folded(rows)
    weights = ground.sets.folded(basis.weights[np.newaxis, :])
    sides = [ReplicateSums.of(value, weight[0]) for value, weight in zip(values, weights, strict=True)]
    return _changes(ground, sides[0], sides[1], basis, planned=0)


def _changes(
    ground: DiffViewInputs, base: ReplicateSums, candidate: ReplicateSums, basis: Normalization, *, planned: int
) -> RowSignificance:
    """Judge rows as one family, without the first `planned` ones."""
    begins = range(0, max(len(base.values), 1), SLICE)
    parts = [
        _judged(ground, base.part(begin, begin + SLICE), candidate.part(begin, begin + SLICE), basis)
        for begin in begins
    ]
    p_value = np.concatenate([part.p_value for part in parts])
    counts = (np.abs(base.values) + np.abs(candidate.values)) / ground.quantum
    counts[:planned] = 0
    q = _corrected(p_value, counts)
    thresholds = ground.comparison.thresholds
    sure = q <= thresholds.alpha_functions
    return RowSignificance(
        state=np.where(sure, np.concatenate([part.direction for part in parts]), INSIDE_NOISE).astype(np.uint8),
        low=np.concatenate([part.low for part in parts]),
        high=np.concatenate([part.high for part in parts]),
        q=_brief(q),
    )


def _corrected(p_value: F64, counts: F64) -> F64:
    """q-values of the rows that have counts enough; large rows weigh more, as in the findings."""
    q = np.full(len(p_value), np.nan)
    tested = np.flatnonzero(counts >= FEWEST_COUNTS)
    q[tested] = q_values(p_value[tested], np.power(counts[tested] + 1, WEIGHT_POWER))
    return q


def _judged(
    ground: DiffViewInputs, base: ReplicateSums, candidate: ReplicateSums, basis: Normalization
) -> _UncorrectedRows:
    estimates = _estimates(ground, base, candidate, basis)
    return _UncorrectedRows(
        direction=_directions(estimates, base, candidate),
        low=_single(estimates.low),
        high=_single(estimates.high),
        p_value=t_two_sided_of_many(estimates.statistic, estimates.df),
    )


def _estimates(
    ground: DiffViewInputs, base: ReplicateSums, candidate: ReplicateSums, basis: Normalization
) -> RateEstimates:
    thresholds, kind = ground.comparison.thresholds, ground.comparison.kind
    return estimate(
        base,
        candidate,
        quantum=ground.quantum,
        share=basis.id == "share",
        prior=prior_of(
            thresholds,
            kind,
            min(base.replicates, candidate.replicates),
            spread_of_total(ground.sets, basis),
            basis.scatter,
        ),
        confidence=thresholds.confidence,
        inflation=inflation_of(ground.sets, thresholds),
        in_step=in_step(ground.sets),
        between=between_processes(ground.sets, thresholds),
    )


def _directions(estimates: RateEstimates, base: ReplicateSums, candidate: ReplicateSums) -> U8:
    """How each row would be coloured if it changed."""
    direction = np.where(estimates.difference > 0, MORE, LESS)
    direction = np.where(base.values == 0, ONLY_CANDIDATE, direction)
    return np.where(candidate.values == 0, ONLY_BASE, direction).astype(np.uint8)


def _single(values: F64) -> F32:
    """Single precision; what is too large for it becomes its largest number."""
    largest = float(np.finfo(np.float32).max)
    return np.clip(values, -largest, largest).astype(np.float32)


def _brief(q: F64) -> F32:
    """Single precision with three digits: more is never read, and noise in the last bits does not pack."""
    bits = q.astype(np.float32).view(np.uint32)
    rounded = np.where(
        np.isnan(q),
        bits,
        (bits + np.uint32(1 << (DROPPED_BITS - 1))) & np.uint32(~((1 << DROPPED_BITS) - 1) & 0xFFFFFFFF),
    )
    return rounded.astype(np.uint32).view(np.float32)
