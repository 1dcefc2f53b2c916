"""Match renamed goroutine groups: two groups, each on one side only, that behave the same.

Renaming or wrapping a function makes one group disappear and another appear. They are the same if they are woken equally
often and for the same reasons, run equally long, block in the same functions and are woken by the same group. Their
scheduler latency is ignored: it is what is compared afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from slowpath.analysis.formats.column_sections import NONE
from slowpath.analysis.kinds.exec_traces.group_names import normalised
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable

# Rates of a group on both sides differ by this factor at most.
MOST_APART = 1.5
# Minimum overlap of the wake reasons, and of the functions in which the goroutines block.
LEAST_SHARED_REASONS = 0.7
LEAST_SHARED_FRAMES = 0.5
# Minimum wakes per side; below this running time (ns per second) running is not compared.
LEAST_WAKES = 20.0
LEAST_RUNNING_NS = 1_000_000.0
RUNTIME = "runtime"
_RUNTIME_PREFIXES = ("runtime.", "runtime/", "internal/")


@dataclass(frozen=True)
class GroupRename:
    """A group with different names on the two sides; rates are the candidate's, per second."""

    base: str
    candidate: str
    wakes_per_second: float
    wait_ns_per_second: float


@dataclass
class _Group:
    """The behavior of a group on one side, summed over its traces."""

    wakes: dict[str, float] = field(default_factory=dict)
    wakers: dict[str, float] = field(default_factory=dict)
    frames: set[str] = field(default_factory=set)
    running_ns: float = 0.0
    wait_ns: float = 0.0
    goroutines: int = 0
    system: bool = False

    @property
    def count(self) -> float:
        """Return the number of wakes."""
        return sum(self.wakes.values())

    @property
    def waker(self) -> str | None:
        """Return the group that wakes it most often."""
        return max(self.wakers, key=lambda name: (self.wakers[name], name), default=None)


def renamed_groups(base: Sequence[TraceTable], candidate: Sequence[TraceTable]) -> tuple[GroupRename, ...]:
    """Return all pairs of groups that are one group under two names, the most similar first.

    Each group once.
    """
    seconds = [sum(table.seconds() for table in side) or 1.0 for side in (base, candidate)]
    groups = [_groups_of(side) for side in (base, candidate)]
    common = groups[0].keys() & groups[1].keys()
    load = _load_ratio(groups, seconds, common)
    only = [
        [
            name
            for name, group in side.items()
            if name not in common
            and group.count >= LEAST_WAKES
            and not group.system
            and not name.startswith(_RUNTIME_PREFIXES)
        ]
        for side in groups
    ]
    pairs = sorted(
        (distance, old, new)
        for old in only[0]
        for new in only[1]
        if (
            distance := _distance(
                groups[0][old], groups[1][new], seconds=seconds, load=load, names=(old, new), common=common
            )
        )
        is not None
    )
    matched: set[str] = set()
    renames = []
    for _, old, new in pairs:
        if old in matched or new in matched:
            continue
        matched |= {old, new}
        group = groups[1][new]
        renames.append(GroupRename(old, new, group.count / seconds[1], group.wait_ns / seconds[1]))
    return tuple(renames)


def _groups_of(tables: Sequence[TraceTable]) -> dict[str, _Group]:
    groups: dict[str, _Group] = {}
    for table in tables:
        names = [normalised(name) for name in table.group_names]
        group_rows = [groups.setdefault(name, _Group()) for name in names]
        for row, (group, reason) in enumerate(zip(table.waiters.group.tolist(), table.reasons, strict=True)):
            group_rows[group].wakes[reason] = group_rows[group].wakes.get(reason, 0.0) + float(table.waiters.waits[row])
            group_rows[group].wait_ns += float(table.waiters.total_ns[row])
            group_rows[group].frames |= {normalised(each) for each in table.stack(int(table.waiters.stack[row]))}
        for row, waker in enumerate(table.wakers.group.tolist()):
            woken = group_rows[int(table.waiters.group[int(table.wakers.waiter[row])])]
            name = RUNTIME if waker == NONE else names[waker]
            woken.wakers[name] = woken.wakers.get(name, 0.0) + float(table.wakers.waits[row])
        for row_index, group in enumerate(group_rows):
            group.running_ns += float(table.groups.running_ns[row_index])
            group.goroutines = max(group.goroutines, int(table.groups.goroutines[row_index]))
            group.system = group.system or bool(table.groups.system[row_index])
    # Groups that only ran, or only woke others, are not waiters.
    return {name: group for name, group in groups.items() if group.wakes}


def _load_ratio(groups: list[dict[str, _Group]], seconds: list[float], common: set[str]) -> float:
    """Return the ratio of wakes per second over common groups, candidate over base; 1 without any."""
    rates = [sum(side[name].count for name in common) / each for side, each in zip(groups, seconds, strict=True)]
    return rates[1] / rates[0] if rates[0] > 0 and rates[1] > 0 else 1.0


def _distance(
    old: _Group, new: _Group, *, seconds: list[float], load: float, names: tuple[str, str], common: set[str]
) -> float | None:
    """Return how different two groups are; None if they are not the same."""
    distances = [_log_distance(old.count / seconds[0] * load, new.count / seconds[1])]
    running = [old.running_ns / seconds[0], new.running_ns / seconds[1]]
    if max(running) >= LEAST_RUNNING_NS:
        distances.append(_log_distance(max(running[0] * load, 1.0), max(running[1], 1.0)))
    distances.append(_log_distance(max(old.goroutines, 1), max(new.goroutines, 1)) / 2)
    reasons = sum(
        min(old.wakes.get(reason, 0.0) / old.count, new.wakes.get(reason, 0.0) / new.count) for reason in old.wakes
    )
    if max(distances) > np.log(MOST_APART) or reasons < LEAST_SHARED_REASONS:
        return None
    frames = [{name for name in group.frames if name not in names} for group in (old, new)]
    shared = len(frames[0] & frames[1]) / max(len(frames[0] | frames[1]), 1)
    if all(frames) and shared < LEAST_SHARED_FRAMES:
        return None
    wakers = [names[at] if each == names[at] else each for at, each in enumerate((old.waker, new.waker))]
    # The waker may have been renamed too: only a waker that both sides have is evidence.
    if wakers[0] != wakers[1] and any(each in common or each == RUNTIME for each in wakers):
        return None
    return float(sum(distances)) + (1 - reasons) + (1 - shared)


def _log_distance(old: float, new: float) -> float:
    return abs(float(np.log(new / old)))
