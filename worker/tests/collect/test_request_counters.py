"""Which of all counters of a process count its load: by text, as programs write it."""

import pytest

from slowpath_cli.collect.metrics_text import parse_scrape
from slowpath_cli.collect.own_requests import OwnRequests, count_requests
from slowpath_cli.collect.request_counters import candidate_counters, find_request_counter, read_selector


@pytest.mark.parametrize(
    "label",
    [
        'handler="/metrics"', 'handler="GET /metrics"', 'path="/debug/pprof/profile"', 'route="/debug/vars"',
        'path="/healthz"', 'uri="/api/v1/health"', 'handler="metrics"', 'handler="pprof.Index"', 'url="http://h:1/readyz?x=1"',
        'path="/-/ready"', 'handler="/-/healthy"', 'path="/admin/users"', 'path="/internal/debug/x"',
        'grpc_service="grpc.health.v1.Health"', 'endpoint="/actuator/prometheus"', 'path="/livez/"',
    ],
)  # fmt: skip
def test_requests_of_monitoring_are_not_load(label: str) -> None:
    scrape = parse_scrape(
        f'http_requests_total{{code="200",{label}}} 40\nhttp_requests_total{{code="200",path="/x"}} 5\n'
    )
    counter = find_request_counter(scrape, None)
    assert counter is not None
    assert counter.total(scrape) == 5


@pytest.mark.parametrize(
    "label",
    [
        'path="/api/v1/import/metrics/x"', 'path="/orders/debugger"', 'handler="/readings"', 'path="/api/v1/administrators"',
        'method="GET"', 'path="/healthcare/plans"', 'grpc_service="shop.Orders"', 'handler="/live-scores"',
    ],
)  # fmt: skip
def test_similarly_named_handlers_count_as_load(label: str) -> None:
    scrape = parse_scrape(f"http_requests_total{{{label}}} 40\n")
    counter = find_request_counter(scrape, None)
    assert counter is not None
    assert counter.total(scrape) == 40


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("caddy_admin_http_requests_total 2\n", []),
        ('caddy_admin_http_requests_total{path="/metrics"} 2\npromhttp_metric_handler_requests_total 2\n', []),
        ("app_debug_requests_total 4\napp_pprof_requests_total 1\nhealthz_requests_total 8\n", []),
        ("http_requests_total 1000\ngrpc_server_handled_total 300\n", ["http_requests_total", "grpc_server_handled_total"]),
        ("http_requests_total 1000\nedge_requests_total 1004\n", ["http_requests_total"]),
        ("http_requests_total 4\nedge_requests_total 4\n", ["http_requests_total", "edge_requests_total"]),
        ("orders_requests_total 400\norders_request_duration_seconds_count 90\n", ["orders_requests_total"]),
        ("orders_requests_total 400\nidle_requests_total 0\n", ["orders_requests_total"]),
        ("# TYPE open_requests_total gauge\nopen_requests_total 7\n", []),
    ],
)  # fmt: skip
def test_candidates(text: str, candidates: list[str]) -> None:
    assert candidate_counters(parse_scrape(text)) == candidates


SEVERAL = """\
requests_total{code="200",kind="a"} 1
requests_total{kind="b",code="200"} 2
requests_total{code="500",kind="a"} 4
requests_total{code="200",handler="/metrics"} 8
other_requests_total{code="200"} 16
requests_total_created{code="200"} 32
"""


@pytest.mark.parametrize(
    ("selector", "total"),
    [
        ("requests_total", 7),
        ("requests_total{code=200}", 11),
        ('requests_total{code="200", kind="b"}', 2),
        ("requests_total{kind=a,code=500}", 4),
        ('requests_total{handler="/metrics"}', 8),
        ('requests_total\\{code="500"', 4),
        ("requests_total{code=404}", None),
        ("requests_total{ode=200}", None),
    ],
)
def test_a_counter_is_named_with_its_labels(selector: str, total: float | None) -> None:
    assert read_selector(selector).total(parse_scrape(SEVERAL)) == total


@pytest.mark.parametrize(
    ("grown", "own", "cpu_s", "requests", "expected"),
    [
        (2, OwnRequests(), 1.4, None, "no more than the requests of this program"),
        (2, OwnRequests(scrapes=True, profiles=True), 1.4, None, "only by the requests of this program"),
        (2, OwnRequests(scrapes=False, profiles=False), 0.1, 2, ""),
        (2_100, OwnRequests(scrapes=True, profiles=True), 1.4, 2_098, ""),
        (2_100, OwnRequests(), 1.4, 2_100, ""),
        (5, OwnRequests(scrapes=True, profiles=True), 1.4, None, "467 ms each"),
        (0, OwnRequests(), 1.4, None, ""),
    ],
)
def test_an_impossible_load_is_not_counted(
    grown: float, own: OwnRequests, cpu_s: float, requests: int | None, expected: str
) -> None:
    counted = count_requests(grown, own, 1, 1, cpu_s * 1e9, chosen=False)
    assert counted.requests == requests
    assert expected in counted.problem
    assert bool(expected) == bool(counted.problem)


def test_a_counter_named_by_the_user_is_used() -> None:
    assert count_requests(3, OwnRequests(scrapes=False, profiles=False), 1, 1, 1.4e9, chosen=True).requests == 3
