"""Compare how long goroutines are blocked on locks, on channel sends and in system calls, by group and function.

These waits are never idleness: the goroutine wants to continue. A receiver, a select or a timer may just have nothing to do,
and so may a system call that reads from a pipe or waits for another process. Such waits are not compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from slowpath.analysis.formats.column_sections import NONE
from slowpath.analysis.kinds.exec_traces.block_bootstrap import block_weights
from slowpath.analysis.kinds.exec_traces.group_names import normalised
from slowpath.analysis.kinds.exec_traces.load_estimate import request_rate
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide
from slowpath.analysis.kinds.exec_traces.waiting_rates import F64, WaitingRate, make_rate, pool_rate
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.pooled_effects import as_float64, compare_pooled, estimate_spread
from slowpath.analysis.stats.side_generators import SideGenerators
from slowpath.analysis.stats.t_distribution import t_quantile

LOCK, SEND, SYSCALL = "sync", "chan send", "syscall exit"
_LIBRARY = ("sync.", "internal/", "runtime.", "syscall.", "golang.org/x/sys/", "os.", "net.", "time.")
_JOINS = ("sync.(*WaitGroup).Wait", "sync.runtime_SemacquireWaitGroup")
"""Waiting for others to finish is work that they do, not a lock."""
_LOCKS = ("sync.", "internal/")
"""Packages of locks that programs use; the runtime has others, such as that of the collector."""
_FOR_OTHERS = frozenset(
    {
        "accept", "accept4", "blockuntilwaitable", "epollwait", "pidfdwait", "poll", "ppoll", "pselect", "pselect6", "read",
        "readv", "recvfrom", "recvmsg", "recvmsginet4", "recvmsginet6", "select", "wait", "wait4", "wait6", "waitid",
    }
)  # fmt: skip
"""Functions of the standard library, in lower case, whose system calls wait for input or for another process."""
SIGNIFICANCE = 0.01
"""Two-sided, among all places of a comparison."""


@dataclass(frozen=True, order=True)
class BlockedPlace:
    """A goroutine group, what it is blocked on, and the function that blocks."""

    group: str
    reason: str
    function: str

    @property
    def subject(self) -> str:
        """Return its name in findings."""
        return f"{self.group}|{self.reason}|{self.function}"


@dataclass(frozen=True)
class BlockedRate:
    """The blocked time of a place per second (or request) on both sides, and who ended it in the side with more of it.

    `enders`: shares by (group, function); the group is "" for the kernel or the runtime. `is_beyond_variation`: the traces of both
    sides differ by more than traces of one side do, without a prior. Queues grow so much faster than the load that runs of one
    binary differ by any factor.
    """

    place: BlockedPlace
    rate: WaitingRate
    enders: Mapping[tuple[str, str], float]
    per_second: tuple[float, float]
    is_beyond_variation: bool


@dataclass
class _SideTime:
    blocks: F64
    of_traces: F64
    enders: dict[tuple[str, str], float]


def blocked_rates(
    matched: MatchedWaiters, thresholds: TraceThresholds, generators: SideGenerators
) -> tuple[BlockedRate, ...]:
    """Compare all places with enough blocked time on one side; none if a trace was decoded without blocked time."""
    if not has_blocked_time(matched.sides):
        return ()
    times = [_times_of(side) for side in matched.sides]
    requests = [request_rate(side) for side in matched.sides]
    per = requests if all(requests) else [1.0, 1.0]
    largest = {
        place: max(_per_second(side, each.get(place)) for side, each in zip(matched.sides, times, strict=True))
        for place in set().union(*times)
    }
    places = sorted(
        (one for one in largest if largest[one] >= thresholds.least_waiting), key=lambda one: (-largest[one], one)
    )
    places = places[: thresholds.most_tested]
    if not places:
        return ()
    weights = [block_weights(side, thresholds.draws, rng) for side, rng in zip(matched.sides, generators, strict=True)]
    pooled, offsets = [], []
    for place in places:
        here = [each.get(place) or _no_time(side) for side, each in zip(matched.sides, times, strict=True)]
        busy = np.concatenate([one.blocks[one.blocks > 0] for one in here])
        usual = float(busy.mean()) if len(busy) else 0.0
        offset = thresholds.least_share * max(
            _per_second(side, one) / unit for side, one, unit in zip(matched.sides, here, per, strict=True)
        )
        offsets.append(offset)
        sides = [
            pool_rate(
                side, one.of_traces, one.blocks, weight,
                per=unit, offset=offset, unseen=usual * rng.standard_exponential(len(weight)),
            )
            for side, one, weight, unit, rng in zip(matched.sides, here, weights, per, generators, strict=True)
        ]  # fmt: skip
        pooled.append((sides[0], sides[1]))
    spread = estimate_spread(pooled, as_float64([thresholds.spread_waiting]), thresholds)
    effects = [compare_pooled(base, candidate, spread, thresholds, generators) for base, candidate in pooled]
    q = q_values(as_float64([float(each.p_value[0]) for each in effects]), np.ones(len(effects)))
    out = []
    for place, effect, each_q, offset, traces in zip(places, effects, q.tolist(), offsets, pooled, strict=True):
        here = [each.get(place) or _no_time(side) for side, each in zip(matched.sides, times, strict=True)]
        seconds = tuple(_per_second(side, one) for side, one in zip(matched.sides, here, strict=True))
        base, candidate = (one / unit for one, unit in zip(seconds, per, strict=True))
        rate = make_rate((), base, candidate, effect, q=each_q, offset=offset, thresholds=thresholds)
        shares = _shares(here[1 if rate.is_worse else 0])
        separate = _differ([one.each[:, 0] for one in traces], float(np.log(thresholds.least_ratio)), len(places))
        out.append(BlockedRate(place, rate, shares, (seconds[0], seconds[1]), separate))
    return tuple(out)


def has_blocked_time(sides: Sequence[WaiterSide]) -> bool:
    """Return whether all traces were decoded with blocked time."""
    return all(table.has_blocked_time for side in sides for table in side.traces)


def blocked_places(
    side: WaiterSide, least_ns: float
) -> list[tuple[BlockedPlace, float, Mapping[tuple[str, str], float]]]:
    """Return each place of a side with at least so many ns per second: the place, ns per second, shares of who ended it.

    Largest first.
    """
    rows = [(place, _per_second(side, time), _shares(time)) for place, time in _times_of(side).items()]
    return sorted((one for one in rows if one[1] >= least_ns), key=lambda one: (-one[1], one[0]))


def _shares(time: _SideTime) -> Mapping[tuple[str, str], float]:
    total = sum(time.enders.values()) or 1.0
    return {key: ns / total for key, ns in time.enders.items()}


def _differ(sides: Sequence[F64], floor: float, tested: int) -> bool:
    """Return whether the means of two sides differ by more than a floor (Welch's test); False with one trace on a side."""
    if min(map(len, sides)) < 2:
        return False
    parts = [float(side.var(ddof=1)) / len(side) for side in sides]
    excess = abs(float(sides[1].mean() - sides[0].mean())) - floor
    if excess <= 0 or sum(parts) <= 0:
        return excess > 0
    freedom = sum(parts) ** 2 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, sides, strict=True))
    limit = float(t_quantile(1 - SIGNIFICANCE / tested, as_float64([freedom]))[0])
    return excess > limit * float(np.sqrt(sum(parts)))


def _per_second(side: WaiterSide, time: _SideTime | None) -> float:
    return 0.0 if time is None else float(time.of_traces.sum()) / side.seconds


def _no_time(side: WaiterSide) -> _SideTime:
    return _SideTime(np.zeros(len(side.block_trace)), np.zeros(len(side.artifacts)), {})


def _times_of(side: WaiterSide) -> dict[BlockedPlace, _SideTime]:
    """Return the blocked time of each place in the compared blocks of a side."""
    times: dict[BlockedPlace, _SideTime] = {}
    first = 0
    for number, (table, mask) in enumerate(zip(side.traces, side.coverage.blocks, strict=True)):
        places = [_place_of(side, table, row) for row in range(len(table.blocked.group))]
        cells = table.blocked_time
        compared = mask[cells.block]
        for row, place in enumerate(places):
            if place is None:
                continue
            chosen = compared & (cells.place == row)
            if not chosen.any():
                continue
            time = times.setdefault(place, _no_time(side))
            ns = cells.ns[chosen].astype(np.float64)
            np.add.at(time.blocks, first + cells.block[chosen].astype(np.int64) // side.joined, ns)
            time.of_traces[number] += ns.sum()
            ender = _ender_of(side, table, row)
            time.enders[ender] = time.enders.get(ender, 0.0) + float(ns.sum())
        first += side.blocks_in(table)
    return times


def _place_of(side: WaiterSide, table: TraceTable, row: int) -> BlockedPlace | None:
    blocked = table.blocked
    if bool(table.groups.system[int(blocked.group[row])]):
        return None
    stack = table.stack(int(blocked.stack[row]))
    reason = table.strings[int(blocked.reason[row])]
    if (reason == LOCK and not _is_lock(stack)) or (reason == SYSCALL and _is_for_others(stack)):
        return None
    group = side.named(table.group_names[int(blocked.group[row])])
    return BlockedPlace(group, reason, _caller(stack) or group)


def _ender_of(side: WaiterSide, table: TraceTable, row: int) -> tuple[str, str]:
    blocked = table.blocked
    waker = int(blocked.waker_group[row])
    if waker == NONE:
        return "", ""
    group = side.named(table.group_names[waker])
    return group, _caller(table.stack(int(blocked.waker_stack[row]))) or group


def _is_lock(stack: Sequence[str]) -> bool:
    library = list(takewhile(lambda frame: frame.startswith(_LIBRARY), stack))
    return any(frame.startswith(_LOCKS) for frame in library) and not any(frame in _JOINS for frame in library)


def _is_for_others(stack: Sequence[str]) -> bool:
    library = takewhile(lambda frame: frame.startswith(_LIBRARY), stack)
    return any(frame.rpartition(".")[2].lower() in _FOR_OTHERS for frame in library)


def _caller(stack: Sequence[str]) -> str:
    """Return the first function of a stack outside the packages that implement locks, channels and system calls."""
    return next((normalised(frame) for frame in stack if not frame.startswith(_LIBRARY)), "")
