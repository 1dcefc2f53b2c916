"""Convert a service's samples to cells of time.

Requests and latency in each, as counts that can be pooled. A counter's value at a cell's edge is interpolated between
its samples: nothing is counted twice or lost between cells, and nothing is extrapolated. Panels use PromQL's rates;
tests use cells, because a rate over a sliding window would correlate neighbors.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from slowpath.analysis.kinds.metrics.panels.gauge_cells import GaugeCells, gauge_cells
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.analysis.kinds.metrics.panels.time_grid import scrape_interval_ms
from slowpath.analysis.kinds.metrics.rates.classic_histograms import classic_buckets
from slowpath.analysis.kinds.metrics.rates.counter_rates import sum_present, without_stale
from slowpath.analysis.kinds.metrics.rates.native_histogram_rates import native_rates
from slowpath.analysis.kinds.metrics.rates.native_histogram_sums import summed_buckets
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PROMETHEUS_3
from slowpath.analysis.kinds.metrics.rates.rate_windows import SCRAPES_LOST
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData, Times, Values
from slowpath.analysis.stats.histogram_cells import HistogramCells
from slowpath.units import MILLISECONDS_PER_MINUTE

CELLS_MS: Final = (5_000, 10_000, 15_000, 30_000, 60_000)
MINUTE_MS: Final = MILLISECONDS_PER_MINUTE
SAME: Final = 1e-9

Chosen = Callable[[SeriesData], bool]


@dataclass(frozen=True)
class ServiceCells:
    """[M] cells that end at `times_ms`: requests, their latency, and its mean in seconds; gauges by their metric.

    NaN where unknown.
    """

    times_ms: Times
    cell_ms: int
    latency: HistogramCells | None
    requests: Values
    mean_s: Values | None
    gauges: Mapping[str, GaugeCells] = field(default_factory=dict)
    gauge: GaugeCells | None = None
    """The one that the signal `gauge` means."""

    def of_gauge(self, metric: str) -> "ServiceCells":
        """Return the same cells, whose signal `gauge` is this metric."""
        return replace(self, gauge=self.gauges.get(metric)) if metric else self


def finest_cell_ms(samples: ServiceSamples) -> int:
    """Return the shortest cells that contain two scrapes."""
    interval = scrape_interval_ms(samples.counters())
    return next((cell for cell in CELLS_MS if cell >= 2 * interval), CELLS_MS[-1])


def service_cells(
    samples: ServiceSamples, from_ms: int, to_ms: int, cell_ms: int, chosen: Chosen | None = None
) -> ServiceCells:
    """Split (from_ms, to_ms] into cells at multiples of `cell_ms`.

    Only of the series `chosen` (all if None); gauges only of all series, by minutes.
    """
    edges = np.arange(-(-from_ms // cell_ms), to_ms // cell_ms + 1, dtype=np.int64) * cell_ms
    is_chosen: Chosen = chosen or (lambda _series: True)
    natives = [one for one in samples.natives if is_chosen(one)]
    buckets = [one for one in samples.buckets if is_chosen(one)]
    counted = [one for _, one in samples.requests if is_chosen(one)]
    latency = None
    if natives:
        latency = _of_natives(natives, edges, samples.seconds_per_unit)
    elif buckets:
        latency = _of_buckets(buckets, edges, samples.seconds_per_unit)
    floats = [one for one in counted if one.histograms is None]
    requests = sum_present(increases(floats, edges))
    if not floats and latency is not None:
        requests = latency.requests
    sums, counts = (
        sum_present(increases([one for one in part if is_chosen(one)], edges))
        for part in (samples.sums, samples.counts)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(counts > 0, sums / counts, np.nan) * samples.seconds_per_unit
    gauges = gauge_cells(samples.gauges, edges, cell_ms) if chosen is None and cell_ms >= MINUTE_MS else {}
    return ServiceCells(edges[1:], cell_ms, latency, requests, mean if np.isfinite(mean).any() else None, gauges)


def increases(series: Sequence[SeriesData], edges: Times) -> Values:
    """[S, M] Return each counter's increase between neighboring edges [M + 1].

    NaN in gaps and beyond its samples.
    """
    out = np.full((len(series), max(len(edges) - 1, 0)), np.nan)
    for row, one in enumerate(series):
        times, values = without_stale(one)
        if len(times) < 2:
            continue
        steps = np.diff(values)
        total = np.concatenate(([0.0], np.cumsum(np.where(steps < 0, values[1:], steps))))
        out[row] = np.diff(np.interp(edges, times, total, left=np.nan, right=np.nan))
        distances = np.diff(times)
        for hole in np.flatnonzero(distances > SCRAPES_LOST * np.median(distances)).tolist():
            first, last = np.searchsorted(edges, (times[hole], times[hole + 1]))
            out[row, max(int(first) - 1, 0) : int(last)] = np.nan
    return out


def _of_buckets(series: Sequence[SeriesData], edges: Times, scale: float) -> HistogramCells | None:
    buckets, _ = classic_buckets(series, increases(series, edges))
    bounds, cumulative = buckets.summed(None)
    if len(bounds) < 2 or not np.isposinf(bounds[-1]):
        return None
    return HistogramCells.of_cumulative(edges[1:], bounds * scale, cumulative)


def _of_natives(series: Sequence[SeriesData], edges: Times, scale: float) -> HistogramCells | None:
    """Return rates over a cell and one scrape, times the cell.

    Exponential buckets nest, so common bounds remain.
    """
    cell_ms = int(edges[1] - edges[0]) if len(edges) > 1 else MINUTE_MS
    width_ms = cell_ms + scrape_interval_ms(list(series))
    groups = summed_buckets(native_rates(series, edges[1:], width_ms, PROMETHEUS_3).parts, len(edges) - 1)
    if not groups:
        return None
    bounds = bounds_shared([(lower[:, 0], upper[:, 0], counts) for _, lower, upper, counts, _ in groups])
    if len(bounds) < 2:
        return None
    cumulative = np.full((len(bounds), len(edges) - 1), np.nan)
    for columns, _, upper, counts, _ in groups:
        below = upper[:, 0][None, :] <= (bounds * (1 + SAME))[:, None]
        cumulative[:, columns] = below.astype(np.float64) @ counts * (cell_ms / 1000)
    return HistogramCells.of_cumulative(edges[1:], bounds * scale, cumulative)


def bounds_shared(groups: Sequence[tuple[Values, Values, Values]]) -> Values:
    """Return positive bounds that no filled bucket of any group straddles, and +Inf."""
    bounds = np.unique(np.concatenate([upper[upper > 0] for _, upper, _ in groups] + [np.array([np.inf])]))
    is_distinct = (
        np.concatenate(([True], np.diff(bounds[:-1]) > SAME * bounds[:-2], [True])) if len(bounds) > 1 else [True]
    )
    bounds = bounds[is_distinct]
    free = np.ones(len(bounds), np.bool_)
    for lower, upper, counts in groups:
        filled = counts.sum(axis=1) > 0
        low, high = lower[filled], upper[filled]
        inside = (low[None, :] < (bounds * (1 - SAME))[:, None]) & (high[None, :] > (bounds * (1 + SAME))[:, None])
        free &= ~inside.any(axis=1)
    out: Values = bounds[free]
    return out
