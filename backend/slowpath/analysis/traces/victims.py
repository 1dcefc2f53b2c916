"""The same victims in several traces and on both sides: matched by group and reason, their histograms laid together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.traces.artifact import TraceArtifact
from slowpath.analysis.traces.trace_table import TraceTable

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

# Victims beyond the decoder's limit are summed up under this name: nobody in particular.
OTHER = "(other)"
# Goroutines that slept when the recording began: nobody knows why.
UNKNOWN_REASON = "(before the trace)"
# A side is resampled in no more blocks than this (seven minutes of traces).
MOST_BLOCKS = 4_096
_OURS = ("runtime.", "runtime/trace.", "runtime/pprof.", "internal/trace.")
_CLOSURE = re.compile(r"(\.func)\d+(?:\.\d+)*")
_WRAPPED = re.compile(r"\.(?:gowrap|deferwrap)\d+")
_MAJOR = re.compile(r"/v\d+(?=[./])")


def normalised(name: str) -> str:
    """A group's name without what changes from build to build: closure numbers, vendoring, the major version."""
    name = name.rpartition("/vendor/")[2]
    return _MAJOR.sub("", _CLOSURE.sub(r"\1", _WRAPPED.sub("", name)))


@dataclass(frozen=True)
class Victim:
    """A group of goroutines that waited for a processor, and why they had slept before."""

    group: str
    reason: str
    system: bool

    @property
    def subject(self) -> str:
        """What the victim is called in findings and pages."""
        return f"{self.group}|{self.reason}"

    @property
    def accusable(self) -> bool:
        """Whether a change of it says something of the program: not the runtime's own goroutines, not the rest."""
        return not self.system and self.group != OTHER and self.reason != UNKNOWN_REASON


@dataclass(frozen=True)
class Cells:
    """Counts of one victim over the blocks of a side's traces: rows of (block of the side, bucket, count)."""

    block: I64
    bucket: I64
    count: F64


@dataclass(frozen=True)
class Side:
    """One side's traces with victims numbered as on the other side. Arrays are (victims x traces).

    Of very long traces, `joined` neighbouring blocks count as one: there are then blocks enough.
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
    _cells: Cells
    _starts: I64

    @property
    def traces(self) -> tuple[TraceTable, ...]:
        """The decoded traces."""
        return tuple(artifact.table for artifact in self.artifacts)

    @cached_property
    def seconds(self) -> float:
        """How long all traces last together; of no trace, 1, so that rates are numbers."""
        return sum(table.seconds() for table in self.traces) or 1.0

    def blocks_in(self, table: TraceTable) -> int:
        """How many blocks of the side one of its traces makes."""
        return -(-table.read.blocks // self.joined)

    def block_ns(self, table: TraceTable) -> int:
        """How long a block of the side is."""
        return table.read.block_ns * self.joined

    @cached_property
    def blocks_of(self) -> I64:
        """How many blocks each trace has."""
        return np.bincount(self.block_trace, minlength=len(self.artifacts)).astype(np.int64)

    def cells(self, victim: int) -> Cells:
        """The histogram cells of one victim."""
        part = slice(int(self._starts[victim]), int(self._starts[victim + 1]))
        return Cells(self._cells.block[part], self._cells.bucket[part], self._cells.count[part])

    def histograms(self, victim: int) -> tuple[I64, F64]:
        """The buckets that the victim has, ascending, and its counts (traces x buckets)."""
        cells = self.cells(victim)
        buckets, column = np.unique(cells.bucket, return_inverse=True)
        flat = self.block_trace[cells.block] * len(buckets) + column
        counts: F64 = np.bincount(flat, weights=cells.count, minlength=len(self.artifacts) * len(buckets)).astype(
            np.float64
        )
        return buckets, counts.reshape(len(self.artifacts), len(buckets))

    def waits_of(self, victim: int) -> float:
        """How many waits of the victim have a known length."""
        return float(self.waits[victim].sum())


@dataclass(frozen=True)
class Matched:
    """All victims of both sides, and each side's numbers about them."""

    victims: tuple[Victim, ...]
    base: Side
    candidate: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        """Base, then candidate."""
        return self.base, self.candidate

    @cached_property
    def accusable(self) -> NDArray[np.bool_]:
        """Which victims a finding may be about."""
        return np.array([victim.accusable for victim in self.victims], dtype=np.bool_)

    @cached_property
    def common(self) -> NDArray[np.bool_]:
        """Which of those wait on both sides: what is new or gone is listed apart."""
        both: NDArray[np.bool_] = (self.base.waits.sum(axis=1) > 0) & (self.candidate.waits.sum(axis=1) > 0)
        return self.accusable & both

    def shares(self, side: Side, among: NDArray[np.bool_]) -> F64:
        """Each victim's part of all the time that the victims `among` waited on that side; 0 for the others."""
        totals = np.where(among, side.total_ns.sum(axis=1), 0.0)
        whole = totals.sum()
        return totals / whole if whole else totals


def match(base: Sequence[TraceArtifact], candidate: Sequence[TraceArtifact]) -> Matched:
    """Number the victims of both sides by their normalised group and reason; the longest waiting first."""
    weight: dict[tuple[str, str], float] = {}
    system: dict[tuple[str, str], bool] = {}
    for artifact in (*base, *candidate):
        table = artifact.table
        for row, key in enumerate(_keys(table)):
            seconds = float(table.victims.total_ns[row]) / table.seconds()
            weight[key] = weight.get(key, 0.0) + seconds
            own = bool(table.groups.system[int(table.victims.group[row])]) or key[0].startswith(_OURS)
            system[key] = system.get(key, False) or own
    ordered = sorted(weight, key=lambda key: (-weight[key], key))
    number = {key: index for index, key in enumerate(ordered)}
    victims = tuple(Victim(group, reason, system[group, reason]) for group, reason in ordered)
    return Matched(victims, _side(base, number), _side(candidate, number))


def _keys(table: TraceTable) -> list[tuple[str, str]]:
    names = [normalised(name) for name in table.group_names]
    return [(names[int(g)], reason) for g, reason in zip(table.victims.group, table.reasons, strict=True)]


def _side(artifacts: Sequence[TraceArtifact], number: dict[tuple[str, str], int]) -> Side:
    rows = tuple(np.array([number[key] for key in _keys(a.table)], dtype=np.int64) for a in artifacts)
    joined = max(-(-sum(artifact.table.read.blocks for artifact in artifacts) // MOST_BLOCKS), 1)
    blocks = [-(-artifact.table.read.blocks // joined) for artifact in artifacts]
    cells, starts = _cells(artifacts, rows, blocks, joined, len(number))

    def summed(values: Sequence[NDArray[np.generic]]) -> F64:
        whole = np.zeros((len(number), len(artifacts)))
        for trace, (row, value) in enumerate(zip(rows, values, strict=True)):
            np.add.at(whole[:, trace], row, value.astype(np.float64))
        return whole

    longest = np.zeros((len(number), len(artifacts)))
    for trace, row in enumerate(rows):
        np.maximum.at(longest[:, trace], row, artifacts[trace].table.victims.max_ns.astype(np.float64))
    sections = [artifact.table.victims for artifact in artifacts]
    return Side(
        artifacts=tuple(artifacts),
        rows=rows,
        waits=summed([s.waits for s in sections]),
        total_ns=summed([s.total_ns for s in sections]),
        max_ns=longest,
        censored=summed([s.censored_left.astype(np.int64) + s.censored_right for s in sections]),
        censored_ns=summed([s.censored_ns for s in sections]),
        handoffs=summed([s.handoffs for s in sections]),
        joined=joined,
        block_trace=np.repeat(np.arange(len(artifacts)), np.array(blocks, dtype=np.int64)).astype(np.int64),
        _cells=cells,
        _starts=starts,
    )


def _cells(
    artifacts: Sequence[TraceArtifact], rows: Sequence[I64], blocks: Sequence[int], joined: int, victims: int
) -> tuple[Cells, I64]:
    """All histogram cells of a side, sorted by victim, and where each victim's begin."""
    before = np.concatenate([[0], np.cumsum(blocks)]).astype(np.int64)
    sections = [artifact.table.histogram for artifact in artifacts]
    empty = np.zeros(0, dtype=np.int64)
    victim = np.concatenate([empty, *(row[s.victim] for row, s in zip(rows, sections, strict=True))])
    block = np.concatenate(
        [empty, *(s.block.astype(np.int64) // joined + b for s, b in zip(sections, before, strict=False))]
    )
    bucket = np.concatenate([empty, *(s.bucket.astype(np.int64) for s in sections)])
    count = np.concatenate([empty, *(s.count.astype(np.int64) for s in sections)]).astype(np.float64)
    # Short numbers are sorted by their digits, which is fast; blocks and buckets stand in order already.
    order = np.argsort(victim.astype(np.uint16 if victims < 2**16 else np.int64), kind="stable")
    starts = np.searchsorted(victim[order], np.arange(victims + 1)).astype(np.int64)
    return Cells(block[order], bucket[order], count[order]), starts
