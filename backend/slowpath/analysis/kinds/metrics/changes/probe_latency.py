"""Measure the latency of one deployment in one time range, from cumulative histograms pushed next to those of others.

One time range gives one value, so it is cut once: at the counters' values at its two edges. A histogram that its instance had
not pushed before was zero until then; so what begins within the range counts completely, where cells of time
(`service_cells`) would omit it.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from slowpath.analysis.findings.route_requests import ROUTE_LABELS
from slowpath.analysis.kinds.metrics.changes.deployment_sides import names_build
from slowpath.analysis.kinds.metrics.panels.service_cells import bounds_shared
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.analysis.kinds.metrics.panels.time_grid import scrape_interval_ms
from slowpath.analysis.kinds.metrics.rates.classic_histograms import classic_buckets
from slowpath.analysis.kinds.metrics.rates.counter_rates import without_stale
from slowpath.analysis.kinds.metrics.rates.native_histogram_rates import native_rates
from slowpath.analysis.kinds.metrics.rates.native_histogram_sums import BucketSegment, summed_buckets
from slowpath.analysis.kinds.metrics.rates.native_histogram_table import HistogramTable
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PROMETHEUS_3
from slowpath.analysis.kinds.metrics.samples.native_histogram_columns import join_natives, take_natives
from slowpath.analysis.kinds.metrics.samples.series_data import NativeSeries, SeriesData, SparseBuckets, Times, Values
from slowpath.analysis.stats.histogram_cells import HistogramCells

Match = Literal["instance", "version", "environment"]
ALIVE_INTERVALS: Final = 2.5
"""An instance that has not pushed for this many of its intervals has ended."""
USUAL_INTERVAL_MS: Final = 60_000
"""Default push interval of OpenTelemetry's SDKs."""


@dataclass(frozen=True)
class SeriesOwner:
    """What identifies the series of a deployment.

    `instance`: a label contains its run's id, alone or with the name of a pod. `version`: a label has that, or the build's name:
    by the commit, unless modules are replaced in it. `environment`: all series.
    """

    match: Match
    run_id: str
    build: str
    """Name of the build's image."""
    commit: str | None
    """None: other builds have the same commit."""

    def means(self, labels: Mapping[str, str]) -> bool:
        """Return whether a series with these labels is of the deployment."""
        if self.match == "environment" or any(self.run_id in text for text in labels.values()):
            return True
        if self.match == "instance":
            return False
        named = self.commit is not None and names_build(labels, self.commit, None) is not None
        return named or any(text == self.build for name, text in labels.items() if name != "le")


@dataclass(frozen=True)
class ProbeLatencyWindow:
    """The histograms of a deployment in a time range.

    `counts` [1, B] requests by bucket, None if nothing was pushed. `newest_ms`: up to when all its pushing instances have
    samples, None without any. `known_ms`: the part of the range between their samples.
    """

    counts: HistogramCells | None
    newest_ms: int | None
    known_ms: int
    interval_ms: int
    instances: int
    others: int
    """Other instances of the service that pushed meanwhile."""

    @property
    def requests(self) -> int:
        """Return the number of requests in the time range."""
        return 0 if self.counts is None else round(float(self.counts.requests.sum()))


def run_window(samples: ServiceSamples, from_ms: int, to_ms: int, whose: SeriesOwner, route: str) -> ProbeLatencyWindow:
    """Measure (from_ms, to_ms] of a deployment for one route ("": all).

    Samples should exceed it on both sides.
    """
    histograms = [one for one in (*samples.natives, *samples.buckets) if len(one.times_ms)]
    own_series = [one for one in histograms if whose.means(one.labels)]
    name = samples.instance_of
    pushing = {name(one.labels) for one in histograms if one.times_ms[-1] > from_ms}
    interval_ms = scrape_interval_ms(own_series, _young_interval_ms(own_series))
    groups = _by_instance(own_series, name)
    newest_by_instance = {each: int(max(one.times_ms[-1] for one in group)) for each, group in groups.items()}
    begun = _from_zero(groups)
    chosen = [one for one in begun if not route or _is_of(one.labels, route)]
    known = (
        min((int(one.times_ms[0]) for one in begun), default=to_ms),
        max(newest_by_instance.values(), default=from_ms),
    )
    known_ms = max(0, min(known[1], to_ms) - max(known[0], from_ms))
    counts = _counts(chosen, from_ms, to_ms, samples.seconds_per_unit) if known_ms and chosen else None
    instances = {each for each, at in newest_by_instance.items() if at > from_ms}
    return ProbeLatencyWindow(
        counts,
        _newest(newest_by_instance, to_ms, interval_ms),
        known_ms,
        interval_ms,
        len(instances),
        len(pushing - instances),
    )


def _young_interval_ms(series: Sequence[SeriesData]) -> int:
    """Return the interval between samples of series with only two."""
    intervals = [int(one.times_ms[1] - one.times_ms[0]) for one in series if len(one.times_ms) == 2]
    return min(intervals, default=USUAL_INTERVAL_MS)


def _newest(newest_by_instance: Mapping[str | None, int], to_ms: int, interval_ms: int) -> int | None:
    alive = [at for at in newest_by_instance.values() if at > to_ms - ALIVE_INTERVALS * interval_ms]
    return min(alive) if alive else max(newest_by_instance.values(), default=None)


def _is_of(labels: Mapping[str, str], route: str) -> bool:
    return any(labels.get(label) == route for label in ROUTE_LABELS)


Groups = Mapping[str | None, Sequence[SeriesData]]


def _by_instance(series: Sequence[SeriesData], name: Callable[[Mapping[str, str]], str | None]) -> Groups:
    groups: dict[str | None, list[SeriesData]] = defaultdict(list)
    for one in series:
        groups[name(one.labels)].append(one)
    return groups


def _from_zero(groups: Groups) -> list[SeriesData]:
    """Begin each series at zero when its instance last pushed without it, or at its stated start time."""
    out = []
    for group in groups.values():
        pushes = np.unique(np.concatenate([one.times_ms for one in group]))
        for one in group:
            first = int(one.times_ms[0])
            before = pushes[: np.searchsorted(pushes, first)]
            began = int(before[-1]) if len(before) else one.created_ms
            out.append(one if began is None or began >= first else _with_zero(one, began))
    return out


def _with_zero(series: SeriesData, at_ms: int) -> SeriesData:
    times = np.concatenate((np.array([at_ms], np.int64), series.times_ms))
    if series.histograms is None:
        values = series.values if series.values is not None else np.zeros(0)
        return replace(series, times_ms=times, values=np.concatenate(([0.0], values)))
    first = take_natives(series.histograms, np.zeros(1, np.int64))
    zero = np.zeros(1)
    empty: NativeSeries = replace(
        first, zero_count=zero, count=zero, sum=zero, positive=SparseBuckets.none(1), negative=SparseBuckets.none(1)
    )
    return replace(series, times_ms=times, histograms=join_natives([empty, series.histograms]))


def _counts(series: Sequence[SeriesData], from_ms: int, to_ms: int, scale: float) -> HistogramCells | None:
    natives = [one for one in series if one.histograms is not None]
    floats = [one for one in series if one.histograms is None]
    return _of_natives(natives, from_ms, to_ms, scale) if natives else _of_buckets(floats, from_ms, to_ms, scale)


def _of_buckets(series: Sequence[SeriesData], from_ms: int, to_ms: int, scale: float) -> HistogramCells | None:
    """Return the differences of each bucket's counter, interpolated between its samples and constant outside."""
    increases = np.array([[_increase(one, from_ms, to_ms)] for one in series]).reshape(len(series), 1)
    buckets, _ = classic_buckets(series, increases)
    bounds, cumulative = buckets.summed(None)
    if len(bounds) < 2 or not np.isposinf(bounds[-1]):
        return None
    return HistogramCells.of_cumulative(np.array([to_ms], np.int64), bounds * scale, cumulative)


def _increase(series: SeriesData, from_ms: int, to_ms: int) -> float:
    times, values = without_stale(series)
    if not len(times):
        return 0.0
    steps = np.diff(values)
    total = np.concatenate(([0.0], np.cumsum(np.where(steps < 0, values[1:], steps))))
    before, after = np.interp((from_ms, to_ms), times, total)
    return float(after - before)


def _of_natives(series: Sequence[SeriesData], from_ms: int, to_ms: int, scale: float) -> HistogramCells | None:
    """Use the samples nearest to the edges: buckets of a sparse histogram cannot be interpolated."""
    parts: list[BucketSegment] = []
    for one in series:
        first, last = _nearest(one.times_ms, from_ms, to_ms)
        if first >= last:
            continue
        width_ms = last - first + 1  # a window of rate() is open at its left
        found = native_rates([one], np.array([last], np.int64), width_ms, PROMETHEUS_3)
        parts += [_times(part, width_ms / 1000) for part in found.parts]
    groups = summed_buckets(parts, 1)
    if not groups:
        return None
    bounds = bounds_shared([(lower[:, 0], upper[:, 0], counts) for _, lower, upper, counts, _ in groups])
    if len(bounds) < 2:
        return None
    cumulative = np.zeros((len(bounds), 1))
    for _, _, upper, counts, _ in groups:
        below = upper[:, 0][None, :] <= (bounds * (1 + 1e-9))[:, None]
        cumulative += below.astype(np.float64) @ counts
    return HistogramCells.of_cumulative(np.array([to_ms], np.int64), bounds * scale, cumulative)


def _nearest(times: Times, from_ms: int, to_ms: int) -> tuple[int, int]:
    """Return the times of the two samples nearest to the edges.

    If they are the same, of those around both.
    """
    first, last = (int(times[np.argmin(np.abs(times - edge))]) for edge in (from_ms, to_ms))
    if first < last:
        return first, last
    before, after = times[times <= from_ms], times[times >= to_ms]
    return int(before[-1] if len(before) else times[0]), int(after[0] if len(after) else times[-1])


def _times(part: BucketSegment, factor: float) -> BucketSegment:
    def scaled(table: HistogramTable) -> HistogramTable:
        counts: Values = table.count * factor
        return HistogramTable(table.index, counts)

    return replace(part, positive=scaled(part.positive), negative=scaled(part.negative), zero=part.zero * factor)
