"""The mix of requests during a capture: how many of each route, method and status class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final

MOST_ROUTES = 50
"""Routes of one capture; the requests of all others are one further entry without route, method and status class."""
LONGEST_ROUTE, LONGEST_WORD = 200, 40
LARGEST_COUNT = 2**53
ROUTE_LABELS: Final = (
    "http_route",
    "http.route",
    "route",
    "handler",
    "endpoint",
    "path",
    "uri",
    "rpc_method",
    "rpc.method",
    "grpc_method",
    "operation",
)
"""Label names that libraries use for a part of a service, the most specific first."""


@dataclass(frozen=True)
class RouteRequests:
    """Requests of one route, method and status class (`2xx`); without all three, those of all routes not listed."""

    route: str
    method: str
    status_class: str
    requests: int

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what identifies these requests in every capture."""
        return self.route, self.method, self.status_class

    @classmethod
    def from_json(cls, value: object) -> "RouteRequests":
        """Parse one entry; raise `ValueError` naming the field."""
        if not isinstance(value, Mapping):
            raise ValueError("facts.requests_by_route must hold objects")  # noqa: TRY004 - callers catch one error
        return cls(
            route=_text("route", value.get("route"), LONGEST_ROUTE),
            method=_text("method", value.get("method"), LONGEST_WORD),
            status_class=_text("status_class", value.get("status_class"), LONGEST_WORD),
            requests=_count(value.get("requests")),
        )


def share_by_route(listed: Sequence[RouteRequests] | None) -> Mapping[str, float]:
    """Return the share of the requests of each route, and of each route with its method before it (`GET /ready`)."""
    total = sum(each.requests for each in listed or ())
    if not total:
        return {}
    found: dict[str, float] = {}
    for each in (one for one in listed or () if one.route):
        for name in names_of_route(each):
            found[name] = found.get(name, 0.0) + each.requests / total
    return found


def names_of_route(requests: RouteRequests) -> frozenset[str]:
    """Return what a label may call a route: its name, or its method and name."""
    return frozenset({requests.route, f"{requests.method} {requests.route}".strip()})


def parse_requests_by_route(value: object) -> tuple[RouteRequests, ...] | None:
    """Parse the entries of run metadata; None if unknown. Raise `ValueError` naming field, limit and value."""
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        raise ValueError("facts.requests_by_route must be a list")  # noqa: TRY004 - callers catch one error
    if len(value) > MOST_ROUTES + 1:
        raise ValueError(
            f"facts.requests_by_route has {len(value)} entries, the limit is {MOST_ROUTES} and one for the others"
        )
    return tuple(RouteRequests.from_json(each) for each in value)


def _text(name: str, value: object, limit: int) -> str:
    if not isinstance(value, str | None):
        raise ValueError(f"facts.requests_by_route.{name} must be a string")  # noqa: TRY004 - callers catch one error
    if value is not None and len(value) > limit:
        raise ValueError(f"facts.requests_by_route.{name} has {len(value)} characters, the limit is {limit}")
    return value or ""


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError("facts.requests_by_route.requests must be a number")
    if not 0 <= value <= LARGEST_COUNT:
        raise ValueError(f"facts.requests_by_route.requests must be between 0 and 2^53, not {value}")
    return round(value)
