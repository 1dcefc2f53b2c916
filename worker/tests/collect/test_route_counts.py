"""The mix of requests between two scrapes: by text, as programs write it."""

import json
from collections.abc import Mapping

import pytest

from slowpath.analysis.findings.route_requests import MOST_ROUTES
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.metrics_text import parse_scrape
from slowpath_cli.collect.request_counters import counter_named, read_selector
from slowpath_cli.collect.route_counts import count_routes

NAME = "http_requests_total"
Counted = list[tuple[str, str, str, int]]


def counted(before: Mapping[str, float], after: Mapping[str, float], selector: str = "") -> Counted | None:
    """Return the requests between two responses, each given as labels and value."""
    counter = read_selector(selector) if selector else counter_named(NAME, "")
    scrapes = [
        parse_scrape("".join(f"{NAME}{{{labels}}} {value}\n" for labels, value in side.items()))
        for side in (before, after)
    ]
    routes = count_routes(counter, *scrapes)
    return None if routes is None else [(*each.key, each.requests) for each in routes]


def test_requests_are_counted_by_route_method_and_status_class() -> None:
    page, login = 'route="/page",method="GET",code="20', 'route="/login",method="POST",code="403"'
    before = {f'{page}0"': 100, f'{page}4"': 5}
    after = {f'{page}0"': 140, f'{page}4"': 7, login: 3}
    assert counted(before, after) == [("/page", "GET", "2xx", 42), ("/login", "POST", "4xx", 3)]


@pytest.mark.parametrize(
    ("labels", "key"),
    [
        ('http_route="/a",http_request_method="GET",http_response_status_code="500"', ("/a", "GET", "5xx")),
        ('grpc_service="shop.Orders",grpc_method="List",grpc_code="OK"', ("shop.Orders/List", "", "OK")),
        ('path="/a?token=secret#x"', ("/a", "", "")),
        ('method="GET"', ("", "GET", "")),
    ],
)
def test_common_labels_are_known(labels: str, key: tuple[str, str, str]) -> None:
    assert counted({}, {labels: 7}) == [(*key, 7)]


@pytest.mark.parametrize("selector", ["", NAME])
def test_requests_of_monitoring_are_excluded(selector: str) -> None:
    after = {'path="/metrics"': 50, 'path="/debug/pprof/profile"': 9, 'path="/a"': 7}
    assert counted({}, after, selector) == [("/a", "", "", 7)]


def test_the_mix_is_unknown_without_labels_requests_or_after_a_restart() -> None:
    assert counted({}, {'pod="a"': 7}) is None
    assert counted({'path="/a"': 7}, {'path="/a"': 7}) is None
    assert counted({'path="/a"': 7, 'path="/b"': 1}, {'path="/a"': 5, 'path="/b"': 9}) is None
    assert counted({'path="/a"': 7}, {'path="/b"': 9}) is None


def test_many_routes_are_summed_beyond_the_most_frequent() -> None:
    routes = counted({}, {f'path="/{number}"': number + 1 for number in range(200)})
    assert routes is not None
    assert len(routes) == MOST_ROUTES + 1
    assert routes[0] == ("/199", "", "", 200)
    assert routes[-1] == ("", "", "", sum(range(1, 151)))
    assert sum(each[3] for each in routes) == sum(range(1, 201))


@pytest.mark.parametrize("letter", ["x", "\N{SNOWMAN}", "\N{GRINNING FACE}", "\x1b"])
def test_hostile_labels_are_limited_in_length(letter: str) -> None:
    names = [f"/{number}{letter * 3_000}" for number in range(100)]
    after = parse_scrape("".join(f'{NAME}{{path="{name}",method="{letter * 900}"}} 2\n' for name in names))
    routes = count_routes(counter_named(NAME, ""), parse_scrape(""), after)
    assert routes is not None
    facts = RunMetadata(requests_by_route=routes)
    assert len(json.dumps(facts.to_json())) <= 10_000
    assert "\x1b" not in routes[0].route
    assert RunMetadata.from_json(facts.to_json()) == facts
