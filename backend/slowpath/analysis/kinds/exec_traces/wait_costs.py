"""What a longer wait costs: the time itself, and the time of all whom the victim would have woken.

A goroutine that serves others makes them all wait while it waits: the batching goroutine of a client holds up every
request of its batch. Traces tell who wakes whom, so a victim's delay counts once for itself and once for each
goroutine that its group wakes per wake-up of its own. The end of a pause (time.Sleep) is waited for by nobody yet.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_sections import NONE
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide

F64 = NDArray[np.float64]

# Waits that begin on a processor: the goroutine was not woken by anybody.
_NOT_WOKEN = frozenset({"preempted", "runtime.Gosched", "syscall exit", "created"})
MOST_WAITING = 1_000.0
# A goroutine that slept on purpose is late for what nobody has asked for yet.
PAUSES = frozenset({"sleep"})
PAUSE_WEIGHT = 0.25
# Who wakes most of a victim stands before it, if its own delay is of the same order: the wait begins there.
MOSTLY = 0.5
SAME_ORDER = 1 / 3
_JUST_BEFORE = 1.01


@dataclass(frozen=True)
class WaitCosts:
    """Per victim: seconds waited per second on both sides, and how many others wait with it."""

    base: F64
    candidate: F64
    others: F64
    weight: F64
    main_waker: tuple[str | None, ...]
    groups: tuple[str, ...]

    def of(self, victim: int) -> float:
        """By how many seconds more (or less) goroutines wait in a second because of the victim's change."""
        more = float(self.candidate[victim] - self.base[victim])
        return more * (1.0 + float(self.others[victim])) * float(self.weight[victim])

    def among(self, victims: Sequence[int]) -> dict[int, float]:
        """The costs of some victims; who wakes most of another one, and waits no less, costs a little more than that."""
        costs = {victim: self.of(victim) for victim in victims}
        for woken in sorted(victims, key=lambda victim: abs(costs[victim])):
            for waker in victims:
                serves = self.main_waker[woken] == self.groups[waker] and waker != woken
                alike = costs[waker] * costs[woken] > 0 and abs(costs[woken]) * SAME_ORDER <= abs(costs[waker])
                if serves and alike and abs(costs[waker]) < abs(costs[woken]):
                    costs[waker] = costs[woken] * _JUST_BEFORE
        return costs


def costs_of(matched: MatchedWaiters) -> WaitCosts:
    """The costs of all victims."""
    groups = [_woken_by_group(side) for side in matched.sides]
    waits = [_wakes_of_groups(matched, side) for side in matched.sides]
    others = np.zeros(len(matched.victims))
    for number, victim in enumerate(matched.victims):
        if victim.reason not in _NOT_WOKEN:
            ratios = [
                woken.get(victim.group, 0.0) / wakes[victim.group]
                for woken, wakes in zip(groups, waits, strict=True)
                if wakes.get(victim.group)
            ]
            others[number] = min(max(ratios, default=0.0), MOST_WAITING)
    weight = np.array([PAUSE_WEIGHT if victim.reason in PAUSES else 1.0 for victim in matched.victims])
    rates = [side.total_ns.sum(axis=1) / 1e9 / side.seconds for side in matched.sides]
    wakers = _main_wakers(matched)
    return WaitCosts(rates[0], rates[1], others, weight, wakers, tuple(victim.group for victim in matched.victims))


def _main_wakers(matched: MatchedWaiters) -> tuple[str | None, ...]:
    """The group that wakes most of each victim, if one does; never its own."""
    counts: list[dict[str | None, float]] = [{} for _ in matched.victims]
    for side in matched.sides:
        for rows, table in zip(side.rows, side.traces, strict=True):
            names = [side.named(name) for name in table.group_names]
            wakers = table.wakers
            for victim, group, waits in zip(
                wakers.victim.tolist(), wakers.group.tolist(), wakers.waits.tolist(), strict=True
            ):
                mine = counts[int(rows[victim])]
                name = None if group == NONE else names[group]
                mine[name] = mine.get(name, 0.0) + waits
    leading = [max(mine, key=lambda name: mine[name]) if mine else None for mine in counts]
    return tuple(
        name if name != victim.group and mine and mine[name] >= MOSTLY * sum(mine.values()) else None
        for name, mine, victim in zip(leading, counts, matched.victims, strict=True)
    )


def _woken_by_group(side: WaiterSide) -> dict[str, float]:
    """How many waits each group ended by waking a goroutine of another group."""
    woken: dict[str, float] = {}
    for table in side.traces:
        names = [side.named(name) for name in table.group_names]
        victim_group = table.victims.group[table.wakers.victim]
        by_someone = (table.wakers.group != NONE) & (table.wakers.group != victim_group)
        for group, waits in zip(table.wakers.group[by_someone], table.wakers.waits[by_someone], strict=True):
            name = names[int(group)]
            woken[name] = woken.get(name, 0.0) + float(waits)
    return woken


def _wakes_of_groups(matched: MatchedWaiters, side: WaiterSide) -> dict[str, float]:
    """How often goroutines of each group were woken."""
    wakes: dict[str, float] = {}
    for victim, waits in zip(matched.victims, side.waits.sum(axis=1).tolist(), strict=True):
        if victim.reason not in _NOT_WOKEN:
            wakes[victim.group] = wakes.get(victim.group, 0.0) + waits
    return wakes
