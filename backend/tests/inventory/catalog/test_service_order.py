"""The order in which requests flow."""

from hypothesis import given
from hypothesis import strategies as st

from slowpath.inventory.catalog.rules import CallEdge, sort_services_by_calls


def edge(caller: str, callee: str, calls: int = 1) -> CallEdge[str]:
    return CallEdge(caller, callee, calls, 1)


def test_callers_are_above_their_callees() -> None:
    nodes = ["distributor", "gateway", "ingester", "querier", "store"]
    edges = [edge("gateway", "distributor"), edge("distributor", "ingester", 3), edge("ingester", "store")]
    edges += [edge("gateway", "querier"), edge("querier", "store", 4)]

    assert sort_services_by_calls(nodes, edges) == ["gateway", "distributor", "ingester", "querier", "store"]


def test_without_edges_the_order_stays() -> None:
    assert sort_services_by_calls(["b", "a"], []) == ["b", "a"]


def test_a_circle_is_entered_somewhere() -> None:
    assert sorted(sort_services_by_calls(["a", "b", "c"], [edge("a", "b"), edge("b", "c"), edge("c", "a")])) == [
        "a",
        "b",
        "c",
    ]


NAMES = st.sampled_from("abcdef")


@given(st.lists(st.tuples(NAMES, NAMES), max_size=20))
def test_every_service_occurs_once_and_only_cycles_break_the_rule(ends: list[tuple[str, str]]) -> None:
    edges = [edge(*each) for each in ends]
    order = sort_services_by_calls(list("abcdef"), edges)

    assert sorted(order) == list("abcdef")
    forward = [each for each in ends if each[0] < each[1]]
    ordered = sort_services_by_calls(list("fedcba"), [edge(*each) for each in forward])
    assert all(ordered.index(caller) < ordered.index(callee) for caller, callee in forward)
