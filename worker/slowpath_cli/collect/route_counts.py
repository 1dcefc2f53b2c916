"""Count the requests between two scrapes by route, method and status class, from the labels of the request counter."""

import json
import re
from collections import defaultdict
from dataclasses import asdict

from slowpath.analysis.findings.route_requests import LARGEST_COUNT, LONGEST_WORD, MOST_ROUTES, RouteRequests
from slowpath_cli.collect.metrics_text import Scrape
from slowpath_cli.collect.pprof_client import printable
from slowpath_cli.collect.request_counters import RequestCounter, is_watching, request_series

_ROUTE_LABELS = ("http_route", "route", "handler", "path", "url_path", "endpoint", "uri", "url", "operation")
_RPC_LABELS = (("rpc_service", "rpc_method"), ("grpc_service", "grpc_method"))
_METHOD_LABELS = ("http_request_method", "http_method", "method", "verb")
_STATUS_LABELS = (
    "http_response_status_code",
    "http_status_code",
    "status_code",
    "code",
    "status",
    "grpc_code",
    "rpc_grpc_status_code",
)
_STATUS = re.compile(r"^[1-5](\d\d|xx)$", re.IGNORECASE)
_QUERY = re.compile(r"[?#].*$", re.DOTALL)
ROUTE_LETTERS = 120
"""Length of a route; a raw path in a label can be of any length."""
MOST_LETTERS = 8_000
"""Length of all entries as JSON, so that run metadata fits into the URL of an upload."""

_Key = tuple[str, str, str]
_OTHERS: _Key = ("", "", "")


def count_routes(counter: RequestCounter, before: Scrape, after: Scrape) -> tuple[RouteRequests, ...] | None:
    """Return the requests by route, the most frequent first, the rest summed as one entry without labels.

    Requests for monitoring are excluded. None without labels, without requests, or if a count decreased (a restart).
    """
    was, now = _counts(counter, before), _counts(counter, after)
    increases = {key: now.get(key, 0.0) - was.get(key, 0.0) for key in was.keys() | now.keys()}
    if any(increase < 0 for increase in increases.values()):
        return None
    known = {key: round(increase) for key, increase in increases.items() if 1 <= increase <= LARGEST_COUNT}
    if not known.keys() - {_OTHERS}:
        return None
    others = known.pop(_OTHERS, 0)
    ranked = [RouteRequests(*key, known[key]) for key in sorted(known, key=lambda key: (-known[key], key))]
    listed = ranked[: _fitting(ranked)]
    others += sum(each.requests for each in ranked[len(listed) :])
    return (*listed, RouteRequests(*_OTHERS, others)) if others else tuple(listed)


def _fitting(ranked: list[RouteRequests]) -> int:
    """Return how many of the routes fit into the limits of number and length."""
    letters = 0
    for number, each in enumerate(ranked[:MOST_ROUTES]):
        letters += len(json.dumps(asdict(each)))
        if letters > MOST_LETTERS:
            return number
    return min(len(ranked), MOST_ROUTES)


def _counts(counter: RequestCounter, scrape: Scrape) -> dict[_Key, float]:
    counts: dict[_Key, float] = defaultdict(float)
    for series in request_series(counter, scrape):
        if not is_watching(series):
            counts[_key(series.labels())] += series.value
    return counts


def _key(labels: dict[str, str]) -> _Key:
    return _route(labels), printable(_first(labels, _METHOD_LABELS), LONGEST_WORD - 1), _status_class(labels)


def _route(labels: dict[str, str]) -> str:
    for service, method in _RPC_LABELS:
        if service in labels and method in labels:
            return printable(f"{labels[service]}/{labels[method]}", ROUTE_LETTERS)
    return printable(_QUERY.sub("", _first(labels, _ROUTE_LABELS)), ROUTE_LETTERS)


def _status_class(labels: dict[str, str]) -> str:
    status = _first(labels, _STATUS_LABELS)
    return f"{status[0]}xx" if _STATUS.match(status) else printable(status, LONGEST_WORD - 1)


def _first(labels: dict[str, str], names: tuple[str, ...]) -> str:
    return next((labels[name] for name in names if labels.get(name)), "")
