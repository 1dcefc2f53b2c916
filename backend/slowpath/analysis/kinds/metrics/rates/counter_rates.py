"""rate() of counters, many at a time, and gauges at grid times.

Equal to Prometheus on the same samples. All buckets of one instance are scraped at once and share their times: windows
and extrapolation are computed once for them, and each series only needs one comparison for resets and two gathers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import LOOKBACK_MS, PrometheusDialect
from slowpath.analysis.kinds.metrics.rates.rate_windows import RateWindows, newest_before, windows_before
from slowpath.analysis.kinds.metrics.samples.series_data import RollUp, SeriesData, Times, Values, has_nan, is_stale


@dataclass(frozen=True, slots=True)
class CounterRates:
    """[S, P] rate per second of each series, NaN where Prometheus returns none; and the times of resets."""

    per_second: Values
    reset_ms: tuple[Times, ...]  # one array per series: the times of the first samples after a reset


class RateWindowCache:
    """Windows by vector of times: equal vectors (the usual case) share one entry."""

    def __init__(self, grid_times: Times, width_ms: int, dialect: PrometheusDialect) -> None:
        self._grid_times = grid_times
        self._width_ms = width_ms
        self._dialect = dialect
        self._known: dict[tuple[int, int, int, RollUp | None], list[tuple[Times, RateWindows]]] = {}

    def of(self, times: Times, roll_up: RollUp | None) -> RateWindows:
        """Return the windows over these times, which contain no stale marker."""
        key = (len(times), int(times[0]), int(times[-1]), roll_up) if len(times) else (0, 0, 0, roll_up)
        known = self._known.setdefault(key, [])
        for seen, windows in known:
            if seen is times or np.array_equal(seen, times):
                return windows
        created = windows_before(self._grid_times, self._width_ms, times, self._dialect, roll_up)
        known.append((times, created))
        return created


def without_stale(series: SeriesData) -> tuple[Times, Values]:
    """Return times and values of a float series without its stale markers, like range selectors."""
    values = series.values if series.values is not None else np.zeros(0)
    times = series.times_ms if series.values is not None else series.times_ms[:0]
    if has_nan(values):
        is_sample = ~is_stale(values)
        if not is_sample.all():
            return times[is_sample], values[is_sample]
    return times, values


def rates_of(
    series: Sequence[SeriesData], grid_times: Times, width_ms: int, dialect: PrometheusDialect
) -> CounterRates:
    """Return rate(series[width]) at each grid time, with counter resets added back and the ends extrapolated."""
    points = len(grid_times)
    per_second = np.full((len(series), points), np.nan)
    resets: list[Times] = []
    shared = RateWindowCache(grid_times, width_ms, dialect)
    together: dict[int, tuple[RateWindows, list[int]]] = {}
    first_value = np.zeros((len(series), points))
    increase = np.zeros((len(series), points))
    for row, one in enumerate(series):
        times, values = without_stale(one)
        windows = shared.of(times, one.roll_up)
        together.setdefault(id(windows), (windows, []))[1].append(row)
        fell = np.flatnonzero(values[1:] < values[:-1]) + 1
        resets.append(times[fell])
        if not len(values):
            continue
        first_value[row] = values[windows.first]
        np.subtract(values[windows.last], first_value[row], out=increase[row])
        if len(fell):
            increase[row] += reset_corrections(values[fell - 1], fell, windows)
    for windows, rows in together.values():
        if not windows.full.any():
            continue
        chosen = slice(rows[0], rows[-1] + 1) if rows[-1] - rows[0] + 1 == len(rows) else rows
        increases = increase[chosen]
        rate = increases * windows.factors(first_value[chosen], increases, dialect)
        rate[:, ~windows.full] = np.nan
        per_second[chosen] = rate
    return CounterRates(per_second, tuple(resets))


def reset_corrections(before: Values, at: Times, windows: RateWindows) -> Values:
    """[P, ...] Sum the counter values before each reset within a window.

    `before` is [R] or [R, K]: the values just before; `at` [R] the ascending indices of the first samples after. A reset counts
    for a window that contains the samples on both its sides.
    """
    summed = np.concatenate((np.zeros((1, *before.shape[1:])), np.cumsum(before, axis=0)))
    upto_last = np.searchsorted(at, windows.last, side="right")
    upto_first = np.searchsorted(at, windows.first, side="right")
    # Without a reset between, both indices are equal and the difference is exactly zero.
    correction: Values = summed[upto_last] - summed[upto_first]
    return correction


def gauges_of(series: Sequence[SeriesData], grid_times: Times, dialect: PrometheusDialect) -> Values:
    """[S, P] Return the value of each series at each grid time.

    The newest sample of five minutes, unless stale.
    """
    out = np.full((len(series), len(grid_times)), np.nan)
    for row, one in enumerate(series):
        if one.values is None or not len(one.values):
            continue
        newest, found = newest_before(grid_times, one.times_ms, LOOKBACK_MS, dialect)
        values = one.values[newest]
        out[row] = np.where(found & ~is_stale(values), values, np.nan)
    return out


def sum_present(table: Values) -> Values:
    """[S, P] -> [P] Sum the present values, like sum() of an instant vector; NaN without any."""
    if not len(table):
        return np.full(table.shape[1], np.nan)
    summed = np.nansum(table, axis=0)
    summed[np.isnan(table).all(axis=0)] = np.nan
    out: Values = summed
    return out
