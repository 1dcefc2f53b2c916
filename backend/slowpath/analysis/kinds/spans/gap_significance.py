"""Test which gaps changed between base and candidate, at which quantile, and which changes are detectable."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.spans.span_forest import F64, Rows, SpanForest
from slowpath.analysis.kinds.spans.span_gaps import NO_CHILD, SpanGaps, added_ns, gap_edges
from slowpath.analysis.kinds.spans.span_thresholds import SpanThresholds
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort, block_sums, pooled_quantiles, resample_sums
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.pooled_effects import QuantileEffects, as_float64, compare_pooled, estimate_spread, simes
from slowpath.analysis.stats.side_generators import SideGenerators

# The tested quantiles, in order of preference for a finding.
REPORTED_QUANTILES = (0.9, 0.99, 0.5)
GRID = as_float64(REPORTED_QUANTILES)


@dataclass(frozen=True)
class GapTable:
    """All gaps of both sides by edge. Gaps of an edge: `order[offset[edge]:offset[edge + 1]]`, by length.

    `total_ns` (sides x edges) sums every gap, suspect or not; tests omit suspect ones. `open_ns` is the time in which at least
    one of them was open: less than the sum if calls are concurrent.
    """

    holes: SpanGaps
    edges: list[tuple[int, int, int]]
    edge: Rows
    order: Rows
    offset: Rows
    sides: tuple[TraceCohort, TraceCohort]
    total_ns: F64
    open_ns: F64
    count: F64

    def values(self, edge: int, side: int) -> tuple[Rows, Rows]:
        """Return (trace, length) of an edge's gaps on one side, shortest first, without suspect ones."""
        rows = self.order[int(self.offset[edge]) : int(self.offset[edge + 1])]
        trace = self.sides[side].forest.trace[self.holes.span[rows]]
        selected = self.sides[side].holds(trace) & ~self.holes.suspect[rows]
        return trace[selected], self.holes.length_ns[rows[selected]]

    def share(self, side: int) -> F64:
        """Return the share of all request time in which each edge is open, 1 at most."""
        shares: F64 = self.open_ns[side] / self.sides[side].total_ns
        return shares


def gap_table(forest: SpanForest, holes: SpanGaps, sides: tuple[TraceCohort, TraceCohort]) -> GapTable:
    """Group all gaps by edge."""
    edge, edges = gap_edges(forest, holes)
    order = np.lexsort((holes.length_ns, edge))
    offset = np.searchsorted(edge[order], np.arange(len(edges) + 1))
    trace = forest.trace[holes.span]
    added = added_ns(forest, holes, edge)
    totals, opened, counts = [], [], []
    for side in sides:
        of_side = side.holds(trace)
        weights = holes.length_ns[of_side].astype(np.float64)
        totals.append(np.bincount(edge[of_side], weights=weights, minlength=len(edges)))
        opened.append(np.bincount(edge[of_side], weights=added[of_side].astype(np.float64), minlength=len(edges)))
        counts.append(np.bincount(edge[of_side], minlength=len(edges)).astype(np.float64))
    return GapTable(holes, edges, edge, order, offset, sides, np.array(totals), np.array(opened), np.array(counts))


@dataclass(frozen=True)
class TestedGap:
    """One edge on both sides: quantiles (ns) at REPORTED_QUANTILES, effects, and the decision.

    `quantile` is the one to report, None without a finding; `usable`: which quantiles have enough values beyond them.
    """

    edge: int
    base_ns: F64
    candidate_ns: F64
    effects: QuantileEffects
    usable: NDArray[np.bool_]
    q: float = float("nan")
    quantile: float | None = None

    def ratio(self, quantile: float) -> tuple[float, float, float]:
        """Return (ratio, low, high) of candidate to base."""
        row, effects = REPORTED_QUANTILES.index(quantile), self.effects
        return (
            float(np.exp(effects.log_ratio[row])),
            float(np.exp(effects.low[row])),
            float(np.exp(effects.high[row])),
        )

    def shift_ns(self, quantile: float) -> float:
        """Return how much the quantile changed."""
        row = REPORTED_QUANTILES.index(quantile)
        return float(self.candidate_ns[row] - self.base_ns[row])


def compare_gaps(table: GapTable, thresholds: SpanThresholds, generators: SideGenerators) -> dict[int, TestedGap]:
    """Test every edge with enough gaps on both sides: one p-value each, Benjamini-Hochberg, floors."""
    shares = np.maximum(table.share(0), table.share(1))
    is_frequent = np.minimum(table.count[0], table.count[1]) >= thresholds.least_requests
    tested = [int(edge) for edge in np.argsort(-shares, kind="stable") if is_frequent[edge]][: thresholds.most_tested]
    spread = as_float64([thresholds.spread(quantile) for quantile in REPORTED_QUANTILES])
    pairs, values = {}, {}
    for edge in tested:
        per_side = [table.values(edge, side) for side in (0, 1)]
        if min(len(lengths) for _, lengths in per_side) < thresholds.least_requests:
            continue
        values[edge] = [len(lengths) for _, lengths in per_side]
        pairs[edge] = tuple(
            pooled_quantiles(side, trace, lengths, GRID)
            for side, (trace, lengths) in zip(table.sides, per_side, strict=True)
        )
    estimated = estimate_spread([(base, candidate) for base, candidate in pairs.values()], spread, thresholds)
    results = {}
    for edge, (base, candidate) in pairs.items():
        beyond = (1 - GRID) * min(values[edge]) * (1 + 1e-9)
        results[edge] = TestedGap(
            edge,
            np.exp(base.value),
            np.exp(candidate.value),
            compare_pooled(base, candidate, estimated, thresholds, generators),
            beyond >= thresholds.least_values_beyond,
        )
    return _apply_thresholds(table, results, thresholds)


def _apply_thresholds(
    table: GapTable, tested_gaps: Mapping[int, TestedGap], thresholds: SpanThresholds
) -> dict[int, TestedGap]:
    shares = (table.share(0), table.share(1))
    tested = [e for e in tested_gaps if max(shares[0][e], shares[1][e]) >= thresholds.least_share]
    p_values = [simes(np.where(tested_gaps[e].usable, tested_gaps[e].effects.p_value, np.nan)) for e in tested]
    q = q_values(as_float64(p_values), np.ones(len(tested)))
    shift = least_shift(table, thresholds)
    results = dict(tested_gaps)
    for edge, rate in zip(tested, q.tolist(), strict=True):
        gap, reported = tested_gaps[edge], None
        if rate <= thresholds.alpha:
            reported = next(
                (each for each in REPORTED_QUANTILES if _passes(gap, each, shares, shift, thresholds)), None
            )
        results[edge] = replace(gap, q=rate, quantile=reported)
    return results


def least_shift(table: GapTable, thresholds: SpanThresholds) -> float:
    """Return the smallest shift (ns) to report: 100 µs, or a part of the p99 of requests if that is more."""
    roots = np.sort(table.sides[0].root_ns)
    p99 = float(roots[min(int(0.99 * len(roots)), len(roots) - 1)]) if len(roots) else 0.0
    return max(thresholds.least_shift_ns, thresholds.least_of_request * p99)


def _passes(gap: TestedGap, quantile: float, shares: tuple[F64, F64], least: float, thresholds: SpanThresholds) -> bool:
    """Return whether the change passes the floors on ratio, shift, and share of the longer side's request time."""
    _, low, high = gap.ratio(quantile)
    shift = gap.shift_ns(quantile)
    beyond = low > thresholds.least_ratio if shift > 0 else high < 1 / thresholds.least_ratio
    share = shares[1 if shift > 0 else 0][gap.edge]
    return (
        bool(gap.usable[REPORTED_QUANTILES.index(quantile)])
        and beyond
        and abs(shift) >= least
        and bool(share >= thresholds.least_share)
    )


@dataclass(frozen=True)
class NewGap:
    """An edge that only one side has, while its operation's self time changed with it.

    Times in ns per request.
    """

    edge: int
    base_ns: float
    candidate_ns: float
    low: float
    high: float


def find_new_gaps(table: GapTable, thresholds: SpanThresholds) -> list[NewGap]:
    """Test edges that appeared or disappeared.

    A new child renames the edges next to it, so the operation's total self time must change. The interval is of the
    operation's self time per request; it must exceed the floor, and the edge must be half of the change.
    """
    new_gaps = []
    is_frequent = table.count >= thresholds.least_requests
    pair_of = np.array([pair for pair, _, _ in table.edges], dtype=np.int64)
    known_pairs = [set(pair_of[is_frequent[side]].tolist()) for side in (0, 1)]
    for edge in np.flatnonzero(is_frequent.any(axis=0) & (table.count.min(axis=0) == 0)).tolist():
        present = 0 if table.count[0][edge] else 1
        if table.share(present)[edge] < thresholds.least_share or int(pair_of[edge]) not in known_pairs[1 - present]:
            continue  # too small, or a completely new operation
        means, draws = [], []
        for side in table.sides:
            blocks = _self_time_by_block(table, side, pair_of[edge] == pair_of[table.edge])
            requests = block_sums(side, side.traces, np.ones(len(side.traces)))
            means.append(float(blocks.sum()) / max(side.requests, 1))
            draws.append(resample_sums(side, blocks) / np.maximum(resample_sums(side, requests), 1.0))
        difference = draws[1] - draws[0]
        tail = thresholds.alpha / max(2 * len(table.edges), 2)
        low, high = (float(bound) for bound in np.quantile(difference, [tail, 1 - tail]))
        gap_ns = table.total_ns[present][edge] / max(table.sides[present].requests, 1)
        floor = max(least_shift(table, thresholds), (thresholds.least_ratio - 1) * means[0])
        is_beyond = low > floor if present == 1 else high < -floor
        if is_beyond and gap_ns >= abs(means[1] - means[0]) / 2:
            new_gaps.append(NewGap(edge, gap_ns if present == 0 else 0.0, gap_ns if present == 1 else 0.0, low, high))
    return new_gaps


def _self_time_by_block(table: GapTable, side: TraceCohort, chosen: NDArray[np.bool_]) -> F64:
    trace = side.forest.trace[table.holes.span]
    rows = chosen & side.holds(trace)
    return block_sums(side, trace[rows], table.holes.length_ns[rows].astype(np.float64))


def is_leaf(edge: tuple[int, int, int]) -> bool:
    """Return whether the edge covers complete spans without recorded calls."""
    return edge[1] == NO_CHILD and edge[2] == NO_CHILD
