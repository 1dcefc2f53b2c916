"""Build the page's rows about waiters: latency, its shift by quantile, and P occupancy meanwhile."""

from collections.abc import Mapping, Sequence

import numpy as np

from slowpath.analysis.formats.column_sections import NONE
from slowpath.analysis.kinds.exec_traces.duration_buckets import exceeding, quantiles
from slowpath.analysis.kinds.exec_traces.p_occupancy import OccupancyShare, OccupancyTable
from slowpath.analysis.kinds.exec_traces.trace_page_document import (
    LatencyRatio,
    LatencyRatios,
    OccupancyPart,
    OccupancyRow,
    QuantileShift,
    SchedulerLatency,
    ShiftPoint,
    WaiterRow,
    WaiterState,
    Waker,
)
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.exec_traces.wait_causes import hidden_quantiles, verdict_of
from slowpath.analysis.kinds.exec_traces.wait_significance import AT, GRID, TestedWaiter
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide

SHOWN = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "p999_ns": 0.999, "p9999_ns": 0.9999}
EXCEEDED = {"100us": 1e5, "1ms": 1e6, "10ms": 1e7}
CHANGES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}
MOST_WAKERS = 8
MOST_SHIFTS = 32
MOST_WITH_OCCUPANCY = 64
MOST_PARTS = 12
_MOST_FRAMES = 24


def group_rows(matched: MatchedWaiters, tested: Mapping[int, TestedWaiter]) -> list[WaiterRow]:
    """Return one row per waiter, the longest waiting first."""
    shares = [matched.shares(side, matched.can_be_findings) for side in matched.sides]
    rows = []
    for number, waiter in enumerate(matched.waiters):
        sides = [_side_of_row(side, number) for side in matched.sides]
        row, side = _seen(matched, number)
        rows.append(
            WaiterRow(
                waiter=waiter.subject,
                group=waiter.group,
                reason=waiter.reason,
                system=waiter.system,
                base=sides[0],
                candidate=sides[1],
                share_of_wait_base=rounded(float(shares[0][number])),
                share_of_wait_candidate=rounded(float(shares[1][number])),
                change=_changes(tested.get(number)),
                state=_state(tested.get(number), sides),
                verdict_base=verdict_of(matched.base, number),
                verdict_candidate=verdict_of(matched.candidate, number),
                start=side.strings[int(side.groups.start[int(side.waiters.group[row])])],
                stack=side.stack(int(side.waiters.stack[row]))[:_MOST_FRAMES],
                wakers=_wakers(matched, number),
            )
        )
    return rows


def _seen(matched: MatchedWaiters, number: int) -> tuple[int, TraceTable]:
    """Return a row of a trace that has the waiter, and the trace; preferably of the candidate."""
    for side in reversed(matched.sides):
        for rows, table in zip(side.rows, side.traces, strict=True):
            found = np.flatnonzero(rows == number)
            if len(found):
                return int(found[np.argmax(table.waiters.total_ns[found])]), table
    raise KeyError(number)


def _side_of_row(side: WaiterSide, number: int) -> SchedulerLatency | None:
    waits = side.waits_of(number)
    censored = float(side.censored[number].sum())
    if waits + censored == 0:
        return None
    buckets, counts = side.histograms(number)
    whole = counts.sum(axis=0)
    values = quantiles(whole[None, :], buckets, np.array(list(SHOWN.values())))[0]
    hidden = hidden_quantiles(side, number, (0.5, 0.99))
    over = exceeding(whole, buckets, np.array(list(EXCEEDED.values()))) / side.seconds
    return SchedulerLatency(
        waits=round(waits),
        waits_per_second=rounded(waits / side.seconds),
        total_ns=round(float(side.total_ns[number].sum())),
        censored=round(censored),
        handoffs=round(float(side.handoffs[number].sum())),
        **{name: whole_ns(value) for name, value in zip(SHOWN, values.tolist(), strict=True)},
        max_ns=round(float(side.max_ns[number].max())),
        exceed_per_second={name: rounded(rate) for name, rate in zip(EXCEEDED, over.tolist(), strict=True)},
        hidden_p50_ns=None if hidden is None else whole_ns(hidden[0]),
        hidden_p99_ns=None if hidden is None else whole_ns(hidden[1]),
    )


def _changes(tested: TestedWaiter | None) -> LatencyRatios:
    return LatencyRatios(**{name: _change(tested, quantile) for name, quantile in CHANGES.items()})


def _change(tested: TestedWaiter | None, quantile: float) -> LatencyRatio | None:
    if tested is None or not tested.usable[AT[quantile]]:
        return None
    ratio, low, high = (rounded(each) for each in tested.ratio(quantile))
    return LatencyRatio(ratio, low, high, q_value=None if np.isnan(tested.q) else rounded(tested.q))


def _state(tested: TestedWaiter | None, sides: Sequence[SchedulerLatency | None]) -> WaiterState:
    if sides[0] is None or sides[1] is None:
        return "only-candidate" if sides[0] is None else "only-base"
    if tested is None or tested.quantile is None:
        return "noise"
    return "more" if tested.shift_ns(tested.quantile) > 0 else "less"


def _wakers(matched: MatchedWaiters, number: int) -> list[Waker]:
    """Return the groups that woke the waiter; `runtime` is the netpoller, a timer or the collector."""
    counts: dict[str, list[float]] = {}
    for place, side in enumerate(matched.sides):
        for rows, table in zip(side.rows, side.traces, strict=True):
            for row in np.flatnonzero(rows[table.wakers.waiter] == number).tolist():
                group = int(table.wakers.group[row])
                name = "runtime" if group == NONE else side.named(table.group_names[group])
                counts.setdefault(name, [0.0, 0.0])[place] += float(table.wakers.waits[row])
    leading = sorted(counts, key=lambda name: (-sum(counts[name]), name))[:MOST_WAKERS]
    return [Waker(name, round(counts[name][0]), round(counts[name][1])) for name in leading]


def shift_rows(matched: MatchedWaiters, tested: Mapping[int, TestedWaiter]) -> list[QuantileShift]:
    """Return the change of each quantile of a waiter's latency with its interval, where the data reach."""
    rows = []
    for number, each in list(tested.items())[:MOST_SHIFTS]:
        differences = np.exp(each.effects.candidate_draws) - np.exp(each.effects.base_draws)
        low, high = np.quantile(differences, [0.025, 0.975], axis=0)
        shift = each.candidate_ns - each.base_ns
        points = [
            ShiftPoint(
                q=q,
                base_ns=whole_ns(each.base_ns[at]),
                candidate_ns=whole_ns(each.candidate_ns[at]),
                low_ns=whole_ns(min(low[at], shift[at])),
                high_ns=whole_ns(max(high[at], shift[at])),
            )
            for at, q in enumerate(GRID.tolist())
            if each.usable[at]
        ]
        if points:
            rows.append(QuantileShift(matched.waiters[number].subject, points))
    return rows


def occupancy_rows(matched: MatchedWaiters, occupancy: OccupancyTable) -> list[OccupancyRow]:
    """Return the P occupancy while each waiter waited: the largest parts, and the sum of the others."""
    rows = []
    for number in range(min(len(matched.waiters), MOST_WITH_OCCUPANCY)):
        each = occupancy.of(number)
        if each.parts:
            rows.append(
                OccupancyRow(
                    waiter=matched.waiters[number].subject,
                    base_total_ns=round(each.base_total_ns),
                    candidate_total_ns=round(each.candidate_total_ns),
                    parts=[_part(part) for part in each.parts[:MOST_PARTS]] + _rest(each.parts[MOST_PARTS:]),
                )
            )
    return rows


def _part(part: OccupancyShare) -> OccupancyPart:
    return {
        "class": part.occupant.name,
        "kind": part.occupant.kind,
        "group": part.occupant.group,
        "base_share": rounded(part.base_share),
        "candidate_share": rounded(part.candidate_share),
        "base_ns_per_wait": rounded(part.base_ns_per_wait),
        "candidate_ns_per_wait": rounded(part.candidate_ns_per_wait),
        "low": rounded(part.low),
        "high": rounded(part.high),
        "new": part.new,
    }


def _rest(parts: tuple[OccupancyShare, ...]) -> list[OccupancyPart]:
    if not parts:
        return []
    return [
        {
            "class": "(other)",
            "kind": "other",
            "group": None,
            "base_share": rounded(sum(part.base_share for part in parts)),
            "candidate_share": rounded(sum(part.candidate_share for part in parts)),
            "base_ns_per_wait": rounded(sum(part.base_ns_per_wait for part in parts)),
            "candidate_ns_per_wait": rounded(sum(part.candidate_ns_per_wait for part in parts)),
            "low": rounded(sum(part.low for part in parts)),
            "high": rounded(sum(part.high for part in parts)),
            "new": False,
        }
    ]


def whole_ns(value: float) -> int | None:
    """Round a time to whole nanoseconds; None for NaN and infinity."""
    return round(float(value)) if np.isfinite(value) else None


def rounded(value: float) -> float:
    """Round to five significant digits, enough to draw; 0 for NaN and infinity."""
    return float(f"{value:.5g}") if np.isfinite(value) else 0.0
