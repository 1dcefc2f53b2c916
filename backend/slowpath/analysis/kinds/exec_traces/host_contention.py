"""Where in a trace the machine was short of CPU, and which part of it can be compared.

A goroutine that stays runnable for a millisecond while a processor is idle waits for a thread that the kernel does not
run: a neighbor, a quota or power saving delays it, and the program is not the cause. The decoder decides for each trace
whether that is frequent (`host_contention`); here the blocks of time in which it happened are located, so that the
rest of the trace can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds

Mask = NDArray[np.bool_]
I64 = NDArray[np.int64]

# The decoder's definition (worker/decode, traceread): a wait this long, of which this share passed beside an idle
# processor; and fewer CPU samples than this share of what the running time should give.
_LONG_WAIT_NS = 1_000_000
_IDLE_SHARE = 0.3
_SAMPLES_PER_SECOND = 100
_SAMPLES_SHARE = 0.5
_IDLE_KINDS = frozenset({"idle", "scheduler"})


@dataclass(frozen=True)
class Coverage:
    """The blocks of each trace of a side that are compared, and whether they are enough to decide anything."""

    blocks: tuple[Mask, ...]
    compared_s: float
    whole_s: float
    enough: bool

    @property
    def excluded_s(self) -> float:
        """Seconds in which the machine was short of CPU."""
        return self.whole_s - self.compared_s


def coverage_of(tables: Sequence[TraceTable], thresholds: TraceThresholds) -> Coverage:
    """Exclude the contended blocks of all traces of a side, unless too little would remain: then keep everything."""
    masks = [~contended_blocks(table) for table in tables]
    whole = sum(table.seconds() for table in tables)
    clean = sum(table.seconds() * float(mask.mean()) for table, mask in zip(tables, masks, strict=True))
    blocks = sum(int(mask.sum()) for mask in masks)
    excluded = any(not mask.all() for mask in masks)
    if excluded and (blocks < thresholds.least_clean_blocks or clean < thresholds.least_clean_share * whole):
        return Coverage(tuple(np.ones_like(mask) for mask in masks), clean, whole, enough=False)
    return Coverage(tuple(masks), clean, whole, enough=True)


def contended_blocks(table: TraceTable) -> Mask:
    """Tell for each block of the trace whether the machine was short of CPU in it."""
    blocks = table.read.blocks
    if not table.read.totals.host_contention:
        return np.zeros(blocks, dtype=np.bool_)
    if _lacks_samples(table):
        return np.ones(blocks, dtype=np.bool_)
    starts, ends = (np.concatenate(each) for each in zip(_idle_waits(table), _idle_bins(table), strict=True))
    edges = np.zeros(blocks + 1, dtype=np.int64)
    np.add.at(edges, np.minimum(starts // table.read.block_ns, blocks - 1), 1)
    np.add.at(edges, np.minimum((ends - 1) // table.read.block_ns, blocks - 1) + 1, -1)
    found: Mask = np.cumsum(edges[:-1]) > 0
    # The trace as a whole is contended; where it happened cannot be told.
    return found if found.any() else np.ones(blocks, dtype=np.bool_)


def _lacks_samples(table: TraceTable) -> bool:
    """Tell whether the CPU profiler found much less running than the trace shows: everywhere, as far as is known."""
    expected = float(table.groups.running_ns.sum()) / 1e9 * _SAMPLES_PER_SECOND
    return 0 < table.read.cpu_samples < _SAMPLES_SHARE * expected


def _idle_waits(table: TraceTable) -> tuple[I64, I64]:
    """Begin and end of the longest waits of which a large part passed beside an idle processor."""
    idle_class = np.array([kind in _IDLE_KINDS for kind in table.class_kinds], dtype=np.bool_)
    worst, parts = table.worst, table.worst_blame
    owner = np.repeat(np.arange(len(worst.start_ns)), np.diff(table.worst_blame_offset).astype(np.int64))
    idle = np.bincount(owner, weights=np.where(idle_class[parts.class_], parts.ns, 0.0), minlength=len(worst.start_ns))
    length = worst.end_ns - worst.start_ns
    chosen = (length >= _LONG_WAIT_NS) & (idle >= _IDLE_SHARE * length)
    return worst.start_ns[chosen], worst.end_ns[chosen]


def _idle_bins(table: TraceTable) -> tuple[I64, I64]:
    """Begin and end of the bins in which a goroutine was runnable and a processor idle from the first to the last ns."""
    runnable, idle = table.series.get("runnable_min"), table.series.get("procs_idle_min")
    if runnable is None or idle is None or table.read.bin_ns < _LONG_WAIT_NS:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    bins = np.flatnonzero((runnable >= 1) & (idle >= 1)).astype(np.int64)
    return bins * table.read.bin_ns, (bins + 1) * table.read.bin_ns
