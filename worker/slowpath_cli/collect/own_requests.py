"""What a counter of requests counts of our own: every look at the metrics and every profile is a request too.

Whether it does is found out by asking a few times more: a counter that grows by every request of ours counts them. Where the
load is so high that this cannot be told apart, the error is a few requests in thousands.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from slowpath_cli.collect.metrics_text import Scrape
from slowpath_cli.collect.request_counters import RequestCounter
from slowpath_cli.core.collect_errors import CollectError

TRIES = 3
FEW_REQUESTS = 10
SLOW_REQUEST_NS = 100_000_000


@dataclass(frozen=True)
class OwnRequests:
    """Which of our requests a counter counts; None while that is not known."""

    scrapes: bool | None = None
    profiles: bool | None = None


@dataclass(frozen=True)
class Counted:
    """Requests served between two looks, or why they are not known."""

    requests: int | None
    problem: str = ""


def learn_own_requests(
    counter: RequestCounter, scrape: Callable[[], Scrape], ask_profiles: Callable[[], object]
) -> OwnRequests:
    """Find out what a counter counts of our own. `ask_profiles` makes one cheap request where the profiles are."""
    try:
        totals = [counter.total(scrape()) or 0.0 for _ in range(TRIES + 1)]
        scrapes = all(after - before >= 1 for before, after in pairwise(totals))
        for _ in range(TRIES):
            ask_profiles()
        grown = (counter.total(scrape()) or 0.0) - totals[-1]
    except CollectError:
        return OwnRequests()
    return OwnRequests(scrapes, grown - (1 if scrapes else 0) >= TRIES)


def count_requests(
    grown: float | None, own: OwnRequests, scrapes: int, profiles: int, cpu_ns: float | None, *, chosen: bool
) -> Counted:
    """How many requests others made, of those counted. What cannot be the load is not told, but why.

    `scrapes` and `profiles` are our own requests meanwhile; `chosen`: a person named the counter, labels and all.
    """
    if grown is None or grown < 1:
        return Counted(None)
    unknown = (scrapes if own.scrapes is None else 0) + (profiles if own.profiles is None else 0)
    if grown <= unknown:
        return Counted(
            None, f"{grown:.0f} requests were counted, no more than were made here to collect: not taken for the load"
        )
    ours = (scrapes if own.scrapes else 0) + (profiles if own.profiles else 0)
    others = round(grown - ours)
    if others < 1:
        return Counted(None, "no requests were counted but those made here to collect")
    if not chosen and others < FEW_REQUESTS and cpu_ns is not None and cpu_ns / others > SLOW_REQUEST_NS:
        return Counted(
            None,
            f"{others} requests were counted while the process used {cpu_ns / 1e9:.1f} s of CPU time, "
            f"{cpu_ns / others / 1e6:,.0f} ms each: not taken for the load. If they are, name the counter with --requests-metric",
        )
    return Counted(others)
