"""Who calls whom, and the order in which requests flow from the services that are called first to the last."""

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
    """Calls from one service to another. `requests` are those that came into the caller, whether they called or not."""

    caller: str
    callee: str
    calls: int
    requests: int
    errors: int
    p99_ns: int

    @property
    def ratio(self) -> float:
        """Calls out per request in."""
        return self.calls / max(self.requests, 1)


def edges_of(artifacts: Sequence[SpanArtifact]) -> tuple[ServiceEdge, ...]:
    """The edges between recorded services of some span sets; those with most calls first."""
    forest = SpanForest.of(artifacts)
    return service_edges(forest, calls_of(forest), np.ones(len(forest), dtype=bool))


def service_edges(forest: SpanForest, calls: ServiceCalls, mask: Mask) -> tuple[ServiceEdge, ...]:
    """The edges among the rows of `mask`, from calls whose answering side was recorded.

    A set that was cut out of a stream of spans holds requests of which some answering sides came before or after it.
    They are left out as a whole, else they would count as requests that call less.
    """
    whole = mask & ~_cut_off(forest, calls)[forest.entry]
    if not (calls.answered & whole[calls.caller]).any():
        whole = mask
    chosen = calls.answered & mask[calls.span] & whole[calls.caller]
    span, caller = calls.span[chosen], calls.caller[chosen]
    client = calls.client[chosen]
    width = max(len(forest.names.names), 1)
    key = forest.service[caller] * width + forest.service[span]
    entered = np.flatnonzero((forest.entry == np.arange(len(forest))) & whole)
    requests = np.bincount(forest.service[entered], minlength=width)
    found = []
    sorted_by_pair = np.argsort(key, kind="stable")
    pairs, begin = np.unique(key[sorted_by_pair], return_index=True)
    for pair, mine in zip(pairs.tolist(), np.split(sorted_by_pair, begin[1:]), strict=bool(len(pairs))):
        spans = np.where(client[mine] >= 0, client[mine], span[mine])
        lasted = np.sort(forest.duration_ns[spans])
        found.append(
            ServiceEdge(
                caller=forest.names.names[pair // width],
                callee=forest.names.names[pair % width],
                calls=len(mine),
                requests=int(requests[pair // width]),
                errors=int((forest.status[spans] == ERROR).sum()),
                p99_ns=int(lasted[min(int(0.99 * len(lasted)), len(lasted) - 1)]),
            )
        )
    return tuple(sorted(found, key=lambda edge: (-edge.calls, edge.caller, edge.callee)))


def _cut_off(forest: SpanForest, calls: ServiceCalls) -> Mask:
    """The entries that made a call without an answering side, of an operation that elsewhere has one."""
    asked = calls.answered & (calls.client >= 0)
    elsewhere = np.isin(forest.pair[calls.span], forest.pair[calls.client[asked]])
    cut = np.zeros(len(forest), dtype=bool)
    cut[calls.caller[~calls.answered & elsewhere]] = True
    return cut


def order_of(edges: Sequence[ServiceEdge], services: Sequence[str]) -> list[str]:
    """Services in the order in which requests flow: callers before callees.

    Kahn's order, by name among equals; in a circle the service with the fewest calls into it goes first.
    """
    between = [edge for edge in edges if edge.caller != edge.callee]
    incoming = dict.fromkeys((*services, *(name for edge in between for name in (edge.caller, edge.callee))), 0)
    out: dict[str, list[ServiceEdge]] = {}
    for edge in between:
        incoming[edge.callee] += edge.calls
        out.setdefault(edge.caller, []).append(edge)
    waiting = [(calls, service) for service, calls in incoming.items()]
    heapify(waiting)
    found: dict[str, None] = {}
    while waiting:
        calls, service = heappop(waiting)
        if service in found or calls != incoming[service]:
            continue  # told already, or since then fewer calls come into it
        found[service] = None
        for edge in out.get(service, ()):
            if edge.callee not in found:
                incoming[edge.callee] -= edge.calls
                heappush(waiting, (incoming[edge.callee], edge.callee))
    return list(found)
