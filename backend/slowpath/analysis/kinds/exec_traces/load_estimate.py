"""Estimate the load of both sides, and how much of longer waits it explains."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.exec_traces.duration_buckets import lower_bounds, widths
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide

F64 = NDArray[np.float64]

# Fewer blocks than this are not enough to relate waits to load.
LEAST_BLOCKS = 20


@dataclass(frozen=True)
class LoadEstimate:
    """Requests (or wake-ups, if unknown) per second of both sides, and the part of the change that load explains.

    `explained`: the ratio of mean waits predicted for the candidate from base's own dependence on processor utilization;
    `observed`: the actual ratio; None if the traces do not show it.
    """

    what: str
    base: float
    candidate: float
    explained: float | None
    observed: float | None

    @property
    def ratio(self) -> float | None:
        """Return candidate's load over base's; None without load."""
        return self.candidate / self.base if self.base > 0 and self.candidate > 0 else None


def load_of(matched: MatchedWaiters) -> LoadEstimate:
    """Return requests from the run metadata, else wake-ups of the groups that both sides have."""
    requests = [request_rate(side) for side in matched.sides]
    if all(requests):
        what, rates = "requests", requests
    else:
        what = "wake-ups"
        rates = [float(side.waits.sum(axis=1)[matched.common].sum()) / side.seconds for side in matched.sides]
    explained, observed = _explain_by_load(matched)
    return LoadEstimate(what, rates[0], rates[1], explained, observed)


def request_rate(side: WaiterSide) -> float:
    """Return requests per second, from the runs with metadata; 0 without any."""
    known = [a for a in side.artifacts if a.facts.requests and (a.facts.wall_ns or a.table.header.duration_ns)]
    seconds = sum(a.facts.wall_ns or a.table.header.duration_ns for a in known) / 1e9
    return sum(a.facts.requests or 0 for a in known) / seconds if seconds else 0.0


def _explain_by_load(matched: MatchedWaiters) -> tuple[float | None, float | None]:
    """Regress the log of the mean wait on processor utilization over base's blocks, without extrapolation."""
    blocks = [(_utilization(side), _mean_waits(matched, side)) for side in matched.sides]
    (busy, waits), (busy_after, waits_after) = blocks
    if busy is None or busy_after is None:
        return None, None
    usable = waits > 0
    if usable.sum() < LEAST_BLOCKS or float(busy[usable].std()) < 1e-3 or not (waits_after > 0).any():
        return None, None
    slope = max(float(np.polyfit(busy[usable], np.log(waits[usable]), 1)[0]), 0.0)
    mean = float(busy[usable].mean())
    after = float(np.clip(busy_after[waits_after > 0].mean(), busy[usable].min(), busy[usable].max()))
    explained = float(np.exp(min(slope * (after - mean), 50.0)))
    observed = float(np.exp(np.log(waits_after[waits_after > 0]).mean() - np.log(waits[usable]).mean()))
    return explained, observed


def _utilization(side: WaiterSide) -> F64 | None:
    """Return the share of the processors that ran goroutines in each block.

    None if a trace lacks the series.
    """
    parts = []
    for table in side.traces:
        running = table.series.get("running_mean")
        if running is None or not len(running):
            return None
        middle = (np.arange(len(running)) + 0.5) * table.header.bin_ns
        blocks = side.blocks_in(table)
        block = np.minimum((middle / side.block_ns(table)).astype(np.int64), blocks - 1)
        count = np.bincount(block, minlength=blocks)
        summed = np.bincount(block, weights=running.astype(np.float64), minlength=blocks)
        parts.append(summed / np.maximum(count, 1) / max(table.header.procs.most, 1))
    return np.concatenate(parts)


def _mean_waits(matched: MatchedWaiters, side: WaiterSide) -> F64:
    """Return the mean wait (ns) in each block of the side, over the groups of the program."""
    total = np.zeros(len(side.block_trace))
    count = np.zeros(len(side.block_trace))
    for waiter in np.flatnonzero(matched.common).tolist():
        cells = side.cells(waiter)
        middle = lower_bounds(cells.bucket) + widths(cells.bucket) / 2
        total += np.bincount(cells.block, weights=cells.count * middle, minlength=len(total))
        count += np.bincount(cells.block, weights=cells.count, minlength=len(total))
    return total / np.maximum(count, 1)
