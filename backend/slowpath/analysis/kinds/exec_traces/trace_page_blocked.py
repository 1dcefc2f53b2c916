"""Build the rows of blocked time on the page about execution traces."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from slowpath.analysis.kinds.exec_traces.blocked_findings import is_certain, is_significant
from slowpath.analysis.kinds.exec_traces.blocked_time import BlockedPlace, BlockedRate, blocked_places, has_blocked_time
from slowpath.analysis.kinds.exec_traces.trace_inputs import TraceComparisonInputs
from slowpath.analysis.kinds.exec_traces.trace_page_document import (
    BlockedEnder,
    BlockedReason,
    BlockedRow,
    BlockedTime,
    LatencyRatio,
    WaiterState,
)
from slowpath.analysis.kinds.exec_traces.waiters import WaiterSide

MOST_ROWS = 64
MOST_ENDERS = 5
LEAST_NS = 1_000_000.0
"""Of one trace, places with less than this per second are left out: a thousandth of one goroutine's time."""


def blocked_time_of(ground: TraceComparisonInputs) -> BlockedTime | None:
    """Return the compared places of two sides; None if a trace was decoded without blocked time."""
    if not has_blocked_time(ground.matched.sides):
        return None
    rows = [_compared_row(ground, one) for one in ground.blocked[:MOST_ROWS]]
    return BlockedTime(ground.waiting.unit.endswith("/request"), rows)


def blocked_time_of_one(side: WaiterSide) -> BlockedTime | None:
    """Return the places of one trace, per second; None if it was decoded without blocked time."""
    if not has_blocked_time([side]):
        return None
    found = blocked_places(side, LEAST_NS)[:MOST_ROWS]
    return BlockedTime(
        is_per_request=False,
        rows=[_row(place, ns, enders) for place, ns, enders in found],
    )


def _compared_row(ground: TraceComparisonInputs, one: BlockedRate) -> BlockedRow:
    rate, change = one.rate, one.rate.change
    ratio = None
    if change.ci_of == "ratio" and change.ratio is not None:
        ratio = LatencyRatio(change.ratio, change.ci_low, change.ci_high, rate.q)
    is_reported = is_significant(ground, one)
    return replace(
        _row(one.place, rate.base, one.enders),
        candidate_ns=rate.candidate,
        change=ratio,
        state=_state_of(rate.base, rate.candidate) if is_reported else "noise",
        is_tentative=is_reported and not is_certain(ground, one),
    )


def _state_of(base: float, candidate: float) -> WaiterState:
    if base == 0:
        return "only-candidate"
    if candidate == 0:
        return "only-base"
    return "more" if candidate > base else "less"


def _row(place: BlockedPlace, base_ns: float, enders: Mapping[tuple[str, str], float]) -> BlockedRow:
    ordered = sorted(enders.items(), key=lambda one: (-one[1], one[0]))[:MOST_ENDERS]
    return BlockedRow(
        subject=place.subject,
        group=place.group,
        reason=cast("BlockedReason", place.reason),
        function=place.function,
        base_ns=base_ns,
        candidate_ns=None,
        change=None,
        state="noise",
        enders=[BlockedEnder(group, function, share) for (group, function), share in ordered],
    )
