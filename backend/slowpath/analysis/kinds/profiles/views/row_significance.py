"""Compute the significance of each row of a view.

Its interval, and whether it is more, less, new, gone or noise. A row is colored only if its q-value, corrected for the
number of rows, is as small as that of a finding: fewer than one in a hundred views of two equal sets has any color.
Everything else is gray, however large. The total is not part of that family: it is one planned test.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import (
    ProfileKindComparison,
    SideSums,
    estimate_sums,
    sum_replicates,
)
from slowpath.analysis.kinds.profiles.comparison.significance import WEIGHT_POWER, is_total_changed
from slowpath.analysis.kinds.profiles.estimates.rate_estimates import RateEstimates
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index
from slowpath.analysis.kinds.profiles.views.diff_view_inputs import DiffViewInputs
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.t_distribution import t_two_sided_of_many

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

INSIDE_NOISE, MORE, LESS, ONLY_CANDIDATE, ONLY_BASE = range(5)

# Rows estimated at a time: estimates take about twenty arrays, which for millions of nodes at once would need fresh
# memory.
SLICE = 65_536
# Rows with fewer counts on both sides together cannot be significant and are not tested.
FEWEST_COUNTS = 5
# Dropped bits of the 23 in a q-value's mantissa.
DROPPED_BITS = 13


@dataclass(frozen=True)
class RowSignificance:
    """Per row: the state to color, the interval of the ratio candidate / base (NaN if undefined), the q-value.

    `q` is NaN with too few counts for a test.
    """

    state: U8
    low: F32
    high: F32
    q: F32


@dataclass(frozen=True)
class _RowTests:
    """What rows of a view are tested with, on one basis."""

    ground: DiffViewInputs
    comparison: ProfileKindComparison
    basis: Normalization


@dataclass(frozen=True)
class _UncorrectedRows:
    """Rows before correction: the state that each would have, and its p-value."""

    direction: U8
    low: F32
    high: F32
    p_value: F64


def node_changes(
    ground: DiffViewInputs, segments: Sequence[SideSums], segment: Index, basis: Normalization
) -> RowSignificance:
    """Test the nodes of a tree on one basis; `segments` are the sums for `estimate_sums`, `segment` is that of each node.

    Row 0, the total, like the headline does, the others as one family.
    """
    if ground.comparison is None:
        return _untested(len(segment))
    tests = _RowTests(ground, ground.comparison, basis)
    frames = _changes(tests, segments, planned=1, values_of=segment)
    total_row = _part(segments, 0, 1)
    estimates = _estimates(tests, total_row)
    state, q = frames.state.copy(), frames.q.copy()
    changed = is_total_changed(ground.comparison, basis, estimates, 0)
    state[0] = _directions(estimates, total_row[0])[0] if changed else INSIDE_NOISE
    q[:1] = _round_q(estimates.p_value)
    return replace(frames, state=state, q=q)


def row_changes(ground: DiffViewInputs, rows: F64, basis: Normalization) -> RowSignificance:
    """Test rows of values (subjects x profiles) on one basis as one family."""
    if ground.comparison is None:
        return _untested(len(rows))
    sums = [sum_replicates(rows, each, basis) for each in ground.sets.estimated]
    return _changes(_RowTests(ground, ground.comparison, basis), sums, planned=0, values_of=np.arange(len(rows)))


def _untested(count: int) -> RowSignificance:
    """Return the significance of rows of a single side: none has an interval or a q-value."""
    unknown = np.full(count, np.nan, dtype=np.float32)
    return RowSignificance(np.full(count, INSIDE_NOISE, dtype=np.uint8), unknown, unknown, unknown)


def _changes(tests: _RowTests, sums: Sequence[SideSums], *, planned: int, values_of: Index) -> RowSignificance:
    """Test rows as one family, without the first `planned` ones. Row i has the values `values_of[i]`, which are tested once."""
    base, candidate = sums[0]
    begins = range(0, max(len(base.values), 1), SLICE)
    parts = [_test_slice(tests, _part(sums, begin, begin + SLICE)) for begin in begins]
    p_value = np.concatenate([part.p_value for part in parts])[values_of]
    direction = np.concatenate([part.direction for part in parts])[values_of]
    low, high = (
        np.concatenate(each)[values_of] for each in zip(*((part.low, part.high) for part in parts), strict=True)
    )
    counts = ((np.abs(base.values) + np.abs(candidate.values)) / tests.ground.quantum)[values_of]
    counts[:planned] = 0
    q = _correct(p_value, counts)
    significant = q <= tests.comparison.thresholds.alpha_functions
    return RowSignificance(
        state=np.where(significant, direction, INSIDE_NOISE).astype(np.uint8),
        low=low,
        high=high,
        q=_round_q(q),
    )


def _correct(p_value: F64, counts: F64) -> F64:
    """Return q-values of the rows with enough counts; large rows weigh more, as in the findings."""
    q = np.full(len(p_value), np.nan)
    tested = np.flatnonzero(counts >= FEWEST_COUNTS)
    q[tested] = q_values(p_value[tested], np.power(counts[tested] + 1, WEIGHT_POWER))
    return q


def _part(sums: Sequence[SideSums], begin: int, end: int) -> list[SideSums]:
    return [(base.part(begin, end), candidate.part(begin, end)) for base, candidate in sums]


def _test_slice(tests: _RowTests, sums: Sequence[SideSums]) -> _UncorrectedRows:
    estimates = _estimates(tests, sums)
    return _UncorrectedRows(
        direction=_directions(estimates, sums[0]),
        low=_single(estimates.low),
        high=_single(estimates.high),
        p_value=t_two_sided_of_many(estimates.statistic, estimates.df),
    )


def _estimates(tests: _RowTests, sums: Sequence[SideSums]) -> RateEstimates:
    ground = tests.ground
    return estimate_sums(sums, ground.sets, tests.basis, ground.quantum, tests.comparison.thresholds)


def _directions(estimates: RateEstimates, sums: SideSums) -> U8:
    """Return the state of each row if it changed."""
    base, candidate = sums
    direction = np.where(estimates.difference > 0, MORE, LESS)
    direction = np.where(base.values == 0, ONLY_CANDIDATE, direction)
    return np.where(candidate.values == 0, ONLY_BASE, direction).astype(np.uint8)


def _single(values: F64) -> F32:
    """Convert to single precision, clipped to its largest number."""
    largest = float(np.finfo(np.float32).max)
    return np.clip(values, -largest, largest).astype(np.float32)


def _round_q(q: F64) -> F32:
    """Round to single precision with three digits, which are enough for display and compress well."""
    bits = q.astype(np.float32).view(np.uint32)
    rounded = np.where(
        np.isnan(q),
        bits,
        (bits + np.uint32(1 << (DROPPED_BITS - 1))) & np.uint32(~((1 << DROPPED_BITS) - 1) & 0xFFFFFFFF),
    )
    return rounded.astype(np.uint32).view(np.float32)
