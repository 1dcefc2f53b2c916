"""Sum native histograms over series.

Exponential schemas at the coarsest, custom bounds at the common ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.rates.native_histogram_table import (
    SCHEMA_MAX,
    HistogramTable,
    bucket_bounds,
)
from slowpath.analysis.kinds.metrics.rates.rate_windows import Indices
from slowpath.analysis.kinds.metrics.samples.series_data import (
    CUSTOM_BUCKETS_SCHEMA,
    Values,
)


@dataclass(frozen=True, slots=True)
class BucketSegment:
    """The part of one series for some columns of the grid, all of one layout.

    [K, C] for each side; `zero` is [C].
    """

    series: int
    columns: Indices
    schema: int
    threshold: float
    bounds: Values  # of custom buckets; else empty
    positive: HistogramTable  # count is [K, C] here
    negative: HistogramTable
    zero: Values


def summed_buckets(parts: Sequence[BucketSegment], points: int) -> list[tuple[Indices, Values, Values, Values, bool]]:
    """Sum the parts: for each group of columns of one layout (columns, lower [K, C], upper, count, custom).

    Exponential buckets are merged at the lowest schema and the highest zero threshold present. Custom ones are merged at the
    bounds that all of them have. For columns with both kinds there is no result, as in Prometheus.
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


def _covered(parts: Sequence[BucketSegment], points: int) -> NDArray[np.bool_]:
    covered = np.zeros(points, np.bool_)
    for part in parts:
        covered[part.columns] = True
    return covered


def _summed_exponential(
    parts: Sequence[BucketSegment], points: int, columns_mask: NDArray[np.bool_]
) -> list[tuple[Indices, Values, Values, Values, bool]]:
    schema = np.full(points, SCHEMA_MAX + 1)
    threshold = np.zeros(points)
    for part in parts:
        schema[part.columns] = np.minimum(schema[part.columns], part.schema)
        threshold[part.columns] = np.maximum(threshold[part.columns], part.threshold)
    out = []
    for one in np.unique(schema[columns_mask]):
        for level in np.unique(threshold[columns_mask & (schema == one)]):
            columns = np.flatnonzero(columns_mask & (schema == one) & (threshold == level))
            lower, upper, count = _sum_at(parts, columns, points, int(one), float(level))
            shape = count.shape
            out.append(
                (columns, np.broadcast_to(lower[:, None], shape), np.broadcast_to(upper[:, None], shape), count, False)
            )
    return out


def _sum_at(
    parts: Sequence[BucketSegment], columns: Indices, points: int, schema: int, level: float
) -> tuple[Values, Values, Values]:
    """Return lower [K], upper [K] and count [K, C] of the sum of the parts over these columns, ascending by value."""
    place = np.full(points, -1)
    place[columns] = np.arange(len(columns))
    zero = np.zeros(len(columns))
    sides: list[list[tuple[HistogramTable, Indices]]] = [[], []]
    for part in parts:
        part_columns = place[part.columns]
        is_in_group = part_columns >= 0
        if not is_in_group.any():
            continue
        tables = [HistogramTable(table.index, table.count.T[is_in_group]) for table in (part.positive, part.negative)]
        tables = [coarser(table, part.schema, schema) for table in tables]
        own_zero = part.zero[is_in_group].copy()
        if part.threshold < level:
            tables, level = into_zero(tables, own_zero, schema, level)
        zero[part_columns[is_in_group]] += own_zero
        for side, table in zip(sides, tables, strict=True):
            side.append((table, part_columns[is_in_group]))
    positive, negative = (_joined(side, len(columns)) for side in sides)
    low, high = bucket_bounds(positive.index, schema)
    low_negative, high_negative = bucket_bounds(negative.index[::-1], schema)
    lower = np.concatenate((-high_negative, [-level], low))
    upper = np.concatenate((-low_negative, [level], high))
    return lower, upper, np.concatenate((negative.count[::-1], zero[None, :], positive.count))


def coarser(table: HistogramTable, schema: int, target: int) -> HistogramTable:
    """[C, K] Merge neighbors that fall into one bucket at a lower schema."""
    if schema == target or not len(table.index):
        return table
    index = ((table.index - 1) >> (schema - target)) + 1
    starts = np.flatnonzero(np.concatenate(([True], index[1:] != index[:-1])))
    return HistogramTable(index[starts], np.add.reduceat(table.count, starts, axis=1))


def _joined(side: Sequence[tuple[HistogramTable, Indices]], columns: int) -> HistogramTable:
    """Sum tables [C_i, K_i] with their columns into one [K, C]."""
    index = np.unique(np.concatenate([table.index for table, _ in side])) if side else np.zeros(0, np.int64)
    count = np.zeros((len(index), columns))
    for table, table_columns in side:
        if len(table.index):
            count[np.ix_(np.searchsorted(index, table.index), table_columns)] += table.count.T
    return HistogramTable(index, count)


def _summed_custom(
    parts: Sequence[BucketSegment], points: int, columns_mask: NDArray[np.bool_]
) -> list[tuple[Indices, Values, Values, Values, bool]]:
    """Sum custom buckets at the bounds that all parts of a column share.

    Counts up to a shared bound can be added.
    """
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
    columns = np.flatnonzero(columns_mask)
    if not len(columns):
        return []
    shared = having[:, columns] == having[-1, columns]
    lower, count = _between_shared(bounds, cumulative[:, columns], shared)
    upper = np.broadcast_to(bounds[:, None], count.shape)
    return [(columns, lower, upper, count, True)]


def _between_shared(bounds: Values, cumulative: Values, shared: NDArray[np.bool_]) -> tuple[Values, Values]:
    """Return lower bounds and counts of the buckets that end at shared bounds; others end an empty bucket."""
    row_or_none = np.where(shared, np.arange(len(bounds))[:, None], -1)
    upto = np.maximum.accumulate(row_or_none, axis=0)
    previous = np.concatenate((np.full((1, shared.shape[1]), -1), upto[:-1]))
    column = np.arange(shared.shape[1])
    lower = np.where(previous < 0, -np.inf, bounds[np.maximum(previous, 0)])
    below = np.where(previous < 0, 0.0, cumulative[np.maximum(previous, 0), column])
    return lower, np.where(shared, cumulative - below, 0.0)


def into_zero(
    tables: list[HistogramTable], zero: Values, schema: int, threshold: float
) -> tuple[list[HistogramTable], float]:
    """Merge buckets within the zero threshold into the zero bucket, which a straddling non-empty one widens."""
    for table in tables:
        lower, upper = bucket_bounds(table.index, schema)
        straddled = upper[(lower < threshold) & (upper > threshold) & (table.count != 0).any(axis=0)]
        threshold = float(max([threshold, *straddled]))
    remaining = []
    for table in tables:
        _, upper = bucket_bounds(table.index, schema)
        zero += table.count[:, upper <= threshold].sum(axis=1)
        remaining.append(HistogramTable(table.index[upper > threshold], table.count[:, upper > threshold]))
    return remaining, threshold
