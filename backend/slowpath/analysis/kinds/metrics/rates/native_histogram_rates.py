"""rate() of native histograms and their sum over instances, at each grid time at the finest common resolution."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.rates.counter_rates import RateWindowCache, reset_corrections
from slowpath.analysis.kinds.metrics.rates.histogram_quantiles import NativeBuckets, QuantileEstimate, native_quantile
from slowpath.analysis.kinds.metrics.rates.native_histogram_sums import BucketSegment, into_zero, summed_buckets
from slowpath.analysis.kinds.metrics.rates.native_histogram_table import (
    SCHEMA_MAX,
    HistogramTable,
    affordable_schema,
    dense,
    epochs,
    reset_rows,
    subset,
)
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PrometheusDialect
from slowpath.analysis.kinds.metrics.rates.rate_windows import Indices, RateWindows
from slowpath.analysis.kinds.metrics.samples.series_data import (
    CUSTOM_BUCKETS_SCHEMA,
    NativeSeries,
    SeriesData,
    Times,
    Values,
    is_stale,
)

_THRESHOLDS_MAX: Final = 16  # different zero thresholds per series that are handled separately


@dataclass(frozen=True, slots=True)
class NativeRates:
    """[S, P] rates of count and sum, and the parts from which any sum over series is computed."""

    count: Values
    sum: Values
    reset_ms: tuple[Times, ...]
    parts: tuple[BucketSegment, ...]
    points: int

    def quantiles(
        self, qs: Sequence[float], members: Sequence[int] | None, dialect: PrometheusDialect
    ) -> list[QuantileEstimate]:
        """Return histogram_quantile(q, sum(rate(...))) over the series `members` (all if None), for each q."""
        chosen = [part for part in self.parts if members is None or part.series in members]
        rows = slice(None) if members is None else list(members)
        out = [[np.full(self.points, np.nan) for _ in range(3)] for _ in qs]
        with np.errstate(invalid="ignore"):
            total = np.nansum(self.count[rows], axis=0)
            # A NaN sum with a known count is data (NaN was observed); a missing series is not.
            summed = np.where(np.isnan(self.count[rows]), 0.0, self.sum[rows]).sum(axis=0)
        for columns, lower, upper, counts, custom in summed_buckets(chosen, self.points):
            buckets = NativeBuckets(lower, upper, counts, total[columns], summed[columns], custom)
            for q, into in zip(qs, out, strict=True):
                found = native_quantile(q, buckets, dialect)
                into[0][columns], into[1][columns], into[2][columns] = found.value, found.low, found.high
        return [QuantileEstimate(*one) for one in out]


def native_rates(
    series: Sequence[SeriesData], grid_times: Times, width_ms: int, dialect: PrometheusDialect
) -> NativeRates:
    """Return rate(series[width]) of native histograms at each grid time."""
    shared = RateWindowCache(grid_times, width_ms, dialect)
    points = len(grid_times)
    count, summed = np.full((len(series), points), np.nan), np.full((len(series), points), np.nan)
    resets: list[Times] = []
    parts: list[BucketSegment] = []
    for row, one in enumerate(series):
        at: list[Times] = []
        for times, native in _clean_epochs(one):
            windows = shared.of(times, one.roll_up)
            fell = reset_rows(native)
            at.append(times[fell])
            factor = _count_and_sum(native, fell, windows, dialect, into=(count[row], summed[row]))
            parts += _parts_of_increase(row, native, fell, windows, factor)
        resets.append(np.concatenate(at) if at else np.zeros(0, np.int64))
    return NativeRates(count, summed, tuple(resets), tuple(parts), points)


def _clean_epochs(series: SeriesData) -> list[tuple[Times, NativeSeries]]:
    """Return the series without its stale markers, split where its kind of buckets changes."""
    native = series.histograms
    if native is None:
        return []
    times = series.times_ms
    stale = is_stale(native.sum)
    finest = affordable_schema(native)
    if stale.any() or finest < int(native.schema.max(initial=finest)):
        rows = np.flatnonzero(~stale)
        times, native = times[rows], subset(native, rows, min(finest, SCHEMA_MAX))
    return epochs(native, times)


def _count_and_sum(
    native: NativeSeries,
    fell: Indices,
    windows: RateWindows,
    dialect: PrometheusDialect,
    *,
    into: tuple[Values, Values],
) -> Values:
    """Write the rates of count and sum where this epoch has windows.

    Return the factor from increases to rates.
    """
    first = native.count[windows.first]
    increase = native.count[windows.last] - first + reset_corrections(native.count[fell - 1], fell, windows)
    # Prometheus 2 does not extrapolate histograms to zero: a first value below zero disables it.
    factor = windows.factors(first if dialect.covers_before_zero else np.full_like(first, -1.0), increase, dialect)
    total = (
        native.sum[windows.last] - native.sum[windows.first] + reset_corrections(native.sum[fell - 1], fell, windows)
    )
    full = windows.full
    into[0][full], into[1][full] = (increase * factor)[full], (total * factor)[full]
    return factor


@dataclass(frozen=True, slots=True)
class _SelectedRows:
    """Select one row per column."""

    place: Indices

    def of(self, table: Values) -> Values:
        """Map rows [R, ...] to columns [C, ...]."""
        return table[self.place]


@dataclass(frozen=True, slots=True)
class _CounterIncrease:
    """Last row minus first row, plus the corrections at resets, times the factor of extrapolation."""

    first: Indices
    last: Indices
    before_reset: Indices
    fell: Indices
    windows: RateWindows
    columns: Indices
    factor: Values

    def of(self, table: Values) -> Values:
        """Map rows [R, ...] to columns [C, ...]."""
        increase = table[self.last] - table[self.first]
        if len(self.fell):
            increase += reset_corrections(table[self.before_reset], self.fell, self.windows)[self.columns]
        out: Values = increase * (self.factor[:, None] if increase.ndim == 2 else self.factor)
        return out


def _parts_of_increase(
    series: int, native: NativeSeries, fell: Indices, windows: RateWindows, factor: Values
) -> list[BucketSegment]:
    # A first row right before a reset cancels out, so its layout does not matter.
    cut = np.isin(windows.first + 1, fell) & windows.full
    start = np.where(cut, windows.first + 1, windows.first)
    parts = []
    for columns, schema, threshold in _layouts(native, start, windows.last, windows.full):
        first, last = windows.first[columns], windows.last[columns]
        inside = fell[(fell > first.min()) & (fell <= last.max())]
        rows = np.unique(np.concatenate((first, last, inside - 1)))
        increase = _CounterIncrease(
            first=np.searchsorted(rows, first),
            last=np.searchsorted(rows, last),
            before_reset=np.searchsorted(rows, inside - 1),
            fell=inside,
            windows=windows,
            columns=columns,
            factor=factor[columns],
        )
        parts.append(_part(series, columns, native, (rows, schema, threshold), increase))
    return parts


def _layouts(
    native: NativeSeries, start: Indices, last: Indices, full: NDArray[np.bool_]
) -> list[tuple[Indices, int, float]]:
    """Group the columns whose windows start..last share the lowest schema and the highest zero threshold."""
    if not full.any():
        return []
    schema = np.full(len(full), int(native.schema.min()))
    if native.schema.max() > native.schema.min():
        for value in np.unique(native.schema)[::-1]:
            schema = np.where(_holds(native.schema == value, start, last), value, schema)
    thresholds = native.zero_threshold[:1]
    if native.zero_threshold.min() < native.zero_threshold.max():
        thresholds = np.unique(native.zero_threshold)
    threshold = np.full(len(full), thresholds[-1])
    if 1 < len(thresholds) <= _THRESHOLDS_MAX:
        for level in thresholds:
            threshold = np.where(_holds(native.zero_threshold == level, start, last), level, threshold)
    out: list[tuple[Indices, int, float]] = []
    for one in np.unique(schema[full]):
        has_schema = full & (schema == one)
        out += [
            (np.flatnonzero(has_schema & (threshold == level)), int(one), float(level))
            for level in np.unique(threshold[has_schema])
        ]
    return out


def _holds(which: NDArray[np.bool_], start: Indices, last: Indices) -> NDArray[np.bool_]:
    """Return for each window whether any of its rows is one of these."""
    before = np.concatenate(([0], np.cumsum(which)))
    out: NDArray[np.bool_] = before[last + 1] > before[start]
    return out


def _part(
    series: int,
    columns: Indices,
    native: NativeSeries,
    layout: tuple[Indices, int, float],
    arithmetic: _SelectedRows | _CounterIncrease,
) -> BucketSegment:
    """Build tables of the layout's rows at its schema and zero threshold, mapped to its columns."""
    rows, schema, threshold = layout
    zero = native.zero_count[rows].copy()
    tables = [dense(side, rows, native.schema[rows], schema) for side in (native.positive, native.negative)]
    bounds = np.zeros(0)
    if schema == CUSTOM_BUCKETS_SCHEMA:
        bounds = native.custom_bounds[: int(native.custom_offset[1])]
    elif (native.zero_threshold[rows] < threshold).any():
        tables, threshold = into_zero(tables, zero, schema, threshold)
    positive, negative = (
        HistogramTable(table.index, np.ascontiguousarray(arithmetic.of(table.count).T)) for table in tables
    )
    return BucketSegment(series, columns, schema, threshold, bounds, positive, negative, arithmetic.of(zero))
