"""Build the page's rows about calls: service edges, calls per request, repeated calls."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from slowpath.analysis.kinds.spans.call_amplification import CallAmplification, CallsPerRequest
from slowpath.analysis.kinds.spans.repeated_calls import (
    EXPLAINS,
    FanOut,
    RepeatedCalls,
    fan_outs,
    n_plus_one,
    retries,
    siblings_of,
)
from slowpath.analysis.kinds.spans.service_topology import ServiceEdge, order_of, service_edges
from slowpath.analysis.kinds.spans.span_findings import finite
from slowpath.analysis.kinds.spans.span_forest import Mask, SpanForest
from slowpath.analysis.kinds.spans.span_inputs import SpanComparisonInputs
from slowpath.analysis.kinds.spans.spans_page_document import (
    AmplificationRow,
    CallCounts,
    EdgeCalls,
    EdgeRow,
    FanOutRow,
    RepeatedCallsRow,
    SpanRowState,
    SpanSideName,
)
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort

SIDES: Final[tuple[SpanSideName, ...]] = ("base", "candidate")
MOST_EDGES = 500


def edge_rows(ground: SpanComparisonInputs) -> list[EdgeRow]:
    """Return calls between recorded services on both sides, most calls first."""
    sides = [
        {(edge.caller, edge.callee): edge for edge in service_edges(ground.forest, ground.calls, mask_of(side))}
        for side in ground.shown
    ]
    keys = sorted(
        {key for side in sides for key in side}, key=lambda key: (-sum(s[key].calls for s in sides if key in s), key)
    )
    rows = []
    for key in keys[:MOST_EDGES]:
        calls = [_edge_side(side.get(key)) for side in sides]
        base, candidate = calls[0], calls[1] if len(calls) > 1 else None
        rows.append(
            EdgeRow(
                caller=key[0],
                callee=key[1],
                base=base,
                candidate=candidate,
                state="noise" if ground.alone else _edge_state(ground, key, base, candidate),
            )
        )
    return rows


def mask_of(side: TraceCohort) -> Mask:
    """Return which rows of the forest are of this side."""
    return side.holds(side.forest.trace)


def _edge_side(edge: ServiceEdge | None) -> EdgeCalls | None:
    if edge is None:
        return None
    return EdgeCalls(calls=edge.calls, requests=edge.requests, ratio=edge.ratio, p99_ns=edge.p99_ns, errors=edge.errors)


def _edge_state(
    ground: SpanComparisonInputs, key: tuple[str, str], base: EdgeCalls | None, candidate: EdgeCalls | None
) -> SpanRowState:
    if base is None or candidate is None:
        return "only-candidate" if base is None else "only-base"
    names = ground.forest.pair_names
    for each in ground.amplified:
        if each.changed and (names[each.pair][0], each.callee) == key:
            return "more" if each.difference > 0 else "less"
    return "noise"


def order(ground: SpanComparisonInputs) -> list[str]:
    """Return all services in topological order of their calls."""
    everything = np.ones(len(ground.forest), dtype=bool)
    edges = service_edges(ground.forest, ground.calls, everything)
    services = [ground.forest.names.names[service] for service in np.unique(ground.forest.service).tolist()]
    return order_of(edges, services)


def amplification_rows(ground: SpanComparisonInputs) -> list[AmplificationRow]:
    """Return calls per request by operation and callee; those that changed first."""
    ordered = sorted(ground.amplified, key=lambda each: not each.changed)
    return [_amplification_row(ground, each) for each in ordered]


def _amplification_row(ground: SpanComparisonInputs, each: CallAmplification) -> AmplificationRow:
    service, op = ground.forest.pair_names[each.pair]
    base, candidate = (_count_calls(side) for side in each.sides)
    state: SpanRowState = "noise"
    if each.changed:
        state = "more" if each.difference > 0 else "less"
        if base and candidate and not (base.mean and candidate.mean):
            state = "only-candidate" if not base.mean else "only-base"
    return AmplificationRow(
        edge=f"{service}->{each.callee}",
        caller=service,
        op=op,
        callee=each.callee,
        base=base,
        candidate=candidate,
        ratio=each.ratio,
        low=finite(each.low),
        high=finite(each.high),
        of="ratio" if each.ratio is not None else "difference",
        q_value=finite(each.q),
        state=state,
    )


def _count_calls(side: CallsPerRequest | None) -> CallCounts | None:
    if side is None:
        return None
    return CallCounts(
        n=side.entries,
        calls=side.calls,
        mean=side.mean,
        p99=side.p99,
        max=side.most,
        errors=side.errors,
        call_ns=side.call_ns,
        p99_ns=side.p99_ns,
    )


@dataclass(frozen=True)
class RepeatedRows:
    """Fan-outs, retries and calls in a loop, of both sides."""

    fan_out: list[FanOutRow]
    retries: list[RepeatedCallsRow]
    n_plus_one: list[RepeatedCallsRow]


def repeated_rows(ground: SpanComparisonInputs) -> RepeatedRows:
    """Return fan-outs, retries and calls in a loop, of each side."""
    rows = RepeatedRows([], [], [])
    forest = ground.forest
    for name, side in zip(SIDES, ground.shown, strict=False):
        siblings = siblings_of(forest, mask_of(side))
        rows.fan_out.extend(_fan_row(forest, name, each) for each in fan_outs(forest, siblings))
        rows.retries.extend(_repeated_row(forest, name, each) for each in retries(forest, siblings))
        rows.n_plus_one.extend(_repeated_row(forest, name, each) for each in n_plus_one(forest, siblings))
    return rows


def _fan_row(forest: SpanForest, side: SpanSideName, each: FanOut) -> FanOutRow:
    (service, op), (_, child) = forest.pair_names[each.parent], forest.pair_names[each.child]
    return FanOutRow(
        side=side,
        caller=f"{service} {op}",
        callee=child,
        n=each.n,
        spans=each.spans,
        callee_p99_ns=each.callee_p99_ns,
        expected_p99_ns=each.expected_p99_ns,
        observed_p99_ns=each.observed_p99_ns,
        share=each.share,
        explains=each.share >= EXPLAINS,
    )


def _repeated_row(forest: SpanForest, side: SpanSideName, each: RepeatedCalls) -> RepeatedCallsRow:
    (service, op), (callee, child) = forest.pair_names[each.parent], forest.pair_names[each.child]
    return RepeatedCallsRow(
        side=side,
        caller=f"{service} {op}",
        callee=f"{callee} {child}",
        spans=each.spans,
        traces=each.traces,
        mean=each.mean,
        max=each.most,
        total_ns=each.total_ns,
    )
