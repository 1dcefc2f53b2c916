"""Locate when the machine was short of CPU in a trace, and which part of the trace can be compared.

A goroutine that is runnable for a millisecond while a processor is idle waits for a thread that the kernel does not run: a
neighbor, a quota or power saving delays it, not the program. The decoder decides for each trace whether that is frequent
(`host_contention`); here the affected blocks of time are located, so that the rest of the trace can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds

Mask = NDArray[np.bool_]
I64 = NDArray[np.int64]

# The decoder's definition (worker/decode, traceread): a wait at least this long with this share next to an idle
# processor; and fewer CPU samples than this share of those expected from the running time.
_LONG_WAIT_NS = 1_000_000
_IDLE_SHARE = 0.3
_SAMPLES_PER_SECOND = 100
_SAMPLES_SHARE = 0.5
_IDLE_KINDS = frozenset({"idle", "scheduler"})


@dataclass(frozen=True)
class Coverage:
    """The compared blocks of each trace of a side, and whether they are enough for a decision."""

    blocks: tuple[Mask, ...]
    compared_s: float
    whole_s: float
    enough: bool

    @property
    def excluded_s(self) -> float:
        """Return the seconds in which the machine was short of CPU."""
        return self.whole_s - self.compared_s


def coverage_of(tables: Sequence[TraceTable], thresholds: TraceThresholds) -> Coverage:
    """Exclude the contended blocks of all traces of a side; if too little would remain, exclude none."""
    masks = [~contended_blocks(table) for table in tables]
    total_s = sum(table.seconds() for table in tables)
    clean_s = sum(table.seconds() * float(mask.mean()) for table, mask in zip(tables, masks, strict=True))
    blocks = sum(int(mask.sum()) for mask in masks)
    excluded = any(not mask.all() for mask in masks)
    if excluded and (blocks < thresholds.least_clean_blocks or clean_s < thresholds.least_clean_share * total_s):
        return Coverage(tuple(np.ones_like(mask) for mask in masks), clean_s, total_s, enough=False)
    return Coverage(tuple(masks), clean_s, total_s, enough=True)


def contended_blocks(table: TraceTable) -> Mask:
    """Return for each block of the trace whether the machine was short of CPU in it."""
    blocks = table.header.blocks
    if not table.header.totals.host_contention:
        return np.zeros(blocks, dtype=np.bool_)
    if _lacks_samples(table):
        return np.ones(blocks, dtype=np.bool_)
    starts, ends = (np.concatenate(each) for each in zip(_idle_waits(table), _idle_bins(table), strict=True))
    edges = np.zeros(blocks + 1, dtype=np.int64)
    np.add.at(edges, np.minimum(starts // table.header.block_ns, blocks - 1), 1)
    np.add.at(edges, np.minimum((ends - 1) // table.header.block_ns, blocks - 1) + 1, -1)
    contended: Mask = np.cumsum(edges[:-1]) > 0
    # The trace is contended, but the decoder did not locate it.
    return contended if contended.any() else np.ones(blocks, dtype=np.bool_)


def _lacks_samples(table: TraceTable) -> bool:
    """Return whether the CPU profiler sampled much less running time than the trace shows."""
    expected = float(table.groups.running_ns.sum()) / 1e9 * _SAMPLES_PER_SECOND
    return 0 < table.header.cpu_samples < _SAMPLES_SHARE * expected


def _idle_waits(table: TraceTable) -> tuple[I64, I64]:
    """Return begin and end of the longest waits with a large part next to an idle processor."""
    idle_class = np.array([kind in _IDLE_KINDS for kind in table.class_kinds], dtype=np.bool_)
    worst, parts = table.worst, table.worst_occupancy
    owner = np.repeat(np.arange(len(worst.start_ns)), np.diff(table.worst_occupancy_offset).astype(np.int64))
    idle = np.bincount(owner, weights=np.where(idle_class[parts.class_], parts.ns, 0.0), minlength=len(worst.start_ns))
    length = worst.end_ns - worst.start_ns
    chosen = (length >= _LONG_WAIT_NS) & (idle >= _IDLE_SHARE * length)
    return worst.start_ns[chosen], worst.end_ns[chosen]


def _idle_bins(table: TraceTable) -> tuple[I64, I64]:
    """Return begin and end of the bins with a runnable goroutine and an idle processor during the entire bin."""
    runnable, idle = table.series.get("runnable_min"), table.series.get("procs_idle_min")
    if runnable is None or idle is None or table.header.bin_ns < _LONG_WAIT_NS:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    bins = np.flatnonzero((runnable >= 1) & (idle >= 1)).astype(np.int64)
    return bins * table.header.bin_ns, (bins + 1) * table.header.bin_ns
