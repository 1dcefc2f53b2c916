"""Match the waiters of several traces and both sides by group and wake reason, and combine their histograms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.exec_traces.duration_buckets import lower_bounds, widths
from slowpath.analysis.kinds.exec_traces.group_names import normalised
from slowpath.analysis.kinds.exec_traces.group_renames import GroupRename, renamed_groups
from slowpath.analysis.kinds.exec_traces.host_contention import Coverage, Mask, coverage_of
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.exec_traces.trace_thresholds import DEFAULT_TRACE_THRESHOLDS, TraceThresholds

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

# The decoder sums waiters beyond its limit under this name.
OTHER = "(other)"
# Goroutines that were blocked when the recording began: the reason is unknown.
UNKNOWN_REASON = "(before the trace)"
# Maximum number of resampled blocks per side (seven minutes of traces).
MOST_BLOCKS = 4_096
_RUNTIME_PREFIXES = ("runtime.", "runtime/trace.", "runtime/pprof.", "internal/trace.")


@dataclass(frozen=True)
class Waiter:
    """A goroutine group with its wake reason."""

    group: str
    reason: str
    system: bool

    @property
    def subject(self) -> str:
        """Return the waiter's name in findings and pages."""
        return f"{self.group}|{self.reason}"

    @property
    def can_be_finding(self) -> bool:
        """Return whether a change is evidence about the program.

        False for the runtime's goroutines and the rest.
        """
        return not self.system and self.group != OTHER and self.reason != UNKNOWN_REASON


@dataclass(frozen=True)
class WaitCells:
    """Counts of one waiter over the blocks of a side's traces: rows of (block of the side, bucket, count)."""

    block: I64
    bucket: I64
    count: F64


@dataclass(frozen=True)
class WaiterSide:
    """One side's traces with waiters numbered as on the other side. Arrays are (waiters x traces).

    In very long traces, `joined` neighboring blocks count as one. Blocks in which the machine was short of CPU are excluded
    from all numbers (see `host_contention`): `clean` are the others. `aliases` maps renamed groups to their name on the other
    side.
    """

    artifacts: tuple[TraceArtifact, ...]
    rows: tuple[I64, ...]
    waits: F64
    total_ns: F64
    max_ns: F64
    censored: F64
    censored_ns: F64
    handoffs: F64
    joined: int
    block_trace: I64
    clean: Mask
    coverage: Coverage
    aliases: Mapping[str, str]
    _cells: WaitCells
    _starts: I64

    @property
    def traces(self) -> tuple[TraceTable, ...]:
        """Return the decoded traces."""
        return tuple(artifact.table for artifact in self.artifacts)

    @cached_property
    def seconds(self) -> float:
        """Return the compared seconds of all traces; 1 without traces, so that rates are finite."""
        return sum(self.seconds_of) or 1.0

    @cached_property
    def seconds_of(self) -> tuple[float, ...]:
        """Return the compared seconds of each trace."""
        return tuple(
            table.seconds() * float(mask.mean()) for table, mask in zip(self.traces, self.coverage.blocks, strict=True)
        )

    def named(self, group: str) -> str:
        """Return a group's name that both sides share."""
        name = normalised(group)
        return self.aliases.get(name, name)

    def blocks_in(self, table: TraceTable) -> int:
        """Return how many blocks of the side a trace has."""
        return -(-table.header.blocks // self.joined)

    def block_ns(self, table: TraceTable) -> int:
        """Return the length of a block of the side."""
        return table.header.block_ns * self.joined

    @cached_property
    def blocks_of(self) -> I64:
        """Return the number of blocks of each trace."""
        return np.bincount(self.block_trace, minlength=len(self.artifacts)).astype(np.int64)

    def cells(self, waiter: int) -> WaitCells:
        """Return the histogram cells of one waiter."""
        part = slice(int(self._starts[waiter]), int(self._starts[waiter + 1]))
        return WaitCells(self._cells.block[part], self._cells.bucket[part], self._cells.count[part])

    def histograms(self, waiter: int) -> tuple[I64, F64]:
        """Return the waiter's buckets, ascending, and its counts (traces x buckets)."""
        cells = self.cells(waiter)
        buckets, column = np.unique(cells.bucket, return_inverse=True)
        flat = self.block_trace[cells.block] * len(buckets) + column
        counts: F64 = np.bincount(flat, weights=cells.count, minlength=len(self.artifacts) * len(buckets)).astype(
            np.float64
        )
        return buckets, counts.reshape(len(self.artifacts), len(buckets))

    def waits_of(self, waiter: int) -> float:
        """Return how many waits of the waiter have a known length."""
        return float(self.waits[waiter].sum())


@dataclass(frozen=True)
class MatchedWaiters:
    """All waiters of both sides, and each side's numbers about them."""

    waiters: tuple[Waiter, ...]
    base: WaiterSide
    candidate: WaiterSide
    renamed: tuple[GroupRename, ...] = ()

    @property
    def sides(self) -> tuple[WaiterSide, WaiterSide]:
        """Return base, then candidate."""
        return self.base, self.candidate

    @property
    def enough_clean(self) -> bool:
        """Return whether CPU was available for long enough to attribute differences to the program."""
        return all(side.coverage.enough for side in self.sides)

    @cached_property
    def can_be_findings(self) -> NDArray[np.bool_]:
        """Return which waiters a finding may be about."""
        return np.array([waiter.can_be_finding for waiter in self.waiters], dtype=np.bool_)

    @cached_property
    def common(self) -> NDArray[np.bool_]:
        """Return which of those wait on both sides; others are reported separately."""
        both: NDArray[np.bool_] = (self.base.waits.sum(axis=1) > 0) & (self.candidate.waits.sum(axis=1) > 0)
        return self.can_be_findings & both

    def shares(self, side: WaiterSide, among: NDArray[np.bool_]) -> F64:
        """Return each waiter's share of the time that the waiters `among` waited on that side.

        0 for the others.
        """
        totals = np.where(among, side.total_ns.sum(axis=1), 0.0)
        total = totals.sum()
        return totals / total if total else totals


def match_waiters(
    base: Sequence[TraceArtifact],
    candidate: Sequence[TraceArtifact],
    thresholds: TraceThresholds = DEFAULT_TRACE_THRESHOLDS,
) -> MatchedWaiters:
    """Number the waiters of both sides by normalized group and wake reason; the longest waiting first.

    A renamed group has its name in base on both sides.
    """
    renamed = renamed_groups([a.table for a in base], [a.table for a in candidate])
    aliases: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {each.candidate: each.base for each in renamed})
    weight: dict[tuple[str, str], float] = {}
    system: dict[tuple[str, str], bool] = {}
    for artifacts, names in zip((base, candidate), aliases, strict=True):
        for table in (artifact.table for artifact in artifacts):
            for row, key in enumerate(_keys(table, names)):
                seconds = float(table.waiters.total_ns[row]) / table.seconds()
                weight[key] = weight.get(key, 0.0) + seconds
                is_system = bool(table.groups.system[int(table.waiters.group[row])]) or key[0].startswith(
                    _RUNTIME_PREFIXES
                )
                system[key] = system.get(key, False) or is_system
    ordered = sorted(weight, key=lambda key: (-weight[key], key))
    number = {key: index for index, key in enumerate(ordered)}
    waiters = tuple(Waiter(group, reason, system[group, reason]) for group, reason in ordered)
    sides = [
        _side(artifacts, number, names, thresholds) for artifacts, names in zip((base, candidate), aliases, strict=True)
    ]
    return MatchedWaiters(waiters, sides[0], sides[1], renamed)


def _keys(table: TraceTable, aliases: Mapping[str, str]) -> list[tuple[str, str]]:
    names = [aliases.get(name, name) for name in map(normalised, table.group_names)]
    return [(names[int(g)], reason) for g, reason in zip(table.waiters.group, table.reasons, strict=True)]


def _side(
    artifacts: Sequence[TraceArtifact],
    number: dict[tuple[str, str], int],
    aliases: Mapping[str, str],
    thresholds: TraceThresholds,
) -> WaiterSide:
    tables = [artifact.table for artifact in artifacts]
    coverage = coverage_of(tables, thresholds)
    rows = tuple(np.array([number[key] for key in _keys(table, aliases)], dtype=np.int64) for table in tables)
    joined = max(-(-sum(table.header.blocks for table in tables) // MOST_BLOCKS), 1)
    blocks = [-(-table.header.blocks // joined) for table in tables]
    cells, starts = _cells(tables, rows, blocks=blocks, joined=joined, waiters=len(number), coverage=coverage)
    compared = [_compared_waits(table, mask) for table, mask in zip(tables, coverage.blocks, strict=True)]

    def sum_by_waiter(values: Sequence[NDArray[np.generic]]) -> F64:
        sums = np.zeros((len(number), len(tables)))
        for trace, (row, value) in enumerate(zip(rows, values, strict=True)):
            np.add.at(sums[:, trace], row, value.astype(np.float64))
        return sums

    longest = np.zeros((len(number), len(tables)))
    for trace, row in enumerate(rows):
        np.maximum.at(longest[:, trace], row, tables[trace].waiters.max_ns.astype(np.float64))
    sections = [table.waiters for table in tables]
    return WaiterSide(
        artifacts=tuple(artifacts),
        rows=rows,
        waits=sum_by_waiter([waits for waits, _ in compared]),
        total_ns=sum_by_waiter([total for _, total in compared]),
        max_ns=longest,
        censored=sum_by_waiter([s.censored_left.astype(np.int64) + s.censored_right for s in sections]),
        censored_ns=sum_by_waiter([s.censored_ns for s in sections]),
        handoffs=sum_by_waiter([s.handoffs for s in sections]),
        joined=joined,
        block_trace=np.repeat(np.arange(len(tables)), np.array(blocks, dtype=np.int64)).astype(np.int64),
        clean=np.concatenate(
            [
                np.zeros(0, dtype=np.bool_),
                *(np.logical_or.reduceat(m, np.arange(0, len(m), joined)) for m in coverage.blocks),
            ]
        ),
        coverage=coverage,
        aliases=aliases,
        _cells=cells,
        _starts=starts,
    )


def _compared_waits(table: TraceTable, mask: Mask) -> tuple[F64, F64]:
    """Return waits and ns of waiting of each waiter within the compared blocks."""
    waits, total = table.waiters.waits.astype(np.float64), table.waiters.total_ns.astype(np.float64)
    if mask.all():
        return waits, total
    histogram, count = table.histogram, len(waits)
    number = histogram.count.astype(np.float64)
    in_compared = mask[histogram.block] * number
    length = (lower_bounds(histogram.bucket.astype(np.int64)) + widths(histogram.bucket.astype(np.int64)) / 2) * number
    total_length, compared_length = (
        np.bincount(histogram.waiter, weights=each, minlength=count)
        for each in (length, length * mask[histogram.block])
    )
    # Histograms have bucketed lengths; the totals are exact.
    compared_counts: F64 = np.bincount(histogram.waiter, weights=in_compared, minlength=count).astype(np.float64)
    return compared_counts, total * compared_length / np.maximum(total_length, 1.0)


def _cells(
    tables: Sequence[TraceTable],
    rows: Sequence[I64],
    *,
    blocks: Sequence[int],
    joined: int,
    waiters: int,
    coverage: Coverage,
) -> tuple[WaitCells, I64]:
    """Return all compared histogram cells of a side, sorted by waiter, and where each waiter's begin."""
    before = np.concatenate([[0], np.cumsum(blocks)]).astype(np.int64)
    sections = [table.histogram for table in tables]
    inside = [mask[s.block] for s, mask in zip(sections, coverage.blocks, strict=True)]
    empty = np.zeros(0, dtype=np.int64)
    waiter = np.concatenate([empty, *(row[s.waiter[i]] for row, s, i in zip(rows, sections, inside, strict=True))])
    block = np.concatenate(
        [empty, *(s.block[i].astype(np.int64) // joined + b for s, i, b in zip(sections, inside, before, strict=False))]
    )
    bucket = np.concatenate([empty, *(s.bucket[i].astype(np.int64) for s, i in zip(sections, inside, strict=True))])
    counts = [s.count[i].astype(np.int64) for s, i in zip(sections, inside, strict=True)]
    count = np.concatenate([empty, *counts]).astype(np.float64)
    # Short integers are sorted by radix sort, which is fast; blocks and buckets are in order already.
    order = np.argsort(waiter.astype(np.uint16 if waiters < 2**16 else np.int64), kind="stable")
    starts = np.searchsorted(waiter[order], np.arange(waiters + 1)).astype(np.int64)
    return WaitCells(block[order], bucket[order], count[order]), starts
