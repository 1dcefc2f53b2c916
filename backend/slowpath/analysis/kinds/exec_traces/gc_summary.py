"""Garbage collection on one side.

Processor time, assists, pauses and minimum utilization, per trace and block.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.exec_traces.block_bootstrap import F32
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.exec_traces.waiters import WaiterSide
from slowpath.analysis.stats.pooled_effects import PooledQuantiles

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

# The recording of the trace begins with a pause that is not the program's.
RECORDING_PAUSE = "start trace"


@dataclass(frozen=True)
class GcQuantity:
    """A share of the processors (or of the time) in each trace, and its distribution over the side's blocks.

    `amount` and `available` are ns of each trace; `blocks` is ns of each block of the side.
    """

    amount: F64
    available: F64
    blocks: F64

    @property
    def part(self) -> float:
        """Return the share over all traces."""
        return float(self.amount.sum()) / max(float(self.available.sum()), 1.0)

    def pooled(self, weights: F32, offset: float) -> PooledQuantiles:
        """Return the share plus `offset` on a log scale, resampled over blocks (see `block_bootstrap`).

        Values far below `offset` then hardly differ, instead of by a large factor.
        """
        block_total = float(self.blocks.sum())
        # Half a busy block is added, so that a draw without any of few busy blocks is not zero.
        half = block_total / max(int((self.blocks > 0).sum()), 1) / 2
        resampled = (weights @ self.blocks.astype(np.float32)).astype(np.float64) + half
        resampled = resampled / (block_total + half) if block_total else np.ones(len(weights))
        return PooledQuantiles(
            value=np.log([self.part + offset]),
            draws=np.log(resampled * self.part + offset)[:, None],
            each=np.log(self.amount / np.maximum(self.available, 1.0) + offset)[:, None],
            parts=self.available / max(float(self.available.sum()), 1.0),
        )


@dataclass(frozen=True)
class GcSide:
    """The collector's work on one side."""

    cpu: GcQuantity
    assist: GcQuantity
    stw: GcQuantity
    assist_by_group: dict[str, float]
    cycles_per_second: float


def gc_side(side: WaiterSide) -> GcSide:
    """Sum the collector's work on one side; `assist_by_group` in ns per second."""
    procs = np.array([max(t.header.totals.procs_ns, t.header.duration_ns, 1) for t in side.traces], dtype=np.float64)
    wall = np.array([max(t.header.duration_ns, 1) for t in side.traces], dtype=np.float64)
    cpu = np.array([t.header.gc.cpu_fraction for t in side.traces]) * procs
    assist = np.array([t.header.gc.assist_ns for t in side.traces], dtype=np.float64)
    pauses = [_pauses(table) for table in side.traces]
    stw = np.array(
        [
            float((table.stops.end_ns - table.stops.start_ns)[is_program].sum())
            for table, is_program in zip(side.traces, pauses, strict=True)
        ]
    )
    per_trace = [_amounts_by_block(side, table) for table in side.traces]
    blocks = [np.concatenate(each) for each in zip(*per_trace, strict=True)]
    compared_parts = _compared_parts(side, blocks)
    compared = np.array(side.seconds_of) / np.array([max(table.seconds(), 1e-9) for table in side.traces])
    cpu, assist, stw = (amount * part for amount, part in zip((cpu, assist, stw), compared_parts, strict=True))
    blocks = [np.where(side.clean, each, 0.0) for each in blocks]
    return GcSide(
        cpu=GcQuantity(cpu, procs * compared, blocks[0]),
        assist=GcQuantity(assist, procs * compared, blocks[1]),
        stw=GcQuantity(stw, wall * compared, blocks[2]),
        assist_by_group=_assist_by_group(side),
        cycles_per_second=sum(t.header.gc.cycles for t in side.traces) / side.seconds,
    )


def _compared_parts(side: WaiterSide, blocks: list[F64]) -> list[F64]:
    """Return the share of each trace's amounts that is in the compared blocks."""
    count = len(side.artifacts)
    parts = []
    for each in blocks:
        total = np.bincount(side.block_trace, weights=each, minlength=count)
        clean = np.bincount(side.block_trace, weights=np.where(side.clean, each, 0.0), minlength=count)
        parts.append(np.where(total > 0, clean / np.where(total > 0, total, 1.0), 1.0))
    return parts


def _pauses(table: TraceTable) -> NDArray[np.bool_]:
    """Return which pauses belong to the program, not to the recording."""
    return np.array(
        [RECORDING_PAUSE not in table.strings[int(reason)] for reason in table.stops.reason], dtype=np.bool_
    )


def stops_by_reason(side: WaiterSide) -> dict[str, F64]:
    """Return the lengths (ns) of all pauses of the program by reason."""
    lengths_by_reason: dict[str, list[float]] = {}
    for table in side.traces:
        lengths = (table.stops.end_ns - table.stops.start_ns).astype(np.float64)
        for is_program, reason, length in zip(
            _pauses(table).tolist(), table.stops.reason, lengths.tolist(), strict=True
        ):
            if is_program:
                lengths_by_reason.setdefault(table.strings[int(reason)], []).append(length)
    return {reason: np.array(sorted(lengths)) for reason, lengths in lengths_by_reason.items()}


def _amounts_by_block(side: WaiterSide, table: TraceTable) -> tuple[F64, F64, F64]:
    """Return worker and assist time, assist time, and stopped time (ns) in each block of the trace."""
    blocks, block_ns, phases = side.blocks_in(table), side.block_ns(table), table.mark_phases
    work_ns = _spread_evenly(phases.start_ns, phases.end_ns, (phases.worker_ns + phases.assist_ns), blocks, block_ns)
    assist_ns = _spread_evenly(phases.start_ns, phases.end_ns, phases.assist_ns, blocks, block_ns)
    is_program = _pauses(table)
    starts, ends = table.stops.start_ns[is_program], table.stops.end_ns[is_program]
    return work_ns, assist_ns, _spread_evenly(starts, ends, ends - starts, blocks, block_ns)


def _spread_evenly(starts: I64, ends: I64, amounts: I64, blocks: int, block_ns: int) -> F64:
    """Spread amounts evenly over the blocks between start and end (as differences of the cumulative amount)."""
    edges = np.arange(blocks + 1, dtype=np.float64) * block_ns
    cumulative = np.zeros(blocks + 1)
    for start, end, amount in zip(starts.tolist(), ends.tolist(), amounts.tolist(), strict=True):
        first, last = min(start // block_ns, blocks - 1), min(end // block_ns, blocks - 1)
        part = np.clip((edges[first + 1 : last + 1] - start) / max(end - start, 1), 0.0, 1.0)
        cumulative[first + 1 : last + 1] += part * amount
        cumulative[last + 1 :] += amount
    return np.diff(cumulative)


def _assist_by_group(side: WaiterSide) -> dict[str, float]:
    assist_by_group: dict[str, float] = {}
    for table in side.traces:
        for name, assist in zip(table.group_names, table.groups.assist_ns.tolist(), strict=True):
            if assist:
                assist_by_group[side.named(name)] = assist_by_group.get(side.named(name), 0.0) + assist / side.seconds
    return assist_by_group


def common_windows(sides: tuple[WaiterSide, ...]) -> I64:
    """Return the windows (ns) for which every trace has a minimum mutator utilization, ascending."""
    windows: set[int] | None = None
    for side in sides:
        for table in side.traces:
            trace_windows = set(table.mmu_window_ns.tolist())
            windows = trace_windows if windows is None else windows & trace_windows
    return np.array(sorted(windows or ()), dtype=np.int64)


def utilisation(side: WaiterSide, windows: I64) -> F64:
    """Return the minimum mutator utilization of each trace (traces x windows)."""
    rows = []
    for table in side.traces:
        known = dict(zip(table.mmu_window_ns.tolist(), table.mmu.tolist(), strict=True))
        rows.append([known[window] for window in windows.tolist()])
    return np.array(rows, dtype=np.float64).reshape(len(side.artifacts), len(windows))
