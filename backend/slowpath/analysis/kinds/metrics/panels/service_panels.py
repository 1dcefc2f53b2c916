"""Compute the panels of one service.

Requests by status class, latency, gauges on one grid, gaps, resets, late samples. The series are classified before;
here are only sums, rates and quantiles, as in PromQL: sum by class of rate(requests[w]), histogram_quantile(q, sum by
(le) (rate(buckets[w]))), sum(rate(sum)) / sum(rate(count)).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from slowpath.analysis.kinds.metrics.panels.panel_gaps import PanelGap, evidence_of, gaps_of, without_histogram
from slowpath.analysis.kinds.metrics.panels.time_grid import TimeGrid, complete_cells
from slowpath.analysis.kinds.metrics.rates.classic_histograms import ClassicBuckets, classic_buckets
from slowpath.analysis.kinds.metrics.rates.counter_rates import CounterRates, gauges_of, rates_of, sum_present
from slowpath.analysis.kinds.metrics.rates.histogram_quantiles import QuantileEstimate
from slowpath.analysis.kinds.metrics.rates.native_histogram_rates import NativeRates, native_rates
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PROMETHEUS_3, PrometheusDialect
from slowpath.analysis.kinds.metrics.samples.late_samples import LATE_MS
from slowpath.analysis.kinds.metrics.samples.series_data import (
    CUSTOM_BUCKETS_SCHEMA,
    LateSamples,
    SeriesData,
    Times,
    Values,
)

StatusClass = Literal["2xx", "4xx", "5xx", "other"]
HistogramKind = Literal["classic", "native", "mean", "none"]

STATUS_CLASSES: Final[tuple[StatusClass, ...]] = ("2xx", "4xx", "5xx", "other")
QUANTILES: Final = (0.5, 0.9, 0.99)
INSTANCES_MAX: Final = 24  # lines that can still be distinguished; the slowest are used
SPLIT_PARTS_MAX: Final = 3  # named at the ends of their lines; all other values are one line
SPLIT_LABELS_MAX: Final = 12
ROUTE_LABELS: Final = (
    "route", "http_route", "http.route", "handler", "path", "endpoint", "operation", "rpc_method", "rpc.method", "method",
)  # fmt: skip
"""Labels of a request's route, most usual first: they are offered before others."""
LATE_MAX: Final = 20
RESETS_MAX: Final = 50


@dataclass(frozen=True, slots=True)
class GaugeSamples:
    """One gauge of a service: its series are summed."""

    key: str
    name: str
    unit: str
    series: Sequence[SeriesData]


@dataclass(frozen=True)
class ServiceSamples:
    """The series of one service by role. The same series may have two roles (a count counts requests too).

    `requests` are counters or native histograms by status class; `seconds_per_unit` converts the histogram's unit to seconds.
    """

    requests: Sequence[tuple[StatusClass, SeriesData]] = ()
    buckets: Sequence[SeriesData] = ()
    natives: Sequence[SeriesData] = ()
    sums: Sequence[SeriesData] = ()
    counts: Sequence[SeriesData] = ()
    seconds_per_unit: float = 1.0
    gauges: Sequence[GaugeSamples] = ()
    up: Sequence[SeriesData] = ()
    instance_of: Callable[[Mapping[str, str]], str | None] = field(default=lambda labels: labels.get("instance"))

    def series(self) -> list[SeriesData]:
        """Return all series that are drawn: counters, and gauges."""
        return [*self.counters(), *(series for gauge in self.gauges for series in gauge.series)]

    def counters(self) -> list[SeriesData]:
        """Return all series whose rate is needed, each once."""
        requests = [series for _, series in self.requests]
        return _once([*requests, *self.buckets, *self.natives, *self.sums, *self.counts])


@dataclass(frozen=True)
class SplitLabel:
    """A label of the latency histogram with its number of values, at least two."""

    name: str
    values: int


@dataclass(frozen=True)
class SplitPart:
    """The latency of one value of a label; of all other values together if `value` is None."""

    value: str | None
    values: int
    p99: Values


@dataclass(frozen=True)
class ServicePanels:
    """The values drawn for one service; all arrays are [P], latency in seconds."""

    qps: Mapping[StatusClass, Values]
    quantiles: Sequence[QuantileEstimate]  # of QUANTILES; empty without a histogram
    mean: Values | None
    histogram: HistogramKind
    gauges: Sequence[Values]
    instances: Sequence[tuple[str, Values]]  # p99 of each; empty unless requested
    split_labels: Sequence[SplitLabel]  # labels by which the latency can be split, routes first
    split: Sequence[SplitPart]  # empty unless requested
    instance_count: int | None  # at the end of the grid; None when the series name no instance
    gaps: Sequence[PanelGap]
    resets: Sequence[int]  # times; resets of one instance's counters at one scrape are one
    late: Sequence[LateSamples]

    def total_qps(self, points: int) -> Values:
        """[P] Return all requests, whatever their status."""
        return sum_present(np.stack(list(self.qps.values()))) if self.qps else np.full(points, np.nan)


def service_panels(
    samples: ServiceSamples,
    grid: TimeGrid,
    window_ms: int,
    *,
    by_instance: bool = False,
    split_by: str | None = None,
    dialect: PrometheusDialect = PROMETHEUS_3,
) -> ServicePanels:
    """Compute all panels of a service. The samples must begin one window before the grid.

    `split_by` is a label: its values that took most time get a line each, all others one.
    """
    times = grid.times()
    rated = _CounterRates(samples, times, window_ms, dialect)
    qps = {
        status: sum_present(np.stack(rows))
        for status in STATUS_CLASSES
        if (rows := [rated.of(series) for series_status, series in samples.requests if series_status == status])
    }
    histogram = _LatencyHistogram(samples, rated, dialect)
    scale = samples.seconds_per_unit
    quantiles = [one.scaled(scale) for one in histogram.quantiles(QUANTILES, None)]
    mean = histogram.mean()
    total = sum_present(np.stack(list(qps.values()))) if qps else None
    known = None
    if histogram.kind != "none":
        known = ~np.isnan(
            quantiles[0].value if quantiles else (mean if mean is not None else np.full(len(times), np.nan))
        )
    evidence = evidence_of(samples.counters(), samples.up, list(rated.resets.values()))
    gaps = gaps_of(grid, window_ms, None if total is None else ~np.isnan(total), known, evidence)
    if total is not None:
        gaps = without_histogram(gaps, grid, np.nan_to_num(total) > 0)
    return ServicePanels(
        qps=qps,
        quantiles=quantiles,
        mean=None if mean is None else mean * scale,
        histogram=histogram.kind,
        gauges=[sum_present(gauges_of(one.series, times, dialect)) for one in samples.gauges],
        instances=_instances(histogram, samples.instance_of, scale) if by_instance else (),
        split_labels=_split_labels(histogram, samples),
        split=_split(histogram, rated, samples, split_by) if split_by else (),
        instance_count=_instance_count(samples, rated, grid.step_ms),
        gaps=gaps,
        resets=_resets(samples, rated.resets, grid),
        late=_late(samples.counters(), grid),
    )


class _CounterRates:
    """Rates of all counters of a service, each computed once, by series."""

    def __init__(self, samples: ServiceSamples, times: Times, window_ms: int, dialect: PrometheusDialect) -> None:
        counters = samples.counters()
        floats = [one for one in counters if one.histograms is None]
        natives = [one for one in counters if one.histograms is not None]
        self.rates: CounterRates = rates_of(floats, times, window_ms, dialect)
        self.natives: NativeRates = native_rates(natives, times, window_ms, dialect)
        self.row = {id(one): row for row, one in enumerate(floats)}
        self.native_row = {id(one): row for row, one in enumerate(natives)}
        self.resets: dict[int, Times] = {id(one): self.rates.reset_ms[row] for row, one in enumerate(floats)}
        self.resets |= {id(one): self.natives.reset_ms[row] for row, one in enumerate(natives)}
        incomplete = ~complete_cells(counters, times, window_ms)
        self.rates.per_second[:, incomplete] = np.nan
        self.natives.count[:, incomplete] = np.nan
        self.natives.sum[:, incomplete] = np.nan
        self.incomplete = incomplete

    def of(self, series: SeriesData) -> Values:
        """[P] Return a counter's rate per second; for a native histogram the rate of its count."""
        native = series.histograms is not None
        rate: Values = (
            self.natives.count[self.native_row[id(series)]] if native else self.rates.per_second[self.row[id(series)]]
        )
        return rate

    def many(self, series: Sequence[SeriesData]) -> Values:
        """[S, P] Return the rates of several counters."""
        return self.rates.per_second[[self.row[id(one)] for one in series]]


class _LatencyHistogram:
    """Latency of a service, from whichever histogram it has."""

    def __init__(self, samples: ServiceSamples, rated: _CounterRates, dialect: PrometheusDialect) -> None:
        self._samples, self._rated, self._dialect = samples, rated, dialect
        self._buckets: ClassicBuckets | None = None
        self._owners: Sequence[SeriesData] = samples.natives
        self.kind: HistogramKind = "none"
        if samples.natives:
            self.kind = "classic" if all(_custom(one) for one in samples.natives) else "native"
        elif samples.buckets:
            self._buckets, self._owners = classic_buckets(samples.buckets, rated.many(samples.buckets))
            self.kind = "classic"
        elif samples.sums and samples.counts:
            self.kind = "mean"

    def quantiles(self, qs: Sequence[float], members: Sequence[int] | None) -> list[QuantileEstimate]:
        """Return the quantiles over some of the histograms (all if None); empty without any."""
        if self._buckets is not None:
            return self._buckets.quantiles(qs, members, self._dialect)
        if not self._samples.natives:
            return []
        rows = [self._rated.native_row[id(one)] for one in self._samples.natives]
        found = self._rated.natives.quantiles(
            qs, rows if members is None else [rows[i] for i in members], self._dialect
        )
        for one in found:
            for values in (one.value, one.low, one.high):
                values[self._rated.incomplete] = np.nan
        return found

    def mean(self) -> Values | None:
        """Return the sum by the count, in the histogram's unit."""
        samples, rated = self._samples, self._rated
        if samples.natives:
            rows = [rated.native_row[id(one)] for one in samples.natives]
            over, by = rated.natives.sum[rows], rated.natives.count[rows]
        elif samples.sums and samples.counts:
            over, by = rated.many(samples.sums), rated.many(samples.counts)
        else:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            out: Values = sum_present(over) / sum_present(by)
        return out

    @property
    def labels(self) -> list[Mapping[str, str]]:
        """The labels of each histogram."""
        return [one.labels for one in self._owners]

    def grouped(self, name_of: Callable[[Mapping[str, str]], str | None]) -> dict[str, list[int]]:
        """Return the histograms of each name; those without one are omitted."""
        out: dict[str, list[int]] = {}
        for number, one in enumerate(self._owners):
            name = name_of(one.labels)
            if name is not None:
                out.setdefault(name, []).append(number)
        return out


def _custom(series: SeriesData) -> bool:
    return series.histograms is not None and bool((series.histograms.schema == CUSTOM_BUCKETS_SCHEMA).all())


def _split_labels(histogram: _LatencyHistogram, samples: ServiceSamples) -> list[SplitLabel]:
    """Return the labels with several values. The label of instances is omitted: they have lines of their own."""
    values: dict[str, set[str]] = {}
    for labels in histogram.labels:
        instance = samples.instance_of(labels)
        for name, value in labels.items():
            if name not in {"le", "__name__"} and value != instance:
                values.setdefault(name, set()).add(value)
    usual = {name: place for place, name in enumerate(ROUTE_LABELS)}
    several = sorted((usual.get(name, len(usual)), name) for name, found in values.items() if len(found) > 1)
    return [SplitLabel(name, len(values[name])) for _, name in several[:SPLIT_LABELS_MAX]]


def _split(histogram: _LatencyHistogram, rated: _CounterRates, samples: ServiceSamples, label: str) -> list[SplitPart]:
    """Return the p99 of the values that took most time (requests by p99), and of all others together."""
    members = histogram.grouped(lambda labels: labels.get(label))
    requests: dict[str, float] = {}
    for _, series in samples.requests:
        value = series.labels.get(label)
        if value is not None:
            requests[value] = requests.get(value, 0.0) + float(np.nansum(rated.of(series)))
    found = [
        (value, quantiles[0].value * samples.seconds_per_unit)
        for value, numbers in members.items()
        if (quantiles := histogram.quantiles([QUANTILES[-1]], numbers))
    ]
    found.sort(key=lambda one: (-_time_taken(one[1], requests.get(one[0])), one[0]))
    parts = [SplitPart(value, 1, p99) for value, p99 in found[:SPLIT_PARTS_MAX]]
    rest = [value for value, _ in found[SPLIT_PARTS_MAX:]]
    if rest:
        others = histogram.quantiles([QUANTILES[-1]], [number for value in rest for number in members[value]])
        parts.append(SplitPart(None, len(rest), others[0].value * samples.seconds_per_unit))
    return parts


def _time_taken(p99: Values, requests: float | None) -> float:
    known = p99[np.isfinite(p99)]
    mean_s = float(known.mean()) if len(known) else 0.0
    return mean_s if requests is None else mean_s * requests


def _instances(
    histogram: _LatencyHistogram, instance_of: Callable[[Mapping[str, str]], str | None], scale: float
) -> list[tuple[str, Values]]:
    """Return the p99 of each instance, by name; of more than INSTANCES_MAX the slowest."""
    found = [
        (name, quantiles[0].value * scale)
        for name, members in sorted(histogram.grouped(instance_of).items())
        if (quantiles := histogram.quantiles([QUANTILES[-1]], members))
    ]
    if len(found) > INSTANCES_MAX:
        slowest = sorted(found, key=lambda one: -float(np.nanmax(one[1], initial=0.0)))[:INSTANCES_MAX]
        found = sorted(slowest, key=lambda one: one[0])
    return found


def _instance_count(samples: ServiceSamples, rated: _CounterRates, step_ms: int) -> int | None:
    """Return the number of instances with a rate at the newest column.

    None if that is long before the grid's end.
    """
    names: set[str] = set()
    alive: set[str] = set()
    rows = []
    for one in _once([*(series for _, series in samples.requests), *samples.counts, *samples.natives]):
        name = samples.instance_of(one.labels)
        if name is not None:
            names.add(name)
            rows.append((name, ~np.isnan(rated.of(one))))
    if not names:
        return None
    any_row = np.any(np.stack([row for _, row in rows]), axis=0)
    lately = max(-(-LATE_MS // step_ms), 2)
    if not any_row[-lately:].any():
        return 0
    last = len(any_row) - 1 - int(np.argmax(any_row[::-1]))
    alive.update(name for name, row in rows if row[last])
    return len(alive)


def _resets(samples: ServiceSamples, resets: Mapping[int, Times], grid: TimeGrid) -> list[int]:
    """Return restart times within the grid, the newest RESETS_MAX.

    Simultaneous resets of an instance are one.
    """
    seen: set[tuple[str | None, int]] = set()
    for one in samples.counters():
        at = resets[id(one)]
        if len(at):
            name = samples.instance_of(one.labels)
            seen.update((name, int(t)) for t in at if grid.from_ms <= t <= grid.to_ms)
    return sorted(at for _, at in seen)[-RESETS_MAX:]


def _late(counters: Iterable[SeriesData], grid: TimeGrid) -> list[LateSamples]:
    """Return stretches that were received late, merged by delivery; the newest LATE_MAX.

    History that came with the first samples of its series is excluded: it was never displayed without it.
    """
    by_delivery: dict[int, tuple[int, int]] = {}
    for one in counters:
        if not one.late:  # the usual case
            continue
        on_time = _on_time(one)
        for run in one.late:
            if not (on_time < run.received_ms - LATE_MS).any():
                continue
            if run.to_ms >= grid.from_ms and run.from_ms <= grid.to_ms:
                start, end = by_delivery.get(run.received_ms, (run.from_ms, run.to_ms))
                by_delivery[run.received_ms] = (min(start, run.from_ms), max(end, run.to_ms))
    merged: list[LateSamples] = []
    for received, (start, end) in sorted(by_delivery.items()):
        if merged and start <= merged[-1].to_ms + grid.step_ms and end >= merged[-1].from_ms - grid.step_ms:
            last = merged.pop()
            merged.append(LateSamples(min(last.from_ms, start), max(last.to_ms, end), received))
        else:
            merged.append(LateSamples(start, end, received))
    return merged[-LATE_MAX:]


def _on_time(one: SeriesData) -> Times:
    """Return the times of samples that were not late."""
    late = np.zeros(len(one.times_ms), np.bool_)
    for run in one.late:
        late |= (one.times_ms >= run.from_ms) & (one.times_ms <= run.to_ms)
    times: Times = one.times_ms[~late]
    return times


def _once(series: Iterable[SeriesData]) -> list[SeriesData]:
    return list({id(one): one for one in series}.values())
