"""Reading what a process tells of itself in Prometheus' text format: only what facts need, and forgiving otherwise.

A line that is not understood is left out: foreign programs print foreign things, and facts are optional.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

MAX_SERIES = 200_000
MAX_LINE = 8_192
_LINE = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})?[ \t]+(\S+)(?:[ \t]+-?\d+)?(?:[ \t]+#.*)?$")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Series:
    """One line: a name, its labels as written, a value."""

    name: str
    labels_text: str
    value: float

    @property
    def text(self) -> str:
        """As it was written, without the value: what a person's regex is held against."""
        return self.name + self.labels_text

    def labels(self) -> dict[str, str]:
        """The labels by name."""
        return {name: _unescape(value) for name, value in _LABEL.findall(self.labels_text)}


@dataclass(frozen=True)
class Scrape:
    """Everything of one answer of `/metrics`."""

    series: tuple[Series, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)

    def named(self, name: str) -> list[Series]:
        """All series of a name."""
        return [series for series in self.series if series.name == name]

    def value(self, name: str) -> float | None:
        """The sum over all series of a name, or None when there is none."""
        found = self.named(name)
        return sum(series.value for series in found) if found else None


def parse_scrape(text: str) -> Scrape:
    """Read a `/metrics` answer. At most `MAX_SERIES` series are kept."""
    series: list[Series] = []
    types: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            words = line.split(maxsplit=3)
            if len(words) == 4 and len(types) < MAX_SERIES:
                types[words[2]] = words[3].strip()
            continue
        match = _LINE.match(line) if line and line[0] != "#" and len(line) <= MAX_LINE else None
        value = _number(match[3]) if match else None
        if match and value is not None and len(series) < MAX_SERIES:
            series.append(Series(match[1], match[2] or "", value))
    return Scrape(tuple(series), types)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _unescape(value: str) -> str:
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], value)


# Counters of requests under the names that libraries and conventions give them; the first that is there is taken.
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
_GENERIC = re.compile(r"(_requests|_requests_received|_requests_handled)_total$")
_NOT_OURS = re.compile(r"^(promhttp_|prometheus_|net_|go_|process_|scrape_)|client|outgoing|upstream")


@dataclass(frozen=True)
class RequestCounter:
    """Which series count the requests of a process, and why we think so."""

    pattern: re.Pattern[str]
    reason: str

    def total(self, scrape: Scrape) -> float | None:
        """The sum over all series that count requests, or None when there is none."""
        found = [series.value for series in scrape.series if self.pattern.search(series.text)]
        return sum(found) if found else None


def find_request_counter(scrape: Scrape, asked: re.Pattern[str] | None) -> RequestCounter | None:
    """The counter asked for, else one of a usual name, else the only one that looks like it; else None."""
    if asked is not None:
        return RequestCounter(asked, "as asked")
    names = {series.name for series in scrape.series}
    for name in USUAL_REQUEST_COUNTERS:
        if name in names:
            return RequestCounter(_exactly(name), "a usual name")
    candidates = request_like(names)
    return RequestCounter(_exactly(candidates[0]), "the only counter of requests") if len(candidates) == 1 else None


def request_like(names: Iterable[str]) -> list[str]:
    """Names that look like counters of requests served, sorted."""
    return sorted(name for name in names if _GENERIC.search(name) and not _NOT_OURS.search(name))


def _exactly(name: str) -> re.Pattern[str]:
    return re.compile(rf"^{re.escape(name)}(\{{|$)")
