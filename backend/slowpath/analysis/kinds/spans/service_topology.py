"""Build service edges, and order services from the first called to the last."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from slowpath.analysis.kinds.spans.service_calls import ServiceCalls, calls_of
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_columns import ERROR
from slowpath.analysis.kinds.spans.span_forest import Mask, SpanForest


@dataclass(frozen=True)
class ServiceEdge:
    """Calls from one service to another.

    `requests`: requests into the caller, whether they made calls or not.
    """

    caller: str
    callee: str
    calls: int
    requests: int
    errors: int
    p99_ns: int

    @property
    def ratio(self) -> float:
        """Return calls out per request in."""
        return self.calls / max(self.requests, 1)


def edges_of(artifacts: Sequence[SpanArtifact]) -> tuple[ServiceEdge, ...]:
    """Return the edges between recorded services of some span sets, those with most calls first."""
    forest = SpanForest.of(artifacts)
    return service_edges(forest, calls_of(forest), np.ones(len(forest), dtype=bool))


def service_edges(forest: SpanForest, calls: ServiceCalls, mask: Mask) -> tuple[ServiceEdge, ...]:
    """Return the edges among the rows of `mask`, from calls with a recorded callee.

    A set cut from a stream of spans contains requests whose callee spans are outside it. These requests are omitted
    completely, otherwise they would count as requests with fewer calls.
    """
    complete = mask & ~_entries_with_missing_callees(forest, calls)[forest.entry]
    if not (calls.answered & complete[calls.caller]).any():
        complete = mask
    chosen = calls.answered & mask[calls.span] & complete[calls.caller]
    span, caller = calls.span[chosen], calls.caller[chosen]
    client = calls.client[chosen]
    width = max(len(forest.names.names), 1)
    key = forest.service[caller] * width + forest.service[span]
    entered = np.flatnonzero((forest.entry == np.arange(len(forest))) & complete)
    requests = np.bincount(forest.service[entered], minlength=width)
    edges = []
    sorted_by_pair = np.argsort(key, kind="stable")
    pairs, begin = np.unique(key[sorted_by_pair], return_index=True)
    for pair, call_rows in zip(pairs.tolist(), np.split(sorted_by_pair, begin[1:]), strict=bool(len(pairs))):
        spans = np.where(client[call_rows] >= 0, client[call_rows], span[call_rows])
        durations_ns = np.sort(forest.duration_ns[spans])
        edges.append(
            ServiceEdge(
                caller=forest.names.names[pair // width],
                callee=forest.names.names[pair % width],
                calls=len(call_rows),
                requests=int(requests[pair // width]),
                errors=int((forest.status[spans] == ERROR).sum()),
                p99_ns=int(durations_ns[min(int(0.99 * len(durations_ns)), len(durations_ns) - 1)]),
            )
        )
    return tuple(sorted(edges, key=lambda edge: (-edge.calls, edge.caller, edge.callee)))


def _entries_with_missing_callees(forest: SpanForest, calls: ServiceCalls) -> Mask:
    """Return the entries with a call without a callee span, of an operation that has one elsewhere."""
    is_answered = calls.answered & (calls.client >= 0)
    elsewhere = np.isin(forest.pair[calls.span], forest.pair[calls.client[is_answered]])
    incomplete = np.zeros(len(forest), dtype=bool)
    incomplete[calls.caller[~calls.answered & elsewhere]] = True
    return incomplete


def order_of(edges: Sequence[ServiceEdge], services: Sequence[str]) -> list[str]:
    """Order services as requests flow: callers before callees.

    Kahn's algorithm, by name among equals; in a cycle the service with the fewest incoming calls goes first.
    """
    edges_between = [edge for edge in edges if edge.caller != edge.callee]
    incoming = dict.fromkeys((*services, *(name for edge in edges_between for name in (edge.caller, edge.callee))), 0)
    out: dict[str, list[ServiceEdge]] = {}
    for edge in edges_between:
        incoming[edge.callee] += edge.calls
        out.setdefault(edge.caller, []).append(edge)
    waiting = [(calls, service) for service, calls in incoming.items()]
    heapify(waiting)
    ordered: dict[str, None] = {}
    while waiting:
        calls, service = heappop(waiting)
        if service in ordered or calls != incoming[service]:
            continue  # ordered already, or its number of incoming calls has decreased since
        ordered[service] = None
        for edge in out.get(service, ()):
            if edge.callee not in ordered:
                incoming[edge.callee] -= edge.calls
                heappush(waiting, (incoming[edge.callee], edge.callee))
    return list(ordered)
