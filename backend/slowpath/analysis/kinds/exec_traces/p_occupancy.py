"""Measure P occupancy while a waiter waited: each side's share, per wait, and what of it is new."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide
from slowpath.analysis.stats.side_generators import SideGenerators

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

GC_KINDS = frozenset({"stw", "gc-dedicated", "gc-fractional", "gc-idle", "user-assist", "user-sweep"})
WAKE_UP = "wake-up"
WAKE_UP_KINDS = frozenset({"idle", "scheduler"})
# An occupant is new if its share was below the first number and is above the second.
NEW_BELOW, NEW_FROM = 0.01, 0.05
_TAIL = 0.025
# Maximum of resampled seconds per side; in longer traces neighboring seconds are drawn together.
MOST_SECONDS = 1_024


@dataclass(frozen=True)
class Occupant:
    """What occupied a processor: a kind, and the goroutine group if there is one."""

    kind: str
    group: str | None

    @property
    def name(self) -> str:
        """Return the name of the occupant on pages: `user|main.hog`, `idle`."""
        return self.kind if self.group is None else f"{self.kind}|{self.group}"

    @property
    def culprit(self) -> str:
        """Return what is reported as the occupant: the group of user code, or the part of the runtime."""
        if self.kind in GC_KINDS:
            return "gc"
        if self.kind in WAKE_UP_KINDS:
            return WAKE_UP
        if self.kind == "user" and self.group is not None:
            return self.group
        return self.kind


@dataclass(frozen=True)
class OccupancyShare:
    """One occupant's part of a waiter's waiting.

    A share, and ns of the mean wait (`low`, `high` bound its change).
    """

    occupant: Occupant
    base_share: float
    candidate_share: float
    base_ns_per_wait: float
    candidate_ns_per_wait: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        """Return by how many ns of the mean wait the occupant's part grew."""
        return self.candidate_ns_per_wait - self.base_ns_per_wait

    @property
    def new(self) -> bool:
        """Return whether the occupant is new."""
        return self.base_share < NEW_BELOW and self.candidate_share >= NEW_FROM and self.low > 0


@dataclass(frozen=True)
class Occupancy:
    """All parts for one waiter, the largest first; totals in ns of waiting."""

    waiter: int
    parts: tuple[OccupancyShare, ...]
    base_total_ns: float
    candidate_total_ns: float


@dataclass(frozen=True)
class _SideOccupancy:
    """Rows of (waiter, occupant, second of the side, ns of the wait), and how often each second is drawn."""

    waiter: I64
    holder: I64
    second: I64
    ns: F64
    weights: F64


class OccupancyTable:
    """The P occupancy of both sides with common occupant numbers; each waiter is summed on request."""

    def __init__(self, matched: MatchedWaiters, draws: int, generators: SideGenerators) -> None:
        self._matched = matched
        self.holders: list[Occupant] = []
        self._number: dict[Occupant, int] = {}
        self._sides = tuple(self._read(side, draws, rng) for side, rng in zip(matched.sides, generators, strict=True))

    def of(self, waiter: int) -> Occupancy:
        """Return the P occupancy during the waits of one waiter."""
        rows_by_side = [np.flatnonzero(side.waiter == waiter) for side in self._sides]
        occupants = np.unique(
            np.concatenate([side.holder[rows] for side, rows in zip(self._sides, rows_by_side, strict=True)])
        )
        totals = [float(side.total_ns[waiter].sum()) for side in self._matched.sides]
        means = [
            total / max(side.waits_of(waiter), 1.0) for side, total in zip(self._matched.sides, totals, strict=True)
        ]
        occupied = [_occupied_time(side, rows, occupants) for side, rows in zip(self._sides, rows_by_side, strict=True)]
        shares = [each.parts.sum(axis=0) / max(float(each.parts.sum()), 1e-9) for each in occupied]
        base, candidate = (_resample(each) * mean for each, mean in zip(occupied, means, strict=True))
        low, high = np.quantile(candidate - base, [_TAIL, 1 - _TAIL], axis=0)
        parts = [
            OccupancyShare(
                occupant=self.holders[index],
                base_share=float(shares[0][i]),
                candidate_share=float(shares[1][i]),
                base_ns_per_wait=float(shares[0][i]) * means[0],
                candidate_ns_per_wait=float(shares[1][i]) * means[1],
                low=float(low[i]),
                high=float(high[i]),
            )
            for i, index in enumerate(occupants.tolist())
        ]
        parts.sort(key=lambda p: (-max(p.base_ns_per_wait, p.candidate_ns_per_wait), p.occupant.name))
        return Occupancy(waiter, tuple(parts), totals[0], totals[1])

    def _read(self, side: WaiterSide, draws: int, rng: Generator) -> _SideOccupancy:
        count = len(side.artifacts)
        waiters, holders, seconds = ([np.zeros(0, dtype=np.int64)] for _ in range(3))
        amounts, weights = [np.zeros(0)], [np.zeros((draws, 0))]
        trace_draws = rng.multinomial(count, np.full(max(count, 1), 1 / max(count, 1)), size=draws)
        seconds_per_block = max(-(-sum(table.header.occupancy_blocks for table in side.traces) // MOST_SECONDS), 1)
        first_block = 0
        for trace, table in enumerate(side.traces):
            numbers = [
                self._number_of(kind, None if group is None else side.named(group))
                for kind, group in zip(table.class_kinds, table.class_groups, strict=True)
            ]
            waiters.append(side.rows[trace][table.occupancy.waiter])
            holders.append(np.array(numbers, dtype=np.int64)[table.occupancy.class_])
            seconds.append(table.occupancy.block.astype(np.int64) // seconds_per_block + first_block)
            # Processor time over the number of processors is time of the wait. Differences of large sums may be
            # slightly negative.
            amounts.append(np.maximum(table.occupancy.ns, 0) / max(table.header.procs.most, 1))
            blocks = -(-table.header.occupancy_blocks // seconds_per_block)
            weights.append(
                rng.multinomial(blocks * trace_draws[:, trace], np.full(blocks, 1 / blocks)).astype(np.float64)
            )
            first_block += blocks
        waiter, holder, second = (np.concatenate(each).astype(np.int64) for each in (waiters, holders, seconds))
        return _SideOccupancy(
            waiter, holder, second, ns=np.concatenate(amounts), weights=np.concatenate(weights, axis=1)
        )

    def _number_of(self, kind: str, group: str | None) -> int:
        holder = Occupant(kind, group)
        if holder not in self._number:
            self._number[holder] = len(self.holders)
            self.holders.append(holder)
        return self._number[holder]


@dataclass(frozen=True)
class _OccupiedTime:
    """Time of one waiter's waits (seconds x occupants), and how often each of those seconds is drawn."""

    parts: F64
    weights: F64


def _occupied_time(side: _SideOccupancy, rows: I64, occupants: I64) -> _OccupiedTime:
    seconds, at = np.unique(side.second[rows], return_inverse=True)
    parts = np.zeros((len(seconds), len(occupants)))
    np.add.at(parts, (at, np.searchsorted(occupants, side.holder[rows])), side.ns[rows])
    return _OccupiedTime(parts, side.weights[:, seconds])


def _resample(occupied: _OccupiedTime) -> F64:
    """Return each occupant's share of the wait, resampled over traces and seconds (draws x occupants).

    The sums vary with the amount of waiting in the drawn seconds.
    """
    resampled: F64 = occupied.weights @ occupied.parts
    return resampled / max(float(occupied.parts.sum()), 1e-9)
