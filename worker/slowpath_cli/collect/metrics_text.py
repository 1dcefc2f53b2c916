"""Parse the subset of Prometheus's text format that run metadata needs; invalid lines are skipped."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_SERIES = 200_000
MAX_LINE = 8_192
_LINE = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})?[ \t]+(\S+)(?:[ \t]+-?\d+)?(?:[ \t]+#.*)?$")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class MetricLine:
    """One line: name, labels as written, value."""

    name: str
    labels_text: str
    value: float

    @property
    def text(self) -> str:
        """Return the line without its value, as matched by the user's regular expression."""
        return self.name + self.labels_text

    def labels(self) -> dict[str, str]:
        """Return the labels by name."""
        return {name: _unescape(value) for name, value in _LABEL.findall(self.labels_text)}


@dataclass(frozen=True)
class Scrape:
    """The content of one response of `/metrics`."""

    series: tuple[MetricLine, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)

    def named(self, name: str) -> list[MetricLine]:
        """Return all series with a name."""
        return [series for series in self.series if series.name == name]

    def value(self, name: str) -> float | None:
        """Return the sum of all series with a name; None without such series."""
        found = self.named(name)
        return sum(series.value for series in found) if found else None


def parse_scrape(text: str) -> Scrape:
    """Parse a `/metrics` response; series beyond `MAX_SERIES` are ignored."""
    series: list[MetricLine] = []
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
            series.append(MetricLine(match[1], match[2] or "", value))
    return Scrape(tuple(series), types)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _unescape(value: str) -> str:
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], value)
