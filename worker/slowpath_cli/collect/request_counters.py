"""Finding the counter of the requests that a process serves, among everything it counts.

What a process serves to those who watch it is never its load: counters and label values that name an admin, debug, metrics,
health or pprof handler are left out. If several counters remain, none is guessed: a person chooses.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from slowpath_cli.collect.metrics_text import MetricLine, Scrape

USUAL_REQUEST_COUNTERS = (
    "http_server_request_duration_seconds_count",
    "http_server_requests_total",
    "http_request_duration_seconds_count",
    "http_requests_total",
    "grpc_server_handled_total",
    "rpc_server_call_duration_seconds_count",
    "rpc_server_duration_milliseconds_count",
    "requests_total",
)
"""Counters of requests under the names that libraries and conventions give them."""
_GENERIC = re.compile(r"(_requests|_requests_received|_requests_handled)_total$|_requests?_duration_seconds_count$")
_NOT_SERVED = re.compile(
    r"^(promhttp_|net_|go_|process_|scrape_|prometheus_(?!http_requests_total$))|client|outgoing|upstream"
)
_HEALTH = r"health|healthz|healthy|health_?check|health-check|livez?|liveness|alive|readyz?|readiness|startupz|probez?"
_WATCHING_NAME = re.compile(
    r"(^|_)(admin|debug|pprof|healthz?|health_?check|livez|liveness|readyz|readiness|probes?)(_|$)"
    r"|(^|_)metrics?_((http|handler|endpoint|server)_)*request"
)
_PLACE_LABEL = re.compile(
    r"handler|path|route|uri|url|endpoint|location|target|entrypoint|listener|server|service|operation|name$"
)
_WATCHING_PLACE = re.compile(
    rf"^(admin|debug|metrics|pprof|promhttp|{_HEALTH})$"  # a handler's name
    r"|^(pprof|promhttp|expvar)\."  # a Go function
    r"|^/((-|_|internal|system|actuator|api)/)?(metrics|prometheus)/?$"
    r"|^/((-|_|internal|system)/)?(admin|debug|pprof|actuator)(/|$)"
    rf"|^/([^/]+/)*({_HEALTH})/?$"
    r"|^/-/(reload|quit)$"
)
_BEFORE_PATH = re.compile(r"^([A-Z]+ )?([a-z]+://)?[^/ ]*(?=/)|[?#].*$")
"""What stands around the path in a pattern of a mux (`GET host/path`) or an address."""
_WATCHING_RPC = re.compile(r"^/?grpc\.(health|reflection|channelz)\.")
_SELECTOR = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?$")
_MATCHER = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^",{}\\]*?))\s*(?:,|$)')
_DURATION = re.compile(r"_requests?_duration_(seconds|milliseconds)_count$")
"""A histogram of durations counts what the counter beside it counts: `x_request_duration_seconds_count`, `x_requests_total`."""
_SAME_SHARE = 0.01
_SAME_FROM = 100.0
"""Two counters that differ by less than a hundredth count the same requests, once there are enough of them to tell."""


@dataclass(frozen=True)
class RequestCounter:
    """Which series count the requests of a process, and why. `chosen`: a person named them, labels and all."""

    pattern: re.Pattern[str]
    reason: str = "as asked"
    chosen: bool = True

    def total(self, scrape: Scrape) -> float | None:
        """The sum over all series that count requests, or None when there is none."""
        found = request_series(self, scrape)
        return sum(series.value for series in found) if found else None

    def counts(self, series: MetricLine) -> bool:
        """Tells whether a series is one of them."""
        return bool(self.pattern.search(series.text)) and (self.chosen or not is_watching(series))


def request_series(counter: RequestCounter, scrape: Scrape) -> list[MetricLine]:
    """All series that a counter counts."""
    return [series for series in scrape.series if counter.counts(series)]


def read_selector(text: str) -> RequestCounter:
    """Read NAME, NAME{label=value,...} or else a regular expression over `name{labels}`. Raises `re.error`."""
    whole = _SELECTOR.match(text)
    if whole is None:
        return RequestCounter(re.compile(text))
    name, labels = whole[1], whole[2]
    if labels is None:
        return counter_named(name, "as asked")
    ahead, at = "", 0
    while at < len(labels):
        matcher = _MATCHER.match(labels, at)
        if matcher is None:
            return RequestCounter(re.compile(text))
        value = matcher[2] if matcher[2] is not None else matcher[3]
        ahead += rf'(?=(?:.*,)?\s*{re.escape(matcher[1])}="{re.escape(value)}"\s*[,}}])'
        at = matcher.end()
    return RequestCounter(re.compile(rf"^{re.escape(name)}\{{{ahead}"))


def is_watching(series: MetricLine) -> bool:
    """Tells whether a series counts what is served to those who watch the process: metrics, health, debugging, administration."""
    if _WATCHING_NAME.search(series.name):
        return True
    return any(
        _WATCHING_RPC.search(value)
        or (_PLACE_LABEL.search(label.lower()) and _WATCHING_PLACE.search(_BEFORE_PATH.sub("", value).lower()))
        for label, value in series.labels().items()
    )


def find_request_counter(scrape: Scrape, asked: RequestCounter | None) -> RequestCounter | None:
    """The counter asked for, else the only candidate; None where there is none or a person must choose."""
    if asked is not None:
        return asked
    names = candidate_counters(scrape)
    if len(names) != 1:
        return None
    reason = "a usual name" if names[0] in USUAL_REQUEST_COUNTERS else "the only counter of requests"
    return counter_named(names[0], reason)


def counter_named(name: str, reason: str) -> RequestCounter:
    """The counter of all series of a name."""
    return RequestCounter(re.compile(rf"^{re.escape(name)}(\{{|$)"), reason, chosen=False)


def candidate_counters(scrape: Scrape) -> list[str]:
    """Names that may count the load: those of usual names first. Counters of the same requests are named once."""
    names = {series.name for series in scrape.series if not is_watching(series)}
    like = [name for name in USUAL_REQUEST_COUNTERS if name in names]
    like += [name for name in request_like(names) if name not in like]
    like = [name for name in like if scrape.types.get(name, "counter") in {"counter", "untyped", "unknown"}]
    totals = {name: counter_named(name, "").total(scrape) or 0.0 for name in like}
    counted = [name for name in like if totals[name] > 0] or like
    found: list[str] = []
    for name in counted:
        beside = _DURATION.sub("_requests_total", name)
        if (beside == name or beside not in counted) and not any(_same(totals[name], totals[other]) for other in found):
            found.append(name)
    return found


def request_like(names: Iterable[str]) -> list[str]:
    """Names that look like counters of requests served, sorted."""
    return sorted(name for name in names if _GENERIC.search(name) and not _NOT_SERVED.search(name))


def _same(one: float, other: float) -> bool:
    return min(one, other) >= _SAME_FROM and abs(one - other) <= _SAME_SHARE * max(one, other)
