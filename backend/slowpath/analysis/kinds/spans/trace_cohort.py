"""The traces of one side, cut into blocks that are redrawn together, and quantities measured over them.

Traces that follow each other share the weather of their moment, so what is redrawn is blocks of neighbours: a trace
each while there are few, else as many blocks as bring no more from being finer. The artifact has an effect of its
own, which `traces.bootstrap` estimates from how artifacts of one side differ.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.kinds.spans.span_forest import F64, Rows, SpanForest
from slowpath.analysis.kinds.spans.span_thresholds import SpanThresholds
from slowpath.analysis.stats.pooled_effects import MIN_VALUES_FOR_SPREAD, SHORTEST_NS, PooledQuantiles

F32 = NDArray[np.float32]

# Values of one quantity that are kept apart; of more, neighbours in size count as one: a thousandth of them.
MOST_KNOTS = 1024
_LEAST_BLOCKS = 16
_TINY = 1e-12


@dataclass(frozen=True)
class TraceCohort:
    """One side. `traces` are its traces; `block` is the block of each trace of the forest, -1 on the other side."""

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
        """How many requests were recorded: traces."""
        return len(self.traces)

    @property
    def total_ns(self) -> float:
        """How long all requests lasted together; never 0."""
        return max(float(self.root_ns.sum()), 1.0)

    def rows(self) -> Rows:
        """The rows of the side's spans."""
        return np.flatnonzero(self.block[self.forest.trace] >= 0)

    def holds(self, trace: Rows) -> NDArray[np.bool_]:
        """Which of these traces are of this side."""
        held: NDArray[np.bool_] = self.block[trace] >= 0
        return held


def cohort_of(
    forest: SpanForest, artifacts: tuple[int, int], thresholds: SpanThresholds, rng: Generator | None
) -> TraceCohort:
    """The side that is artifacts `artifacts[0]` up to `artifacts[1]`; without `rng` nothing is ever redrawn."""
    first, last = artifacts
    traces = np.flatnonzero((forest.artifact_of_trace >= first) & (forest.artifact_of_trace < last))
    most = max(_LEAST_BLOCKS, thresholds.most_blocks // max(last - first, 1))
    block = np.full(forest.traces, -1, dtype=np.int64)
    of_block: list[int] = []
    seconds = 0.0
    for number in range(first, last):
        mine = traces[forest.artifact_of_trace[traces] == number]
        blocks = min(len(mine), most)
        block[mine] = len(of_block) + np.arange(len(mine)) * blocks // max(len(mine), 1)
        of_block += [number - first] * blocks
        seconds += _seconds(forest, number)
    artifact_of_block = np.array(of_block, dtype=np.int64)
    draws = thresholds.draws if rng is not None else 0
    weights = np.ones((draws, len(artifact_of_block)), dtype=np.float32)
    for number in range(last - first):
        mine = np.flatnonzero(artifact_of_block == number)
        if rng is not None and len(mine):
            weights[:, mine] = rng.multinomial(len(mine), np.full(len(mine), 1 / len(mine)), size=draws)
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
    """The value that `at` of all lie below, of values in order: a value that occurred, not one between two."""
    return int(ordered[min(int(at * len(ordered)), len(ordered) - 1)]) if len(ordered) else 0


def pooled_quantiles(side: TraceCohort, trace: Rows, values: Rows, at: F64) -> PooledQuantiles:
    """Quantiles (ns, as logarithms) of values that belong to traces of this side."""
    order = np.argsort(values, kind="stable")
    ordered, block = values[order], side.block[trace[order]]
    knots = min(len(ordered), MOST_KNOTS)
    knot = np.arange(len(ordered)) * knots // max(len(ordered), 1)
    # A knot is told by the last of its values: as many lie at or below it as were counted.
    level = ordered[np.searchsorted(knot, np.arange(knots), side="right") - 1] if knots else ordered
    blocks = len(side.artifact_of_block)
    counts = np.bincount(block * knots + knot, minlength=blocks * knots).reshape(blocks, knots).astype(np.float32)
    whole = np.array([ranked_quantile(ordered, q) for q in at.tolist()], dtype=np.float64)
    drawn = _quantiles((side.weights @ counts).astype(np.float64), level, at)
    belongs = side.artifact_of_block == np.arange(side.artifacts)[:, None]
    of_artifact = belongs.astype(np.float64) @ counts
    seen = of_artifact.sum(axis=1)
    value = _log(whole)
    return PooledQuantiles(
        value=value,
        draws=np.where(np.isnan(drawn), value, _log(drawn)),
        each=_log(_quantiles(of_artifact[seen >= MIN_VALUES_FOR_SPREAD], level, at)),
        parts=seen / max(seen.sum(), 1.0),
    )


def _quantiles(counts: F64, level: Rows, at: F64) -> F64:
    """Quantiles (rows x q) of values `level`, each counted so often (rows x values); NaN in empty rows."""
    cumulated = np.cumsum(counts, axis=1)
    total = cumulated[:, -1:] if counts.shape[1] else np.zeros((len(counts), 1))
    found = np.empty((len(counts), len(at)))
    for column, quantile in enumerate(at.tolist()):
        rank = np.minimum(np.floor(quantile * total), total - 1)
        place = (cumulated <= rank).sum(axis=1)
        found[:, column] = level[np.minimum(place, len(level) - 1)] if len(level) else np.nan
    return np.where(total > 0, found, np.nan)


def _log(values: F64) -> F64:
    logs: F64 = np.log(np.maximum(values, SHORTEST_NS))
    return logs


def block_sums(side: TraceCohort, trace: Rows, amounts: F64) -> F64:
    """Sums of amounts (belonging to traces of this side) by block."""
    sums: F64 = np.bincount(side.block[trace], weights=amounts, minlength=len(side.artifact_of_block)).astype(
        np.float64
    )
    return sums


def resample_sums(side: TraceCohort, blocks: F64) -> F64:
    """Sums over all blocks as they were drawn: (draws,) of (blocks,), or (draws x q) of (blocks x q)."""
    sums: F64 = (side.weights.astype(np.float64)) @ blocks
    return sums


def pooled_ratio(side: TraceCohort, above: F64, below: F64) -> PooledQuantiles:
    """The logarithm of a ratio of sums, both given by block; artifacts without a denominator tell nothing."""
    belongs = (side.artifact_of_block == np.arange(side.artifacts)[:, None]).astype(np.float64)
    each_above, each_below = belongs @ above, belongs @ below
    telling = each_below > 0
    drawn_below = resample_sums(side, below)
    whole = above.sum() / max(below.sum(), _TINY)
    drawn = np.where(drawn_below > 0, resample_sums(side, above) / np.maximum(drawn_below, _TINY), whole)
    return PooledQuantiles(
        value=np.log(np.maximum([whole], _TINY)),
        draws=np.log(np.maximum(drawn, _TINY))[:, None],
        each=np.log(np.maximum(each_above[telling] / each_below[telling], _TINY))[:, None],
        parts=each_below / max(each_below.sum(), _TINY),
    )
