"""Garbage collection on one side: processor time, assists, pauses, and the worst moments, per trace and per block."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.exec_traces.block_bootstrap import F32
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.exec_traces.waiters import WaiterSide
from slowpath.analysis.stats.pooled_effects import PooledQuantiles

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

# The recording of the trace begins with a pause of its own.
OURS = "start trace"


@dataclass(frozen=True)
class GcQuantity:
    """A part of the processors (or of the time): of each trace, and how it lies over the side's blocks.

    `amount` and `whole` are ns of each trace; `blocks` is ns of each block of the side.
    """

    amount: F64
    whole: F64
    blocks: F64

    @property
    def part(self) -> float:
        """The part over all traces together."""
        return float(self.amount.sum()) / max(float(self.whole.sum()), 1.0)

    def pooled(self, weights: F32, little: float) -> PooledQuantiles:
        """The part plus `little` on a log scale, with draws over blocks (see `bootstrap`).

        What is far below `little` then differs by nothing, instead of by a factor.
        """
        whole = float(self.blocks.sum())
        # Half a busy block is added, so that a draw without any of few busy ones is not called nothing at all.
        half = whole / max(int((self.blocks > 0).sum()), 1) / 2
        drawn = (weights @ self.blocks.astype(np.float32)).astype(np.float64) + half
        drawn = drawn / (whole + half) if whole else np.ones(len(weights))
        return PooledQuantiles(
            value=np.log([self.part + little]),
            draws=np.log(drawn * self.part + little)[:, None],
            each=np.log(self.amount / np.maximum(self.whole, 1.0) + little)[:, None],
            parts=self.whole / max(float(self.whole.sum()), 1.0),
        )


@dataclass(frozen=True)
class GcSide:
    """What the collector took on one side."""

    cpu: GcQuantity
    assist: GcQuantity
    stw: GcQuantity
    assist_by_group: dict[str, float]
    cycles_per_second: float


def gc_side(side: WaiterSide) -> GcSide:
    """Sum up the collector's work on one side; `assist_by_group` in ns per second."""
    procs = np.array([max(t.read.totals.procs_ns, t.read.duration_ns, 1) for t in side.traces], dtype=np.float64)
    wall = np.array([max(t.read.duration_ns, 1) for t in side.traces], dtype=np.float64)
    cpu = np.array([t.read.gc.cpu_fraction for t in side.traces]) * procs
    assist = np.array([t.read.gc.assist_ns for t in side.traces], dtype=np.float64)
    pauses = [_pauses(table) for table in side.traces]
    stw = np.array(
        [
            float((table.stops.end_ns - table.stops.start_ns)[own].sum())
            for table, own in zip(side.traces, pauses, strict=True)
        ]
    )
    per_trace = [_over_blocks(side, table) for table in side.traces]
    blocks = [np.concatenate(each) for each in zip(*per_trace, strict=True)]
    kept = _kept_parts(side, blocks)
    compared = np.array(side.seconds_of) / np.array([max(table.seconds(), 1e-9) for table in side.traces])
    cpu, assist, stw = (amount * part for amount, part in zip((cpu, assist, stw), kept, strict=True))
    blocks = [np.where(side.clean, each, 0.0) for each in blocks]
    return GcSide(
        cpu=GcQuantity(cpu, procs * compared, blocks[0]),
        assist=GcQuantity(assist, procs * compared, blocks[1]),
        stw=GcQuantity(stw, wall * compared, blocks[2]),
        assist_by_group=_assist_by_group(side),
        cycles_per_second=sum(t.read.gc.cycles for t in side.traces) / side.seconds,
    )


def _kept_parts(side: WaiterSide, blocks: list[F64]) -> list[F64]:
    """Return the fraction of each trace's amounts that lies in the compared blocks."""
    count = len(side.artifacts)
    parts = []
    for each in blocks:
        whole = np.bincount(side.block_trace, weights=each, minlength=count)
        clean = np.bincount(side.block_trace, weights=np.where(side.clean, each, 0.0), minlength=count)
        parts.append(np.where(whole > 0, clean / np.where(whole > 0, whole, 1.0), 1.0))
    return parts


def _pauses(table: TraceTable) -> NDArray[np.bool_]:
    """Which pauses are the program's, and not our recording's."""
    return np.array([OURS not in table.strings[int(reason)] for reason in table.stops.reason], dtype=np.bool_)


def stops_by_reason(side: WaiterSide) -> dict[str, F64]:
    """The lengths (ns) of all pauses by why the world was stopped; those of our recording are left out."""
    found: dict[str, list[float]] = {}
    for table in side.traces:
        lengths = (table.stops.end_ns - table.stops.start_ns).astype(np.float64)
        for own, reason, length in zip(_pauses(table).tolist(), table.stops.reason, lengths.tolist(), strict=True):
            if own:
                found.setdefault(table.strings[int(reason)], []).append(length)
    return {reason: np.array(sorted(lengths)) for reason, lengths in found.items()}


def _over_blocks(side: WaiterSide, table: TraceTable) -> tuple[F64, F64, F64]:
    """Worker and assist time, assist time, and stopped time (ns) in each block of the trace."""
    blocks, block_ns, phases = side.blocks_in(table), side.block_ns(table), table.mark_phases
    worked = _spread(phases.start_ns, phases.end_ns, (phases.worker_ns + phases.assist_ns), blocks, block_ns)
    assisted = _spread(phases.start_ns, phases.end_ns, phases.assist_ns, blocks, block_ns)
    own = _pauses(table)
    starts, ends = table.stops.start_ns[own], table.stops.end_ns[own]
    return worked, assisted, _spread(starts, ends, ends - starts, blocks, block_ns)


def _spread(starts: I64, ends: I64, amounts: I64, blocks: int, block_ns: int) -> F64:
    """Amounts spread evenly over the blocks between start and end (by differences of what was done up to each edge)."""
    edges = np.arange(blocks + 1, dtype=np.float64) * block_ns
    done = np.zeros(blocks + 1)
    for start, end, amount in zip(starts.tolist(), ends.tolist(), amounts.tolist(), strict=True):
        first, last = min(start // block_ns, blocks - 1), min(end // block_ns, blocks - 1)
        part = np.clip((edges[first + 1 : last + 1] - start) / max(end - start, 1), 0.0, 1.0)
        done[first + 1 : last + 1] += part * amount
        done[last + 1 :] += amount
    return np.diff(done)


def _assist_by_group(side: WaiterSide) -> dict[str, float]:
    found: dict[str, float] = {}
    for table in side.traces:
        for name, assist in zip(table.group_names, table.groups.assist_ns.tolist(), strict=True):
            if assist:
                found[side.named(name)] = found.get(side.named(name), 0.0) + assist / side.seconds
    return found


def common_windows(sides: tuple[WaiterSide, ...]) -> I64:
    """The windows (ns) for which every trace knows its minimum mutator utilisation, ascending."""
    windows: set[int] | None = None
    for side in sides:
        for table in side.traces:
            mine = set(table.mmu_window_ns.tolist())
            windows = mine if windows is None else windows & mine
    return np.array(sorted(windows or ()), dtype=np.int64)


def utilisation(side: WaiterSide, windows: I64) -> F64:
    """Minimum mutator utilisation of each trace (traces x windows)."""
    rows = []
    for table in side.traces:
        known = dict(zip(table.mmu_window_ns.tolist(), table.mmu.tolist(), strict=True))
        rows.append([known[window] for window in windows.tolist()])
    return np.array(rows, dtype=np.float64).reshape(len(side.artifacts), len(windows))
