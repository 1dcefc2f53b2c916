"""rate() of native histograms and their sum over instances, at each grid time at the finest resolution all agree on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.metrics.native_rows import (
    SCHEMA_MAX,
    Table,
    affordable_schema,
    bucket_bounds,
    dense,
    epochs,
    reset_rows,
    subset,
)
from slowpath.analysis.metrics.promql import LOOKBACK_MS, Dialect
from slowpath.analysis.metrics.quantiles import NativeBuckets, Quantile, native_quantile
from slowpath.analysis.metrics.rates import SharedWindows, lost_at_resets
from slowpath.analysis.metrics.series import CUSTOM_BUCKETS_SCHEMA, NativeSeries, SeriesData, Times, Values, is_stale
from slowpath.analysis.metrics.windows import Indices, Windows, newest_before

_THRESHOLDS_MAX: Final = 16  # different zero thresholds in one series that are told apart


@dataclass(frozen=True, slots=True)
class Part:
    """What one series gives to some columns of the grid, all of one layout. [K, C] for each side; `zero` is [C]."""

    series: int
    columns: Indices
    schema: int
    threshold: float
    bounds: Values  # of custom buckets; else empty
    positive: Table  # count is [K, C] here
    negative: Table
    zero: Values


@dataclass(frozen=True, slots=True)
class NativeRates:
    """[S, P] rates of count and sum; and the parts from which any sum over series is made."""

    count: Values
    sum: Values
    reset_ms: tuple[Times, ...]
    parts: tuple[Part, ...]
    points: int

    def quantiles(self, qs: Sequence[float], members: Sequence[int] | None, dialect: Dialect) -> list[Quantile]:
        """histogram_quantile(q, sum(rate(...))) over the series `members` (all when None), for each q."""
        chosen = [part for part in self.parts if members is None or part.series in members]
        rows = slice(None) if members is None else list(members)
        out = [[np.full(self.points, np.nan) for _ in range(3)] for _ in qs]
        with np.errstate(invalid="ignore"):
            total = np.nansum(self.count[rows], axis=0)
            # A NaN sum beside a known count is data (somebody observed NaN); a missing series is not.
            summed = np.where(np.isnan(self.count[rows]), 0.0, self.sum[rows]).sum(axis=0)
        for columns, lower, upper, counts, custom in summed_buckets(chosen, self.points):
            buckets = NativeBuckets(lower, upper, counts, total[columns], summed[columns], custom)
            for q, into in zip(qs, out, strict=True):
                found = native_quantile(q, buckets, dialect)
                into[0][columns], into[1][columns], into[2][columns] = found.value, found.low, found.high
        return [Quantile(*one) for one in out]


def native_rates(series: Sequence[SeriesData], grid_times: Times, width_ms: int, dialect: Dialect) -> NativeRates:
    """rate(series[width]) of native histograms at each grid time."""
    shared = SharedWindows(grid_times, width_ms, dialect)
    points = len(grid_times)
    count, summed = np.full((len(series), points), np.nan), np.full((len(series), points), np.nan)
    resets: list[Times] = []
    parts: list[Part] = []
    for row, one in enumerate(series):
        at: list[Times] = []
        for times, native in _clean_epochs(one):
            windows = shared.of(times)
            fell = reset_rows(native)
            at.append(times[fell])
            factor = _count_and_sum(native, fell, windows, dialect, into=(count[row], summed[row]))
            parts += _parts_of_increase(row, native, fell, windows, factor)
        resets.append(np.concatenate(at) if at else np.zeros(0, np.int64))
    return NativeRates(count, summed, tuple(resets), tuple(parts), points)


def native_now(series: Sequence[SeriesData], grid_times: Times, dialect: Dialect) -> NativeRates:
    """The histograms as they stand at each grid time (gauge histograms; an instant selector), not their rate."""
    points = len(grid_times)
    count, summed = np.full((len(series), points), np.nan), np.full((len(series), points), np.nan)
    parts: list[Part] = []
    for row, one in enumerate(series):
        newest_of_all, found = newest_before(grid_times, one.times_ms, LOOKBACK_MS, dialect)
        for times, native in _clean_epochs(one):
            newest, _ = newest_before(grid_times, times, LOOKBACK_MS, dialect)
            here = found & (times[newest] == one.times_ms[newest_of_all])
            count[row, here], summed[row, here] = native.count[newest[here]], native.sum[newest[here]]
            for columns, schema, threshold in _layouts(native, newest, newest, here):
                rows, place = np.unique(newest[columns], return_inverse=True)
                parts.append(_part(row, columns, native, (rows, schema, threshold), _Picked(place)))
    return NativeRates(count, summed, tuple(np.zeros(0, np.int64) for _ in series), tuple(parts), points)


def _clean_epochs(series: SeriesData) -> list[tuple[Times, NativeSeries]]:
    """The series without its stale markers, parted where its kind of buckets changes."""
    native = series.histograms
    if native is None:
        return []
    times = series.times_ms
    gone = is_stale(native.sum)
    finest = affordable_schema(native)
    if gone.any() or finest < int(native.schema.max(initial=finest)):
        rows = np.flatnonzero(~gone)
        times, native = times[rows], subset(native, rows, min(finest, SCHEMA_MAX))
    return epochs(native, times)


def _count_and_sum(
    native: NativeSeries, fell: Indices, windows: Windows, dialect: Dialect, *, into: tuple[Values, Values]
) -> Values:
    """Write the rates of count and sum where this epoch has windows; give the factor that makes rates of increases."""
    first = native.count[windows.first]
    grown = native.count[windows.last] - first + lost_at_resets(native.count[fell - 1], fell, windows)
    # Prometheus 2 does not ask where a histogram's counts would reach zero: a first value below zero says so.
    factor = windows.factors(first if dialect.covers_before_zero else np.full_like(first, -1.0), grown, dialect)
    total = native.sum[windows.last] - native.sum[windows.first] + lost_at_resets(native.sum[fell - 1], fell, windows)
    full = windows.full
    into[0][full], into[1][full] = (grown * factor)[full], (total * factor)[full]
    return factor


@dataclass(frozen=True, slots=True)
class _Picked:
    """One row a column."""

    place: Indices

    def of(self, table: Values) -> Values:
        """Rows [R, ...] to columns [C, ...]."""
        return table[self.place]


@dataclass(frozen=True, slots=True)
class _Increase:
    """Last row minus first row, plus what was lost at resets, times the factor of extrapolation."""

    first: Indices
    last: Indices
    before_reset: Indices
    fell: Indices
    windows: Windows
    columns: Indices
    factor: Values

    def of(self, table: Values) -> Values:
        """Rows [R, ...] to columns [C, ...]."""
        grown = table[self.last] - table[self.first]
        if len(self.fell):
            grown += lost_at_resets(table[self.before_reset], self.fell, self.windows)[self.columns]
        out: Values = grown * (self.factor[:, None] if grown.ndim == 2 else self.factor)
        return out


def _parts_of_increase(
    series: int, native: NativeSeries, fell: Indices, windows: Windows, factor: Values
) -> list[Part]:
    # A first row right before a reset cancels out of the increase, so its layout does not matter.
    cut = np.isin(windows.first + 1, fell) & windows.full
    start = np.where(cut, windows.first + 1, windows.first)
    parts = []
    for columns, schema, threshold in _layouts(native, start, windows.last, windows.full):
        first, last = windows.first[columns], windows.last[columns]
        inside = fell[(fell > first.min()) & (fell <= last.max())]
        rows = np.unique(np.concatenate((first, last, inside - 1)))
        increase = _Increase(
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
        alike = full & (schema == one)
        out += [
            (np.flatnonzero(alike & (threshold == level)), int(one), float(level))
            for level in np.unique(threshold[alike])
        ]
    return out


def _holds(which: NDArray[np.bool_], start: Indices, last: Indices) -> NDArray[np.bool_]:
    """For each window whether any of its rows is one of these."""
    before = np.concatenate(([0], np.cumsum(which)))
    out: NDArray[np.bool_] = before[last + 1] > before[start]
    return out


def _part(
    series: int,
    columns: Indices,
    native: NativeSeries,
    layout: tuple[Indices, int, float],
    arithmetic: _Picked | _Increase,
) -> Part:
    """The layout's rows as tables of its schema and zero threshold, and then what the columns make of them."""
    rows, schema, threshold = layout
    zero = native.zero_count[rows].copy()
    tables = [dense(side, rows, native.schema[rows], schema) for side in (native.positive, native.negative)]
    bounds = np.zeros(0)
    if schema == CUSTOM_BUCKETS_SCHEMA:
        bounds = native.custom_bounds[: int(native.custom_offset[1])]
    elif (native.zero_threshold[rows] < threshold).any():
        tables, threshold = _into_zero(tables, zero, schema, threshold)
    positive, negative = (Table(table.index, np.ascontiguousarray(arithmetic.of(table.count).T)) for table in tables)
    return Part(series, columns, schema, threshold, bounds, positive, negative, arithmetic.of(zero))


def _into_zero(tables: list[Table], zero: Values, schema: int, threshold: float) -> tuple[list[Table], float]:
    """Put buckets within the zero threshold into the zero bucket; a filled one that straddles it widens it."""
    for table in tables:
        lower, upper = bucket_bounds(table.index, schema)
        straddled = upper[(lower < threshold) & (upper > threshold) & (table.count != 0).any(axis=0)]
        threshold = float(max([threshold, *straddled]))
    kept = []
    for table in tables:
        _, upper = bucket_bounds(table.index, schema)
        zero += table.count[:, upper <= threshold].sum(axis=1)
        kept.append(Table(table.index[upper > threshold], table.count[:, upper > threshold]))
    return kept, threshold


def summed_buckets(parts: Sequence[Part], points: int) -> list[tuple[Indices, Values, Values, Values, bool]]:
    """Add the parts up: for each group of columns of one layout (columns, lower [K, C], upper, count, custom).

    Exponential buckets meet at the lowest schema and the highest zero threshold of those present. Custom ones meet at the
    bounds that all of them have. Where both kinds are present Prometheus gives no answer, nor do we.
    """
    custom = [part for part in parts if part.schema == CUSTOM_BUCKETS_SCHEMA]
    exponential = [part for part in parts if part.schema != CUSTOM_BUCKETS_SCHEMA]
    in_custom, in_exponential = _covered(custom, points), _covered(exponential, points)
    out = []
    if exponential:
        out += _summed_exponential(exponential, points, in_exponential & ~in_custom)
    if custom:
        out += _summed_custom(custom, points, in_custom & ~in_exponential)
    return out


def _covered(parts: Sequence[Part], points: int) -> NDArray[np.bool_]:
    covered = np.zeros(points, np.bool_)
    for part in parts:
        covered[part.columns] = True
    return covered


def _summed_exponential(
    parts: Sequence[Part], points: int, wanted: NDArray[np.bool_]
) -> list[tuple[Indices, Values, Values, Values, bool]]:
    schema = np.full(points, SCHEMA_MAX + 1)
    threshold = np.zeros(points)
    for part in parts:
        schema[part.columns] = np.minimum(schema[part.columns], part.schema)
        threshold[part.columns] = np.maximum(threshold[part.columns], part.threshold)
    out = []
    for one in np.unique(schema[wanted]):
        for level in np.unique(threshold[wanted & (schema == one)]):
            columns = np.flatnonzero(wanted & (schema == one) & (threshold == level))
            lower, upper, count = _sum_at(parts, columns, points, int(one), float(level))
            shape = count.shape
            out.append(
                (columns, np.broadcast_to(lower[:, None], shape), np.broadcast_to(upper[:, None], shape), count, False)
            )
    return out


def _sum_at(
    parts: Sequence[Part], columns: Indices, points: int, schema: int, level: float
) -> tuple[Values, Values, Values]:
    """Lower [K], upper [K] and count [K, C] of the sum of the parts over these columns, in ascending order of value."""
    place = np.full(points, -1)
    place[columns] = np.arange(len(columns))
    zero = np.zeros(len(columns))
    sides: list[list[tuple[Table, Indices]]] = [[], []]
    for part in parts:
        mine = place[part.columns]
        here = mine >= 0
        if not here.any():
            continue
        tables = [Table(table.index, table.count.T[here]) for table in (part.positive, part.negative)]
        tables = [_coarser(table, part.schema, schema) for table in tables]
        own_zero = part.zero[here].copy()
        if part.threshold < level:
            tables, level = _into_zero(tables, own_zero, schema, level)
        zero[mine[here]] += own_zero
        for side, table in zip(sides, tables, strict=True):
            side.append((table, mine[here]))
    positive, negative = (_joined(side, len(columns)) for side in sides)
    low, high = bucket_bounds(positive.index, schema)
    low_negative, high_negative = bucket_bounds(negative.index[::-1], schema)
    lower = np.concatenate((-high_negative, [-level], low))
    upper = np.concatenate((-low_negative, [level], high))
    return lower, upper, np.concatenate((negative.count[::-1], zero[None, :], positive.count))


def _coarser(table: Table, schema: int, target: int) -> Table:
    """[C, K] at a lower schema: neighbours that fall into one bucket are added."""
    if schema == target or not len(table.index):
        return table
    index = ((table.index - 1) >> (schema - target)) + 1
    starts = np.flatnonzero(np.concatenate(([True], index[1:] != index[:-1])))
    return Table(index[starts], np.add.reduceat(table.count, starts, axis=1))


def _joined(side: Sequence[tuple[Table, Indices]], columns: int) -> Table:
    """Add tables [C_i, K_i] with their columns into one [K, C]."""
    index = np.unique(np.concatenate([table.index for table, _ in side])) if side else np.zeros(0, np.int64)
    count = np.zeros((len(index), columns))
    for table, mine in side:
        if len(table.index):
            count[np.ix_(np.searchsorted(index, table.index), mine)] += table.count.T
    return Table(index, count)


def _summed_custom(
    parts: Sequence[Part], points: int, wanted: NDArray[np.bool_]
) -> list[tuple[Indices, Values, Values, Values, bool]]:
    """Custom buckets at the bounds that all parts of a column share: counts up to a shared bound can be added."""
    bounds = np.unique(np.concatenate([part.bounds for part in parts] + [np.array([np.inf])]))
    cumulative = np.zeros((len(bounds), points))
    having = np.zeros((len(bounds), points), np.int64)
    for part in parts:
        filled = np.zeros((len(part.bounds) + 1, len(part.columns)))
        within = (part.positive.index >= 0) & (part.positive.index <= len(part.bounds))
        filled[part.positive.index[within]] = part.positive.count[within]
        rows = np.searchsorted(bounds, np.concatenate((part.bounds, [np.inf])))
        cumulative[np.ix_(rows, part.columns)] += np.cumsum(filled, axis=0)
        having[np.ix_(rows, part.columns)] += 1
    columns = np.flatnonzero(wanted)
    if not len(columns):
        return []
    shared = having[:, columns] == having[-1, columns]
    lower, count = _between_shared(bounds, cumulative[:, columns], shared)
    upper = np.broadcast_to(bounds[:, None], count.shape)
    return [(columns, lower, upper, count, True)]


def _between_shared(bounds: Values, cumulative: Values, shared: NDArray[np.bool_]) -> tuple[Values, Values]:
    """Lower bounds and counts of the buckets that end at shared bounds; a bound not shared ends an empty bucket."""
    own = np.where(shared, np.arange(len(bounds))[:, None], -1)
    upto = np.maximum.accumulate(own, axis=0)
    previous = np.concatenate((np.full((1, shared.shape[1]), -1), upto[:-1]))
    column = np.arange(shared.shape[1])
    lower = np.where(previous < 0, -np.inf, bounds[np.maximum(previous, 0)])
    below = np.where(previous < 0, 0.0, cumulative[np.maximum(previous, 0), column])
    return lower, np.where(shared, cumulative - below, 0.0)
