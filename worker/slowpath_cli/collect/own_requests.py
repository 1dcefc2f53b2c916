"""Detect and subtract the requests of this program from a request counter: each scrape and each profile is a request.

A few additional requests detect it: a counter that increases with each of them counts them. Under a load that hides this,
the error is a few requests in thousands.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from slowpath_cli.collect.metrics_text import Scrape
from slowpath_cli.collect.request_counters import RequestCounter
from slowpath_cli.core.collect_errors import CollectError

TRIAL_REQUESTS = 3
FEW_REQUESTS = 10
SLOW_REQUEST_NS = 100_000_000


@dataclass(frozen=True)
class OwnRequests:
    """Which requests of this program a counter counts; None means unknown."""

    scrapes: bool | None = None
    profiles: bool | None = None


@dataclass(frozen=True)
class RequestCount:
    """Number of requests between two snapshots, or the reason why it is unknown."""

    requests: int | None
    problem: str = ""


def learn_own_requests(
    counter: RequestCounter, scrape: Callable[[], Scrape], ask_profiles: Callable[[], object]
) -> OwnRequests:
    """Detect which requests of this program a counter counts. `ask_profiles` sends one small pprof request."""
    try:
        totals = [counter.total(scrape()) or 0.0 for _ in range(TRIAL_REQUESTS + 1)]
        scrapes = all(after - before >= 1 for before, after in pairwise(totals))
        for _ in range(TRIAL_REQUESTS):
            ask_profiles()
        increase = (counter.total(scrape()) or 0.0) - totals[-1]
    except CollectError:
        return OwnRequests()
    return OwnRequests(scrapes, increase - (1 if scrapes else 0) >= TRIAL_REQUESTS)


def count_requests(
    increase: float | None, own: OwnRequests, scrapes: int, profiles: int, cpu_ns: float | None, *, chosen: bool
) -> RequestCount:
    """Return the number of requests by others; for implausible numbers, the reason instead.

    `scrapes` and `profiles` are the requests of this program; `chosen`: the user named the counter, with labels.
    """
    if increase is None or increase < 1:
        return RequestCount(None)
    unknown = (scrapes if own.scrapes is None else 0) + (profiles if own.profiles is None else 0)
    if increase <= unknown:
        return RequestCount(
            None, f"the counter increased by {increase:.0f}, no more than the requests of this program: ignored"
        )
    own_requests = (scrapes if own.scrapes else 0) + (profiles if own.profiles else 0)
    others = round(increase - own_requests)
    if others < 1:
        return RequestCount(None, "the counter increased only by the requests of this program")
    if not chosen and others < FEW_REQUESTS and cpu_ns is not None and cpu_ns / others > SLOW_REQUEST_NS:
        return RequestCount(
            None,
            f"{others} requests were counted while the process used {cpu_ns / 1e9:.1f} s of CPU time, "
            f"{cpu_ns / others / 1e6:,.0f} ms each: implausible, so ignored. If it is correct, name the counter with --requests-metric",
        )
    return RequestCount(others)
