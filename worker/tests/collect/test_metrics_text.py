"""Reading Prometheus text for facts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath_cli.collect.metrics_text import parse_scrape
from slowpath_cli.collect.request_counters import RequestCounter, find_request_counter

TEXT = """\
# HELP http_requests_total Requests.
# TYPE http_requests_total counter
http_requests_total{code="200",path="/a,b{c}\\"\\\\"} 12 1700000000000
http_requests_total{code="500"} 3
promhttp_metric_handler_requests_total{code="200"} 99
go_info{version="go1.26.8"} 1
broken{ 4
infinite +Inf
"""


def test_series_with_labels_and_times_are_read() -> None:
    scrape = parse_scrape(TEXT)
    assert scrape.value("http_requests_total") == 15
    assert scrape.named("http_requests_total")[0].labels() == {"code": "200", "path": '/a,b{c}"\\'}
    assert scrape.types == {"http_requests_total": "counter"}
    assert scrape.value("infinite") is None
    assert scrape.value("absent") is None


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["http_requests_total", "other_requests_total"], None),
        (["http_requests_total", "caddy_admin_http_requests_total"], "http_requests_total"),
        (["orders_requests_total", "orders_request_duration_seconds_count"], "orders_requests_total"),
        (["promhttp_metric_handler_requests_total", "ingester_write_requests_total"], "ingester_write_requests_total"),
        (["http_client_requests_total", "net_conntrack_dialer_requests_total"], None),
        (["a_requests_total", "b_requests_total"], None),
        (["http_requests_total_seen"], None),
        ([], None),
    ],
)
def test_the_request_counter_is_found_or_left_unset(names: list[str], expected: str | None) -> None:
    scrape = parse_scrape("".join(f"{name} 5\n" for name in names))
    counter = find_request_counter(scrape, None)
    assert (counter.total(scrape) if counter else None) == (5 if expected else None)


def test_a_requested_counter_is_selected_by_its_labels() -> None:
    scrape = parse_scrape(TEXT)
    counter = find_request_counter(scrape, RequestCounter(re.compile('code="500"')))
    assert counter is not None
    assert counter.total(scrape) == 3


@given(st.text(max_size=400))
def test_no_text_breaks_it(text: str) -> None:
    for series in parse_scrape(text).series:
        assert series.value == series.value
        series.labels()
