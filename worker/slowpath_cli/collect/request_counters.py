"""Find the metric that counts the requests a process serves.

Requests for monitoring are not load: counters and label values that name an admin, debug, metrics, health or pprof handler
are excluded. If several counters remain, the user must choose one.
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
"""Names of request counters in common libraries and conventions."""
_GENERIC = re.compile(r"(_requests|_requests_received|_requests_handled)_total$|_requests?_duration_seconds_count$")
_NOT_INBOUND = re.compile(
    r"^(promhttp_|net_|go_|process_|scrape_|prometheus_(?!http_requests_total$))|client|outgoing|upstream"
)
_HEALTH = r"health|healthz|healthy|health_?check|health-check|livez?|liveness|alive|readyz?|readiness|startupz|probez?"
_MONITORING_NAME = re.compile(
    r"(^|_)(admin|debug|pprof|healthz?|health_?check|livez|liveness|readyz|readiness|probes?)(_|$)"
    r"|(^|_)metrics?_((http|handler|endpoint|server)_)*request"
)
_PLACE_LABEL = re.compile(
    r"handler|path|route|uri|url|endpoint|location|target|entrypoint|listener|server|service|operation|name$"
)
_MONITORING_PLACE = re.compile(
    rf"^(admin|debug|metrics|pprof|promhttp|{_HEALTH})$"  # a handler's name
    r"|^(pprof|promhttp|expvar)\."  # a Go function
    r"|^/((-|_|internal|system|actuator|api)/)?(metrics|prometheus)/?$"
    r"|^/((-|_|internal|system)/)?(admin|debug|pprof|actuator)(/|$)"
    rf"|^/([^/]+/)*({_HEALTH})/?$"
    r"|^/-/(reload|quit)$"
)
_BEFORE_PATH = re.compile(r"^([A-Z]+ )?([a-z]+://)?[^/ ]*(?=/)|[?#].*$")
"""The parts around the path in a mux pattern (`GET host/path`) or a URL."""
_MONITORING_RPC = re.compile(r"^/?grpc\.(health|reflection|channelz)\.")
_SELECTOR = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?$")
_MATCHER = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^",{}\\]*?))\s*(?:,|$)')
_DURATION = re.compile(r"_requests?_duration_(seconds|milliseconds)_count$")
"""The count of a duration histogram equals the counter: `x_request_duration_seconds_count`, `x_requests_total`."""
_SAME_SHARE = 0.01
_SAME_FROM = 100.0
"""Two counters of at least this value that differ by at most 1% count the same requests."""


@dataclass(frozen=True)
class RequestCounter:
    """The series that count the requests of a process, and the reason. `chosen`: the user named them, with labels."""

    pattern: re.Pattern[str]
    reason: str = "as requested"
    chosen: bool = True

    def total(self, scrape: Scrape) -> float | None:
        """Return the sum of all series that count requests; None without such series."""
        matching = request_series(self, scrape)
        return sum(series.value for series in matching) if matching else None

    def counts(self, series: MetricLine) -> bool:
        """Return whether a series counts requests."""
        return bool(self.pattern.search(series.text)) and (self.chosen or not is_watching(series))


def request_series(counter: RequestCounter, scrape: Scrape) -> list[MetricLine]:
    """Return the series of a counter."""
    return [series for series in scrape.series if counter.counts(series)]


def read_selector(text: str) -> RequestCounter:
    """Parse NAME, NAME{label=value,...}, or a regular expression over `name{labels}`. Raises `re.error`."""
    whole = _SELECTOR.match(text)
    if whole is None:
        return RequestCounter(re.compile(text))
    name, labels = whole[1], whole[2]
    if labels is None:
        return counter_named(name, "as requested")
    lookaheads, at = "", 0
    while at < len(labels):
        matcher = _MATCHER.match(labels, at)
        if matcher is None:
            return RequestCounter(re.compile(text))
        value = matcher[2] if matcher[2] is not None else matcher[3]
        lookaheads += rf'(?=(?:.*,)?\s*{re.escape(matcher[1])}="{re.escape(value)}"\s*[,}}])'
        at = matcher.end()
    return RequestCounter(re.compile(rf"^{re.escape(name)}\{{{lookaheads}"))


def is_watching(series: MetricLine) -> bool:
    """Return whether a series counts monitoring requests: metrics, health, debugging, administration."""
    if _MONITORING_NAME.search(series.name):
        return True
    return any(
        _MONITORING_RPC.search(value)
        or (_PLACE_LABEL.search(label.lower()) and _MONITORING_PLACE.search(_BEFORE_PATH.sub("", value).lower()))
        for label, value in series.labels().items()
    )


def find_request_counter(scrape: Scrape, requested: RequestCounter | None) -> RequestCounter | None:
    """Return the requested counter, else the only candidate; None without candidates or if the user must choose."""
    if requested is not None:
        return requested
    names = candidate_counters(scrape)
    if len(names) != 1:
        return None
    reason = "a common name" if names[0] in USUAL_REQUEST_COUNTERS else "the only request counter"
    return counter_named(names[0], reason)


def counter_named(name: str, reason: str) -> RequestCounter:
    """Return a counter of all series with a name."""
    return RequestCounter(re.compile(rf"^{re.escape(name)}(\{{|$)"), reason, chosen=False)


def candidate_counters(scrape: Scrape) -> list[str]:
    """Return the names of possible request counters, common names first; one name for counters of the same requests."""
    names = {series.name for series in scrape.series if not is_watching(series)}
    candidates = [name for name in USUAL_REQUEST_COUNTERS if name in names]
    candidates += [name for name in request_like(names) if name not in candidates]
    candidates = [name for name in candidates if scrape.types.get(name, "counter") in {"counter", "untyped", "unknown"}]
    totals = {name: counter_named(name, "").total(scrape) or 0.0 for name in candidates}
    nonzero = [name for name in candidates if totals[name] > 0] or candidates
    matching: list[str] = []
    for name in nonzero:
        requests_total = _DURATION.sub("_requests_total", name)
        if (requests_total == name or requests_total not in nonzero) and not any(
            _same(totals[name], totals[other]) for other in matching
        ):
            matching.append(name)
    return matching


def request_like(names: Iterable[str]) -> list[str]:
    """Return the names that look like counters of served requests, sorted."""
    return sorted(name for name in names if _GENERIC.search(name) and not _NOT_INBOUND.search(name))


def _same(one: float, other: float) -> bool:
    return min(one, other) >= _SAME_FROM and abs(one - other) <= _SAME_SHARE * max(one, other)
