"""Calls, their callers, and repeated calls."""

import numpy as np

from slowpath.analysis.kinds.spans.operation_names import operation, replicated
from slowpath.analysis.kinds.spans.repeated_calls import fan_outs, n_plus_one, retries, siblings_of
from slowpath.analysis.kinds.spans.service_calls import calls_of
from slowpath.analysis.kinds.spans.service_topology import ServiceEdge, edges_of, order_of
from slowpath.analysis.kinds.spans.span_columns import CLIENT, ERROR, SERVER
from slowpath.analysis.kinds.spans.span_forest import Mask, SpanForest
from tests.analysis.kinds.spans.generated_spans import Drawn, artifact_of


def everything(forest: SpanForest) -> Mask:
    return np.ones(len(forest), dtype=bool)


def test_calls_are_charged_to_the_span_through_which_work_entered() -> None:
    server = Drawn("get", 12, 18, (), "cache", SERVER)
    client = Drawn("get", 11, 19, (server,), "api", CLIENT)
    silent = Drawn("select", 20, 25, (), "api", CLIENT, attributes={"db.system": "postgresql", "peer.service": "users"})
    unnamed = Drawn("publish", 26, 27, (), "api", CLIENT)
    root = Drawn("read", 0, 30, (Drawn("inner", 10, 29, (client, silent, unnamed)),), "api", SERVER)
    forest = SpanForest.of([artifact_of([root])])
    calls = calls_of(forest)
    assert [
        (calls.callees[callee], int(caller)) for callee, caller in zip(calls.callee, calls.caller, strict=True)
    ] == [
        ("cache", 0),
        ("users", 0),
        ("publish", 0),
    ]
    assert [forest.names.names[int(forest.op[row])] for row in calls.client] == ["get", "select", "publish"]
    assert edges_of([artifact_of([root])]) == (ServiceEdge("api", "cache", 1, 1, 0, 8),)


def test_replicas_are_one_callee() -> None:
    pushes = tuple(
        Drawn("push", 1, 5, (Drawn("push", 2, 4, (), f"ingester-{n}", SERVER),), "api", CLIENT) for n in range(3)
    )
    forest = SpanForest.of([artifact_of([Drawn("write", 0, 9, pushes, "api", SERVER)])])
    assert calls_of(forest).callees == ["ingester"]
    alone = SpanForest.of([artifact_of([Drawn("write", 0, 9, pushes[:1], "api", SERVER)])])
    assert calls_of(alone).callees == ["ingester-0"]


def test_requests_that_were_cut_off_do_not_count_as_requests_that_call_less() -> None:
    answer = Drawn("push", 2, 4, (), "ingester", SERVER)
    database = Drawn("select", 6, 7, (), "api", CLIENT)

    def request(answers: int) -> Drawn:
        pushes = [Drawn("push", 1, 5, (answer,) if n < answers else (), "api", CLIENT) for n in range(3)]
        return Drawn("write", 0, 9, (*pushes, database), "api", SERVER)

    [edge] = edges_of([artifact_of([request(3), request(3), request(1), request(0)])])
    assert (edge.calls, edge.requests) == (6, 2)
    [edge] = edges_of([artifact_of([request(1), request(0)])])
    assert (edge.calls, edge.requests) == (1, 2)  # no whole request is there: better that than nothing


def test_the_order_of_services_is_that_of_requests_even_in_circles() -> None:
    def edge(caller: str, callee: str, calls: int = 1) -> ServiceEdge:
        return ServiceEdge(caller, callee, calls, 1, 0, 1)

    assert order_of([edge("b", "a"), edge("c", "b"), edge("c", "c")], ["d"]) == ["c", "b", "a", "d"]
    assert order_of([edge("a", "b", 9), edge("b", "a", 1), edge("b", "c")], []) == ["a", "b", "c"]
    assert order_of([], []) == []


def test_retries_follow_an_error() -> None:
    tries = (
        Drawn("get", 1, 5, (), "api", CLIENT, status=ERROR),
        Drawn("get", 6, 9, (), "api", CLIENT, status=ERROR),
        Drawn("get", 10, 12, (), "api", CLIENT),
        Drawn("put", 13, 14, (), "api", CLIENT),
    )
    forest = SpanForest.of([artifact_of([Drawn("read", 0, 20, tries, "api", SERVER)])])
    [found] = retries(forest, siblings_of(forest, everything(forest)))
    assert (forest.pair_names[found.child], found.spans, found.most, found.total_ns) == (("api", "get"), 1, 2, 5)
    together = SpanForest.of(
        [artifact_of([Drawn("read", 0, 20, (tries[0], Drawn("get", 4, 9, (), "api", CLIENT)), "api")])]
    )
    assert retries(together, siblings_of(together, everything(together))) == []


def test_many_of_the_same_in_a_row_are_a_loop() -> None:
    row = tuple(Drawn("select", 10 * n, 10 * n + 9, (), "api", CLIENT) for n in range(6))
    forest = SpanForest.of(
        [artifact_of([Drawn("list", 0, 100, row, "api", SERVER)], [Drawn("list", 0, 100, row[:4], "api", SERVER)])]
    )
    [found] = n_plus_one(forest, siblings_of(forest, everything(forest)))
    assert (found.spans, found.traces, found.mean, found.most, found.total_ns) == (1, 1, 6.0, 6, 54)


def test_the_slowest_of_many_explains_the_callers_tail() -> None:
    rng = np.random.default_rng(1)
    traces = []
    for n in range(300):
        start = 1_000_000 * n
        lasts = rng.lognormal(np.log(8_000), 0.6, size=20).astype(int).tolist()
        calls = tuple(Drawn("get", start, start + each, (), f"shard-{k}", SERVER) for k, each in enumerate(lasts))
        traces.append([Drawn("read", start, start + max(lasts), calls, "api", SERVER)])
    forest = SpanForest.of([artifact_of(*traces)])
    [found] = fan_outs(forest, siblings_of(forest, everything(forest)))
    assert (found.n, found.spans) == (20, 300)
    assert found.callee_p99_ns < 0.7 * found.observed_p99_ns
    assert 0.8 < found.expected_p99_ns / found.observed_p99_ns < 1.25


def test_operations_lose_addresses_and_ids() -> None:
    for name, expected in {
        "Ingester.Push 127.0.0.1:7410": "Ingester.Push",
        "dial tcp://10.0.0.1:80/x": "dial tcp://*/x",
        "GET /users/1234/orders/77": "GET /users/*/orders/*",
        "get 0f8fad5b-d9cb-469f-a165-70867728950e": "get *",
        "GET /v2/users": "GET /v2/users",
        "push ingester.prod:9095": "push",
        "POST /api/v1/push": "POST /api/v1/push",
        "10.0.0.1": "*",
    }.items():
        assert operation(name) == expected
    assert [replicated(name) for name in ("ingester-12", "api", "http-2-proxy", "eu-west-1-2")] == [
        "ingester",
        "api",
        "http-2-proxy",
        "eu-west-1-2",
    ]
