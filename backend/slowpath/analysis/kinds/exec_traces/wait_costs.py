"""Rate what a longer wait costs.

Its own time, and the time of all goroutines that the waiter would have woken. A goroutine that serves others delays
them all: the batching goroutine of a client delays every request of its batch. Traces record who wakes whom, so a
waiter's latency counts once for itself and once for each goroutine that its group wakes per wake-up. The end of a sleep
delays others less.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_sections import NONE
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide

F64 = NDArray[np.float64]

# Waits without a waker.
_NOT_WOKEN = frozenset({"preempted", "runtime.Gosched", "syscall exit", "created"})
MOST_WAITING = 1_000.0
# A goroutine that slept on purpose delays nothing that was requested yet.
PAUSES = frozenset({"sleep"})
PAUSE_WEIGHT = 0.25
# A waiter's main waker ranks before it, if its latency is of the same order: the wait begins there.
MOSTLY = 0.5
SAME_ORDER = 1 / 3
_JUST_BEFORE = 1.01


@dataclass(frozen=True)
class WaitCosts:
    """Per waiter: seconds waited per second on both sides, and how many others wait with it."""

    base: F64
    candidate: F64
    others: F64
    weight: F64
    main_waker: tuple[str | None, ...]
    groups: tuple[str, ...]

    def of(self, waiter: int) -> float:
        """Return by how many seconds per second more (or less) goroutines wait because of the waiter's change."""
        more = float(self.candidate[waiter] - self.base[waiter])
        return more * (1.0 + float(self.others[waiter])) * float(self.weight[waiter])

    def among(self, waiters: Sequence[int]) -> dict[int, float]:
        """Return the costs of some waiters.

        A main waker with a comparable wait costs slightly more than its waiter.
        """
        costs = {waiter: self.of(waiter) for waiter in waiters}
        for woken in sorted(waiters, key=lambda waiter: abs(costs[waiter])):
            for waker in waiters:
                serves = self.main_waker[woken] == self.groups[waker] and waker != woken
                alike = costs[waker] * costs[woken] > 0 and abs(costs[woken]) * SAME_ORDER <= abs(costs[waker])
                if serves and alike and abs(costs[waker]) < abs(costs[woken]):
                    costs[waker] = costs[woken] * _JUST_BEFORE
        return costs


def costs_of(matched: MatchedWaiters) -> WaitCosts:
    """Return the costs of all waiters."""
    groups = [_woken_by_group(side) for side in matched.sides]
    waits = [_wakes_of_groups(matched, side) for side in matched.sides]
    others = np.zeros(len(matched.waiters))
    for number, waiter in enumerate(matched.waiters):
        if waiter.reason not in _NOT_WOKEN:
            ratios = [
                woken.get(waiter.group, 0.0) / wakes[waiter.group]
                for woken, wakes in zip(groups, waits, strict=True)
                if wakes.get(waiter.group)
            ]
            others[number] = min(max(ratios, default=0.0), MOST_WAITING)
    weight = np.array([PAUSE_WEIGHT if waiter.reason in PAUSES else 1.0 for waiter in matched.waiters])
    rates = [side.total_ns.sum(axis=1) / 1e9 / side.seconds for side in matched.sides]
    wakers = _main_wakers(matched)
    return WaitCosts(rates[0], rates[1], others, weight, wakers, tuple(waiter.group for waiter in matched.waiters))


def _main_wakers(matched: MatchedWaiters) -> tuple[str | None, ...]:
    """Return the group that wakes most of each waiter, if there is one other than its own."""
    counts: list[dict[str | None, float]] = [{} for _ in matched.waiters]
    for side in matched.sides:
        for rows, table in zip(side.rows, side.traces, strict=True):
            names = [side.named(name) for name in table.group_names]
            wakers = table.wakers
            for waiter, group, waits in zip(
                wakers.waiter.tolist(), wakers.group.tolist(), wakers.waits.tolist(), strict=True
            ):
                by_waker = counts[int(rows[waiter])]
                name = None if group == NONE else names[group]
                by_waker[name] = by_waker.get(name, 0.0) + waits
    leading = [max(by_waker, key=lambda name: by_waker[name]) if by_waker else None for by_waker in counts]
    return tuple(
        name if name != waiter.group and by_waker and by_waker[name] >= MOSTLY * sum(by_waker.values()) else None
        for name, by_waker, waiter in zip(leading, counts, matched.waiters, strict=True)
    )


def _woken_by_group(side: WaiterSide) -> dict[str, float]:
    """Count the waits that each group ended by waking a goroutine of another group."""
    woken: dict[str, float] = {}
    for table in side.traces:
        names = [side.named(name) for name in table.group_names]
        waiter_group = table.waiters.group[table.wakers.waiter]
        by_someone = (table.wakers.group != NONE) & (table.wakers.group != waiter_group)
        for group, waits in zip(table.wakers.group[by_someone], table.wakers.waits[by_someone], strict=True):
            name = names[int(group)]
            woken[name] = woken.get(name, 0.0) + float(waits)
    return woken


def _wakes_of_groups(matched: MatchedWaiters, side: WaiterSide) -> dict[str, float]:
    """Count how often goroutines of each group were woken."""
    wakes: dict[str, float] = {}
    for waiter, waits in zip(matched.waiters, side.waits.sum(axis=1).tolist(), strict=True):
        if waiter.reason not in _NOT_WOKEN:
            wakes[waiter.group] = wakes.get(waiter.group, 0.0) + waits
    return wakes
