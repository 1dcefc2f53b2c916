"""The traces of one side in blocks that are resampled together, and quantities measured over them.

Consecutive traces share transient conditions, so blocks of neighbors are resampled: one trace each while there are few,
else up to a number of blocks beyond which finer ones add nothing. The artifact has a separate effect, which
`exec_traces.block_bootstrap` estimates from the variation between artifacts of one side.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.kinds.spans.span_forest import F64, Rows, SpanForest
from slowpath.analysis.kinds.spans.span_thresholds import SpanThresholds
from slowpath.analysis.stats.pooled_effects import MIN_VALUES_FOR_SPREAD, SHORTEST_NS, PooledQuantiles

F32 = NDArray[np.float32]

# Distinct values of one quantity; beyond this, values of similar size are merged (a thousandth of them each).
MOST_KNOTS = 1024
_LEAST_BLOCKS = 16
_TINY = 1e-12


@dataclass(frozen=True)
class TraceCohort:
    """One side: its traces, and the block of each trace of the forest, -1 for traces of the other side."""

    forest: SpanForest
    traces: Rows
    block: Rows
    artifact_of_block: Rows
    artifacts: int
    weights: F32
    root_ns: Rows
    seconds: float

    @property
    def requests(self) -> int:
        """Return the number of recorded requests: traces."""
        return len(self.traces)

    @property
    def total_ns(self) -> float:
        """Return the total duration of all requests; never 0."""
        return max(float(self.root_ns.sum()), 1.0)

    def rows(self) -> Rows:
        """Return the rows of the side's spans."""
        return np.flatnonzero(self.block[self.forest.trace] >= 0)

    def holds(self, trace: Rows) -> NDArray[np.bool_]:
        """Return which of these traces belong to this side."""
        in_side: NDArray[np.bool_] = self.block[trace] >= 0
        return in_side


def cohort_of(
    forest: SpanForest, artifacts: tuple[int, int], thresholds: SpanThresholds, rng: Generator | None
) -> TraceCohort:
    """Return the side of artifacts `artifacts[0]` up to `artifacts[1]`.

    Without `rng` nothing is resampled.
    """
    first, last = artifacts
    traces = np.flatnonzero((forest.artifact_of_trace >= first) & (forest.artifact_of_trace < last))
    most = max(_LEAST_BLOCKS, thresholds.most_blocks // max(last - first, 1))
    block = np.full(forest.traces, -1, dtype=np.int64)
    of_block: list[int] = []
    seconds = 0.0
    for number in range(first, last):
        of_artifact = traces[forest.artifact_of_trace[traces] == number]
        blocks = min(len(of_artifact), most)
        block[of_artifact] = len(of_block) + np.arange(len(of_artifact)) * blocks // max(len(of_artifact), 1)
        of_block += [number - first] * blocks
        seconds += _seconds(forest, number)
    artifact_of_block = np.array(of_block, dtype=np.int64)
    draws = thresholds.draws if rng is not None else 0
    weights = np.ones((draws, len(artifact_of_block)), dtype=np.float32)
    for number in range(last - first):
        columns = np.flatnonzero(artifact_of_block == number)
        if rng is not None and len(columns):
            weights[:, columns] = rng.multinomial(len(columns), np.full(len(columns), 1 / len(columns)), size=draws)
    roots = forest.roots[traces] if len(traces) else np.zeros(0, dtype=np.int64)
    return TraceCohort(
        forest, traces, block, artifact_of_block, last - first, weights, forest.duration_ns[roots], max(seconds, 1e-9)
    )


def _seconds(forest: SpanForest, artifact: int) -> float:
    rows = slice(int(forest.row_offset[artifact]), int(forest.row_offset[artifact + 1]))
    if rows.stop == rows.start:
        return 0.0
    return float(forest.end_ns[rows].max() - forest.start_ns[rows].min()) / 1e9


def ranked_quantile(ordered: Rows, at: float) -> int:
    """Return the value that a part `at` of all ordered values is below, without interpolation."""
    return int(ordered[min(int(at * len(ordered)), len(ordered) - 1)]) if len(ordered) else 0


def pooled_quantiles(side: TraceCohort, trace: Rows, values: Rows, at: F64) -> PooledQuantiles:
    """Return pooled quantiles (ns, as logarithms) of values that belong to traces of this side."""
    order = np.argsort(values, kind="stable")
    ordered, block = values[order], side.block[trace[order]]
    knots = min(len(ordered), MOST_KNOTS)
    knot = np.arange(len(ordered)) * knots // max(len(ordered), 1)
    # A knot is represented by its last value: as many values are at or below it as were counted.
    level = ordered[np.searchsorted(knot, np.arange(knots), side="right") - 1] if knots else ordered
    blocks = len(side.artifact_of_block)
    counts = np.bincount(block * knots + knot, minlength=blocks * knots).reshape(blocks, knots).astype(np.float32)
    overall = np.array([ranked_quantile(ordered, q) for q in at.tolist()], dtype=np.float64)
    resampled = _quantiles((side.weights @ counts).astype(np.float64), level, at)
    belongs = side.artifact_of_block == np.arange(side.artifacts)[:, None]
    of_artifact = belongs.astype(np.float64) @ counts
    seen = of_artifact.sum(axis=1)
    value = _log(overall)
    return PooledQuantiles(
        value=value,
        draws=np.where(np.isnan(resampled), value, _log(resampled)),
        each=_log(_quantiles(of_artifact[seen >= MIN_VALUES_FOR_SPREAD], level, at)),
        parts=seen / max(seen.sum(), 1.0),
    )


def _quantiles(counts: F64, level: Rows, at: F64) -> F64:
    """Return quantiles (rows x q) of values `level` with counts (rows x values); NaN in empty rows."""
    cumulative = np.cumsum(counts, axis=1)
    total = cumulative[:, -1:] if counts.shape[1] else np.zeros((len(counts), 1))
    quantile_values = np.empty((len(counts), len(at)))
    for column, quantile in enumerate(at.tolist()):
        rank = np.minimum(np.floor(quantile * total), total - 1)
        place = (cumulative <= rank).sum(axis=1)
        quantile_values[:, column] = level[np.minimum(place, len(level) - 1)] if len(level) else np.nan
    return np.where(total > 0, quantile_values, np.nan)


def _log(values: F64) -> F64:
    logs: F64 = np.log(np.maximum(values, SHORTEST_NS))
    return logs


def block_sums(side: TraceCohort, trace: Rows, amounts: F64) -> F64:
    """Sum amounts (belonging to traces of this side) by block."""
    sums: F64 = np.bincount(side.block[trace], weights=amounts, minlength=len(side.artifact_of_block)).astype(
        np.float64
    )
    return sums


def resample_sums(side: TraceCohort, blocks: F64) -> F64:
    """Sum over the blocks of each draw: (draws,) of (blocks,), or (draws x q) of (blocks x q)."""
    sums: F64 = (side.weights.astype(np.float64)) @ blocks
    return sums


def pooled_ratio(side: TraceCohort, above: F64, below: F64) -> PooledQuantiles:
    """Return the logarithm of a ratio of sums, both given by block.

    Artifacts without a denominator are ignored.
    """
    belongs = (side.artifact_of_block == np.arange(side.artifacts)[:, None]).astype(np.float64)
    each_above, each_below = belongs @ above, belongs @ below
    has_denominator = each_below > 0
    drawn_below = resample_sums(side, below)
    overall = above.sum() / max(below.sum(), _TINY)
    resampled = np.where(drawn_below > 0, resample_sums(side, above) / np.maximum(drawn_below, _TINY), overall)
    return PooledQuantiles(
        value=np.log(np.maximum([overall], _TINY)),
        draws=np.log(np.maximum(resampled, _TINY))[:, None],
        each=np.log(np.maximum(each_above[has_denominator] / each_below[has_denominator], _TINY))[:, None],
        parts=each_below / max(each_below.sum(), _TINY),
    )
