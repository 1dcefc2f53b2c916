"""Compute the service order from service edges."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True)
class CallEdge(Generic[Node]):
    """A service edge: number of calls, and in how many of the caller's requests."""

    caller: Node
    callee: Node
    calls: int
    requests: int

    @property
    def ratio(self) -> float | None:
        """Outgoing calls per incoming call; None without incoming calls."""
        return self.calls / self.requests if self.requests else None


def sort_services_by_calls(nodes: Sequence[Node], edges: Iterable[CallEdge[Node]]) -> list[Node]:
    """Return the nodes, callers before callees; equal nodes retain their order.

    Depth first from the entries, so that a callee follows directly after the last of its callers. A cycle is entered at its
    node with the fewest callers: any order is arbitrary, and this one is stable.
    """
    place = {node: position for position, node in enumerate(nodes)}
    callers: dict[Node, set[Node]] = {node: set() for node in nodes}
    callees: dict[Node, list[Node]] = {node: [] for node in nodes}
    for edge in sorted(_known(edges, place), key=lambda each: (-each.calls, place[each.callee])):
        callers[edge.callee].add(edge.caller)
        callees[edge.caller].append(edge.callee)
    ordered: list[Node] = []
    left = dict.fromkeys(nodes)
    ready = [node for node in nodes if not callers[node]]
    while left:
        if not ready:
            ready = [min(left, key=lambda node: (len(callers[node]), place[node]))]
        node = ready.pop(0)
        if node not in left:
            continue
        del left[node]
        ordered.append(node)
        freed = []
        for callee in callees[node]:
            callers[callee].discard(node)
            if not callers[callee] and callee in left:
                freed.append(callee)
        ready = freed + ready
    return ordered


def _known(edges: Iterable[CallEdge[Node]], place: dict[Node, int]) -> Iterable[CallEdge[Node]]:
    seen: set[tuple[Node, Node]] = set()
    for edge in edges:
        ends = (edge.caller, edge.callee)
        if edge.caller != edge.callee and ends not in seen and edge.caller in place and edge.callee in place:
            seen.add(ends)
            yield edge
