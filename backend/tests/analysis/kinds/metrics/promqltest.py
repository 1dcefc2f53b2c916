"""Reads Prometheus' own test files: series in, expected answers out; and evaluates the expressions our arithmetic has."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from slowpath.analysis.kinds.metrics.rates.classic_histograms import bound_of, classic_buckets
from slowpath.analysis.kinds.metrics.rates.counter_rates import gauges_of, rates_of
from slowpath.analysis.kinds.metrics.rates.native_histogram_rates import native_rates
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PROMETHEUS_3
from slowpath.analysis.kinds.metrics.samples.series_data import (
    CUSTOM_BUCKETS_SCHEMA,
    NativeSeries,
    SeriesData,
    SparseBuckets,
    Values,
)
from tests.analysis.kinds.metrics.instant_histograms import native_now
from tests.analysis.kinds.metrics.stale_samples import STALE_NAN

Labels = frozenset[tuple[str, str]]
HINTS = {"unknown": 0, "reset": 1, "not_reset": 2, "gauge": 3}


@dataclass(frozen=True)
class Histogram:
    """One native histogram as the notation {{...}} gives it."""

    schema: int = 0
    count: float = 0.0
    sum: float = 0.0
    zero_count: float = 0.0
    zero_threshold: float = 0.0
    positive: Mapping[int, float] = field(default_factory=dict)
    negative: Mapping[int, float] = field(default_factory=dict)
    custom: tuple[float, ...] = ()
    hint: int = 0

    def plus(self, other: "Histogram") -> "Histogram":
        def both(a: Mapping[int, float], b: Mapping[int, float]) -> dict[int, float]:
            return {key: a.get(key, 0.0) + b.get(key, 0.0) for key in sorted({*a, *b})}

        return Histogram(
            self.schema, self.count + other.count, self.sum + other.sum, self.zero_count + other.zero_count,
            self.zero_threshold, both(self.positive, other.positive), both(self.negative, other.negative),
            self.custom, self.hint,
        )  # fmt: skip


Point = float | Histogram | None


@dataclass
class Series:
    name: str
    labels: Labels
    points: list[tuple[int, float | Histogram]]


@dataclass(frozen=True)
class Evaluation:
    line: int
    at_ms: int
    expression: str
    expected: Mapping[Labels, float] | None  # None: the evaluation must fail
    series: Sequence[Series]


def duration_ms(text: str) -> int:
    units = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
    found = re.findall(r"(\d+)(ms|[smhd])", text)
    return sum(int(n) * units[unit] for n, unit in found) if found else int(text) * 1000


def labels_of(text: str) -> Labels:
    return frozenset(
        (name, re.sub(r"\\(.)", r"\1", value))
        for name, value in re.findall(r'([\w.]+)\s*=\s*"((?:[^"\\]|\\.)*)"', text)
    )


def histogram_of(text: str) -> Histogram:
    def numbers(inner: str) -> list[float]:
        return [float(n) for n in re.split(r"[,\s]+", inner.strip()) if n]

    fields = dict(re.findall(r"(\w+):(\[[^\]]*\]|\S+)", text))

    def buckets(key: str, offset: str) -> dict[int, float]:
        # The notation's offset 0 is the bucket (1/base, 1]; ours too. Custom buckets are counted from 0.
        start = int(fields.get(offset, "0"))
        return {start + i: n for i, n in enumerate(numbers(fields.get(key, "[]")[1:-1]))}

    return Histogram(
        schema=int(fields.get("schema", "0")),
        count=float(fields.get("count", "0")),
        sum=float(fields.get("sum", "0")),
        zero_count=float(fields.get("z_bucket", "0")),
        zero_threshold=float(fields.get("z_bucket_w", "0")),
        positive=buckets("buckets", "offset"),
        negative=buckets("n_buckets", "n_offset"),
        custom=tuple(numbers(fields.get("custom_values", "[]")[1:-1])),
        hint=HINTS[fields.get("counter_reset_hint", "unknown")],
    )


TOKEN = re.compile(r"\{\{.*?\}\}(?:[+-]\{\{.*?\}\})?(?:x\d+)?|\S+")


def points_of(text: str) -> Iterator[Point]:
    for token in TOKEN.findall(text):
        if token.startswith("{{"):
            yield from _histogram_points(token)
            continue
        if token.startswith("_"):
            yield from [None] * (int(token[2:]) if "x" in token else 1)
            continue
        if token == "stale":
            yield float(STALE_NAN)
            continue
        found = re.fullmatch(r"([+-]?[\w.]+?)(?:([+-][\d.eE]+?))?(?:x(\d+))?", token)
        assert found is not None, token
        start, step, times = found.groups()
        for i in range(int(times) + 1 if times else 1):
            yield float(start) + i * float(step or 0)


def _histogram_points(token: str) -> Iterator[Point]:
    found = re.fullmatch(r"\{\{(.*?)\}\}(?:\+\{\{(.*?)\}\})?(?:x(\d+))?", token)
    assert found is not None, token
    now = histogram_of(found[1])
    for _ in range(int(found[3] or 0) + 1):
        yield now
        now = now.plus(histogram_of(found[2])) if found[2] else now


def evaluations(path: Path) -> Iterator[Evaluation]:
    """Every `eval instant` of quantiles in a file, with the series that are loaded there."""
    loaded: list[Series] = []
    lines = path.read_text().splitlines()
    i = 0
    while i < len(lines):
        line = lines[i].strip()
        i += 1
        block: list[str] = []
        if line.startswith(("load", "eval")):
            while i < len(lines) and lines[i].strip() and (lines[i][0] in " \t" or lines[i].lstrip().startswith("#")):
                if not lines[i].strip().startswith("#"):
                    block.append(lines[i].strip())
                i += 1
        if line == "clear":
            loaded = []
        elif line.startswith("load"):
            loaded = [*loaded, *_loaded(line, block)]
        elif (found := re.match(r"eval instant at (\S+) (histogram_quantile.*)", line)) is not None:
            fails = any(entry.startswith("expect fail") for entry in block)
            expected = dict(_answers(block))
            yield Evaluation(i, duration_ms(found[1]), found[2], None if fails else expected, loaded)


def _answers(block: Sequence[str]) -> Iterator[tuple[Labels, float]]:
    for entry in block:
        if entry.startswith("expect"):
            continue
        found = re.match(r"(\w*(?:\{[^{}]*\})?)\s+(\S+)$", entry)
        if found is not None:
            yield labels_of(found[1]), float(found[2])


def _loaded(line: str, block: Sequence[str]) -> list[Series]:
    step = duration_ms(line.split()[1])
    out = []
    for entry in block:
        found = re.match(r"([\w:]+)(\{[^{}]*\})?\s+(.*)", entry)
        assert found is not None, entry
        points = [(i * step, point) for i, point in enumerate(points_of(found[3])) if point is not None]
        out.append(Series(found[1], labels_of(found[2] or ""), points))
    return [*out, *_custom_of(out)] if "with_nhcb" in line else out


def _custom_of(classic: Sequence[Series]) -> Iterator[Series]:
    """The native histograms with custom buckets that Prometheus makes of classic ones."""
    groups: dict[tuple[str, Labels], dict[float, dict[int, float]]] = {}
    sums: dict[tuple[str, Labels], dict[int, float]] = {}
    for one in classic:
        if one.name.endswith("_bucket"):
            bound = bound_of(dict(one.labels)["le"])
            key = (one.name.removesuffix("_bucket"), frozenset(p for p in one.labels if p[0] != "le"))
            into = groups.setdefault(key, {}).setdefault(bound if bound is not None else math.inf, {})
            into.update({t: v for t, v in one.points if isinstance(v, float)})
        elif one.name.endswith("_sum"):
            sums[one.name.removesuffix("_sum"), one.labels] = {t: v for t, v in one.points if isinstance(v, float)}
    for (name, labels), by_bound in groups.items():
        bounds = sorted(by_bound)
        points: list[tuple[int, float | Histogram]] = []
        for t in by_bound[bounds[-1]]:
            upto = [by_bound[b].get(t, 0.0) for b in bounds]
            each = {i: n for i, n in enumerate(np.diff([0.0, *upto]).tolist()) if n}
            custom = tuple(b for b in bounds if b != math.inf)
            total = sums.get((name, labels), {}).get(t, 0.0)
            points.append((t, Histogram(CUSTOM_BUCKETS_SCHEMA, upto[-1], total, positive=each, custom=custom)))
        yield Series(name, labels, points)


def series_data(number: int, one: Series) -> SeriesData:
    times = np.array([t for t, _ in one.points], np.int64)
    histograms = [point for _, point in one.points if isinstance(point, Histogram)]
    labels = dict(one.labels)
    if not histograms:
        values = np.array([point for _, point in one.points], np.float64)
        return SeriesData(number, one.name, labels, "unknown", times, values)
    assert len(histograms) == len(one.points)
    return SeriesData(number, one.name, labels, "histogram", times, None, native_series(histograms))


def native_series(histograms: Sequence[Histogram]) -> NativeSeries:
    def side(of: Sequence[Mapping[int, float]]) -> SparseBuckets:
        offset = np.cumsum([0, *(len(one) for one in of)])
        index = np.array([k for one in of for k in one], np.int32)
        return SparseBuckets(offset, index, np.array([n for one in of for n in one.values()], np.float64))

    return NativeSeries(
        schema=np.array([h.schema for h in histograms], np.int32),
        zero_threshold=np.array([h.zero_threshold for h in histograms], np.float64),
        zero_count=np.array([h.zero_count for h in histograms], np.float64),
        count=np.array([h.count for h in histograms], np.float64),
        sum=np.array([h.sum for h in histograms], np.float64),
        positive=side([h.positive for h in histograms]),
        negative=side([h.negative for h in histograms]),
        reset_hint=np.array([h.hint for h in histograms], np.uint8),
        custom_offset=np.cumsum([0, *(len(h.custom) for h in histograms)]),
        custom_bounds=np.array([b for h in histograms for b in h.custom], np.float64),
    )


class NotOurs(Exception):
    """An expression that our arithmetic does not support."""


QUANTILE = re.compile(r"histogram_quantile\(([^,]+),\s*(.*)\)")
QUANTILES = re.compile(r'histogram_quantiles\((.*?),\s*"(\w+)",\s*([^"]+)\)')
SUM = re.compile(r"(?:sum|avg)\s*(?:by\s*\(([^)]*)\)\s*)?\((.*?)\)(?:\s*by\s*\(([\w, ]*)\))?")
RATE = re.compile(r"rate\((.*)\[(\w+)\]\)")
SELECTOR = re.compile(r"(\w*)(\{[^{}]*\})?")


def answer(evaluation: Evaluation) -> dict[Labels, float]:
    """Our result of histogram_quantile(s) of a selector, of its rate, or of a sum of them."""
    if (many := QUANTILES.fullmatch(evaluation.expression)) is not None:
        out = {}
        for text in many[3].split(","):
            for labels, value in _quantiles(evaluation, float(text), many[1]).items():
                q = text.strip() if "NaN" in text else repr(float(text))
                out[labels | {(many[2], q)}] = value
        return out
    one = QUANTILE.fullmatch(evaluation.expression)
    if one is None:
        raise NotOurs
    divided = [float(part) for part in one[1].split("/")]
    return _quantiles(evaluation, divided[0] / divided[1] if len(divided) == 2 else divided[0], one[2])


def _quantiles(evaluation: Evaluation, q: float, expression: str) -> dict[Labels, float]:
    stored: set[str] | None = None
    if (summed := SUM.fullmatch(expression)) is not None:
        stored = {name.strip() for name in (summed[1] or summed[3] or "").split(",")} - {""}
        expression = summed[2]
    width = None
    if (rated := RATE.fullmatch(expression)) is not None:
        expression, width = rated[1], duration_ms(rated[2])
    chosen = SELECTOR.fullmatch(expression)
    if chosen is None or "=~" in (chosen[2] or ""):
        raise NotOurs
    required = labels_of(chosen[2] or "")
    matched = [one for one in evaluation.series if one.name == chosen[1] and required <= one.labels]
    data = [series_data(i, one) for i, one in enumerate(matched)]
    grid = np.array([evaluation.at_ms], np.int64)

    def group(one: SeriesData) -> Labels:
        return frozenset(p for p in one.labels.items() if p[0] != "le" and (stored is None or p[0] in stored))

    floats = [one for one in data if one.values is not None]
    natives = [one for one in data if one.histograms is not None]
    table = rates_of(floats, grid, width, PROMETHEUS_3).per_second if width else gauges_of(floats, grid, PROMETHEUS_3)
    buckets, examples = classic_buckets(floats, table)
    rates = native_rates(natives, grid, width, PROMETHEUS_3) if width else native_now(natives, grid, PROMETHEUS_3)
    out: dict[Labels, list[Values]] = {}
    for labels in {group(one) for one in examples}:
        members = [i for i, one in enumerate(examples) if group(one) == labels]
        out.setdefault(labels, []).append(buckets.quantiles([q], members, PROMETHEUS_3)[0].value)
    for labels in {group(one) for one in natives}:
        members = [i for i, one in enumerate(natives) if group(one) == labels]
        out.setdefault(labels, []).append(rates.quantiles([q], members, PROMETHEUS_3)[0].value)
    # A group with both classic and native histograms has no answer.
    return {labels: float(values[0][0]) for labels, values in out.items() if len(values) == 1}
