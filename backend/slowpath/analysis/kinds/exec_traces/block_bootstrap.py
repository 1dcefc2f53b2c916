"""Resample the waits of a trace in blocks of time, and pool their quantiles.

Waits are not independent: neighbors in time share a cause, and so do goroutines that were woken together. So
blocks of 100 ms are drawn with replacement inside each trace; `stats.pooled_effects` adds the effect of the trace.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.kinds.exec_traces.duration_buckets import quantiles
from slowpath.analysis.kinds.exec_traces.waiters import WaiterSide
from slowpath.analysis.stats.pooled_effects import F64, MIN_VALUES_FOR_SPREAD, SHORTEST_NS, PooledQuantiles

F32 = NDArray[np.float32]


def block_weights(side: WaiterSide, draws: int, rng: Generator) -> F32:
    """Return how often each block is drawn (draws x blocks), with replacement inside each trace.

    Blocks that are not compared are never drawn.
    """
    weights = np.zeros((draws, len(side.block_trace)), dtype=np.float32)
    begin = 0
    for blocks in side.blocks_of.tolist():
        clean = begin + np.flatnonzero(side.clean[begin : begin + blocks])
        if len(clean):
            weights[:, clean] = rng.multinomial(len(clean), np.full(len(clean), 1 / len(clean)), size=draws)
        begin += blocks
    return weights


def pooled_quantiles(side: WaiterSide, waiter: int, weights: F32, at: F64) -> PooledQuantiles:
    """Return the scheduler latency quantiles of one waiter on one side; NaN if it never waited."""
    cells = side.cells(waiter)
    buckets, column = np.unique(cells.bucket, return_inverse=True)
    blocks, row = np.unique(cells.block, return_inverse=True)
    size = len(blocks) * len(buckets)
    summed: F64 = np.bincount(row * len(buckets) + column, weights=cells.count, minlength=size).astype(np.float64)
    counts = summed.reshape(len(blocks), len(buckets))
    resampled: F64 = (weights[:, blocks] @ counts.astype(np.float32)).astype(np.float64)
    belongs = side.block_trace[blocks] == np.arange(len(side.artifacts))[:, None]
    of_trace: F64 = belongs.astype(np.float64) @ counts
    waits = of_trace.sum(axis=1)
    overall = _log(quantiles(of_trace.sum(axis=0, keepdims=True), buckets, at))[0]
    resampled_values = _log(quantiles(resampled, buckets, at))
    return PooledQuantiles(
        value=overall,
        draws=np.where(np.isnan(resampled_values), overall, resampled_values),  # no block with a wait was drawn
        each=_log(quantiles(of_trace[waits >= MIN_VALUES_FOR_SPREAD], buckets, at)),
        parts=waits / max(waits.sum(), 1.0),
    )


def _log(values: F64) -> F64:
    logs: F64 = np.log(np.maximum(values, SHORTEST_NS))
    return logs
