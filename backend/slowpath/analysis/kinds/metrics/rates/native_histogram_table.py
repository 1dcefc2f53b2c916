"""Rows of native histograms as tables.

Sparse buckets made dense, coarser on demand, with the resets between them.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.rates.rate_windows import Indices
from slowpath.analysis.kinds.metrics.samples.series_data import (
    CUSTOM_BUCKETS_SCHEMA,
    RESET_NO,
    RESET_YES,
    NativeSeries,
    SparseBuckets,
    Times,
    Values,
)

SCHEMA_MIN: Final = -4
SCHEMA_MAX: Final = 8
_TABLE_MAX: Final = 4_000_000  # cells of one table: 32 MB
_CONTIGUOUS_MAX: Final = 512
# Prometheus reduces the resolution above 160 buckets; a thousand are only sent to do harm.
_BUCKETS_MAX: Final = 1024
_LAYOUT_CHANGES_MAX: Final = 200  # pairs of rows with different layouts are compared one by one; above, all are resets


@dataclass(frozen=True, slots=True)
class HistogramTable:
    """[R, K] counts of R histograms in the buckets `index` [K], ascending."""

    index: Indices
    count: Values


def entries_of(offset: NDArray[np.int64], rows: Indices) -> tuple[Indices, Indices]:
    """Return the positions of these rows' entries in a ragged array, and for each its index in `rows`."""
    lengths = offset[rows + 1] - offset[rows]
    place = np.repeat(np.arange(len(rows)), lengths)
    starts = np.cumsum(lengths) - lengths
    entries = np.arange(int(lengths.sum())) - np.repeat(starts, lengths) + np.repeat(offset[rows], lengths)
    return entries, place


def dense(side: SparseBuckets, rows: Indices, schema: NDArray[np.int32], target: int) -> HistogramTable:
    """Lay out the rows' buckets at schema `target`: each finer bucket falls completely into a coarser one.

    `schema` is that of each row. Rows coarser than the target (they are excluded from the window, and cancel) are used
    unchanged. Custom buckets keep their numbers.
    """
    entries, place = entries_of(side.offset, rows)
    index = side.index[entries].astype(np.int64)
    if target != CUSTOM_BUCKETS_SCHEMA and len(index) and not _fits(index, schema, target):
        shift = np.maximum(schema.astype(np.int64) - target, 0)
        index = ((_possible(index, schema[place]) - 1) >> shift[place]) + 1
    if not len(index):
        return HistogramTable(np.zeros(0, np.int64), np.zeros((len(rows), 0)))
    low, high = int(index.min()), int(index.max())
    if high - low < _CONTIGUOUS_MAX:
        columns, position = np.arange(low, high + 1), index - low
    else:
        columns, position = np.unique(index, return_inverse=True)
    cells = place * len(columns) + position
    flat = np.bincount(cells, side.count[entries], len(rows) * len(columns)).astype(np.float64, copy=False)
    return HistogramTable(columns, flat.reshape(len(rows), len(columns)))


def _fits(index: Indices, schema: NDArray[np.int32], target: int) -> bool:
    """Return whether these numbers need no conversion."""
    if schema.min() != target or schema.max() != target:
        return False
    per_octave = 2.0**target
    return bool(index.min() >= -1075 * per_octave and index.max() <= 1024 * per_octave)


def _possible(index: Indices, schema: NDArray[np.int32]) -> Indices:
    """Clip bucket numbers to the float64 range at their schema: 2^-1074 to 2^1024, and one for infinity."""
    per_octave = np.exp2(schema.astype(np.float64))
    out: Indices = np.clip(index, np.floor(-1075 * per_octave), np.ceil(1024 * per_octave) + 1).astype(np.int64)
    return out


def bucket_bounds(index: Indices, schema: int) -> tuple[Values, Values]:
    """Return bounds of positive exponential buckets; the last before infinity ends at the largest float64."""
    with np.errstate(over="ignore", under="ignore"):
        exponents = np.stack((index - 1, index)) * 2.0 ** (-schema)
        bounds = np.exp2(exponents)
    bounds[exponents == 1024] = np.finfo(np.float64).max
    return bounds[0], bounds[1]


def affordable_schema(native: NativeSeries) -> int:
    """Return the finest schema with at most 1,024 filled buckets in these rows (a limit.

    Usually the sender's schema).
    """
    exponential = native.schema != CUSTOM_BUCKETS_SCHEMA
    schema = int(native.schema[exponential].max(initial=SCHEMA_MIN))
    rows = np.flatnonzero(exponential)
    for side in (native.positive, native.negative):
        if not len(side.index) or int(side.index.max()) - int(side.index.min()) < _BUCKETS_MAX:
            continue
        entries, place = entries_of(side.offset, rows)
        entry_schema = native.schema[rows][place]
        index = _possible(side.index[entries].astype(np.int64), entry_schema)
        while schema > SCHEMA_MIN:
            coarse = ((index - 1) >> np.maximum(entry_schema.astype(np.int64) - schema, 0)) + 1
            if len(np.unique(coarse)) <= _BUCKETS_MAX:
                break
            schema -= 1
    return schema


def subset(native: NativeSeries, rows: Indices, finest: int = SCHEMA_MAX) -> NativeSeries:
    """Return some rows, none finer than `finest`."""

    def of_side(side: SparseBuckets) -> SparseBuckets:
        entries, _ = entries_of(side.offset, rows)
        lengths = side.offset[rows + 1] - side.offset[rows]
        index = side.index[entries]
        if finest < SCHEMA_MAX:
            entry_schema = np.repeat(native.schema[rows], lengths)
            shift = np.where(entry_schema == CUSTOM_BUCKETS_SCHEMA, 0, np.maximum(entry_schema - finest, 0))
            index = (((index.astype(np.int64) - 1) >> shift) + 1).astype(np.int32)
        return SparseBuckets(np.concatenate(([0], np.cumsum(lengths))), index, side.count[entries])

    entries, _ = entries_of(native.custom_offset, rows)
    lengths = native.custom_offset[rows + 1] - native.custom_offset[rows]
    return NativeSeries(
        schema=np.minimum(native.schema[rows], finest).astype(np.int32),
        zero_threshold=native.zero_threshold[rows],
        zero_count=native.zero_count[rows],
        count=native.count[rows],
        sum=native.sum[rows],
        positive=of_side(native.positive),
        negative=of_side(native.negative),
        reset_hint=native.reset_hint[rows],
        custom_offset=np.concatenate(([0], np.cumsum(lengths))),
        custom_bounds=native.custom_bounds[entries],
    )


def epochs(native: NativeSeries, times: Times) -> list[tuple[Times, NativeSeries]]:
    """Split a series where its buckets change kind.

    Exponential to custom, or between different custom bounds. Within an epoch all custom rows share their bounds.
    """
    n = len(native)
    if not n:
        return []
    custom = native.schema == CUSTOM_BUCKETS_SCHEMA
    starts = [0]
    if custom.any():
        lengths = np.diff(native.custom_offset)
        differs = (custom[1:] != custom[:-1]) | (lengths[1:] != lengths[:-1])
        differs |= _bounds_differ(native, lengths)
        starts += [int(row) + 1 for row in np.flatnonzero(differs)]
    if len(starts) == 1:
        return [(times, native)]
    edges = [*starts, n]
    return [(times[a:b], subset(native, np.arange(a, b))) for a, b in pairwise(edges)]


def _bounds_differ(native: NativeSeries, lengths: Indices) -> NDArray[np.bool_]:
    """Return for each row after the first whether its custom bounds, equal in number, differ from the previous ones."""
    differs = np.zeros(len(lengths) - 1, np.bool_)
    if lengths.min() == lengths.max() > 0:
        bounds = native.custom_bounds.reshape(len(lengths), -1)
        differs[:] = (bounds[1:] != bounds[:-1]).any(axis=1)
        return differs
    for length in np.unique(lengths[lengths > 0]):
        pairs = np.flatnonzero((lengths[1:] == length) & (lengths[:-1] == length))
        start = native.custom_offset[pairs]
        # Equal rows are adjacent, so each is compared with the next bounds.
        for place in range(int(length)):
            current, next_one = native.custom_bounds[start + place], native.custom_bounds[start + length + place]
            differs[pairs] |= current != next_one
    return differs


def reset_rows(native: NativeSeries) -> Indices:
    """Return the rows that cannot continue the previous one.

    A count fell, a bucket vanished, the resolution rose. Prometheus' DetectReset (model/histogram), for one epoch.
    """
    n = len(native)
    if n < 2:
        return np.zeros(0, np.int64)
    hinted = native.reset_hint[1:] == RESET_YES
    denied = native.reset_hint[1:] == RESET_NO
    finer = native.schema[1:] > native.schema[:-1]
    narrower = native.zero_threshold[1:] < native.zero_threshold[:-1]
    fell = (native.count[1:] < native.count[:-1]) | finer | narrower
    same = (native.schema[1:] == native.schema[:-1]) & (native.zero_threshold[1:] == native.zero_threshold[:-1])
    fell |= same & (native.zero_count[1:] < native.zero_count[:-1])
    unclear = ~hinted & ~denied & ~fell
    has_same_buckets, less = _in_place(native)
    fell |= unclear & same & has_same_buckets & less
    has_other_buckets = unclear & same & ~has_same_buckets
    for schema in _distinct(native.schema[1:][has_other_buckets]):
        pairs = np.flatnonzero(has_other_buckets & (native.schema[1:] == schema))
        fell[pairs[_buckets_fell(native, pairs, int(schema))]] = True
    changed = np.flatnonzero(unclear & ~same)
    if len(changed) > _LAYOUT_CHANGES_MAX:
        fell[changed] = True
    else:
        for pair in changed:
            fell[pair] = _fell_across_layouts(native, int(pair))
    return np.flatnonzero(hinted | (fell & ~denied)) + 1


def _distinct(values: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the distinct values; usually there is one, which needs no sorting."""
    if not len(values) or values.min() == values.max():
        return values[:1]
    return np.unique(values)


def _in_place(native: NativeSeries) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each pair of neighbors whether they list the same buckets, and if so whether any count is smaller after.

    For most pairs they do: entries are compared directly then.
    """
    has_same_buckets = np.ones(len(native) - 1, np.bool_)
    less = np.zeros(len(native) - 1, np.bool_)
    for side in (native.positive, native.negative):
        if not len(side.index):
            continue
        lengths = np.diff(side.offset)
        if lengths.min() == lengths.max():
            index, count = side.index.reshape(len(native), -1), side.count.reshape(len(native), -1)
            has_same_buckets &= (index[1:] == index[:-1]).all(axis=1)
            less |= (count[1:] < count[:-1]).any(axis=1)
            continue
        equal = lengths[1:] == lengths[:-1]
        rows = np.flatnonzero(equal & (lengths[1:] > 0)) + 1
        has_same_buckets &= equal
        if not len(rows):
            continue
        entries, place = entries_of(side.offset, rows)
        before = entries - lengths[rows][place]
        other = side.index[entries] != side.index[before]
        has_same_buckets[rows[place[other]] - 1] = False
        less[rows[place[side.count[entries] < side.count[before]]] - 1] = True
    return has_same_buckets, less


def _buckets_fell(native: NativeSeries, pairs: Indices, schema: int) -> NDArray[np.bool_]:
    """Return for each pair (row, row + 1) of equal layout whether any bucket count is smaller after."""
    fell = np.zeros(len(pairs), np.bool_)
    if not len(pairs):
        return fell
    for side in (native.positive, native.negative):
        if not len(side.index):
            continue
        widest = int((side.index.max()).astype(np.int64) - side.index.min()) + 1
        block = max(2, _TABLE_MAX // min(max(widest, 1), 4 * _BUCKETS_MAX))
        for start in range(0, len(pairs), block):
            some = pairs[start : start + block]
            rows = np.unique(np.concatenate((some, some + 1)))
            table = dense(side, rows, native.schema[rows], schema).count
            before = np.searchsorted(rows, some)
            # Consecutive rows are views; only gaps need copies.
            if len(rows) == len(some) + 1:
                fell[start : start + block] |= (table[1:] < table[:-1]).any(axis=1)
            else:
                after = np.searchsorted(rows, some + 1)
                fell[start : start + block] |= (table[after] < table[before]).any(axis=1)
    return fell


def _fell_across_layouts(native: NativeSeries, row: int) -> bool:
    """Return whether row + 1, with a coarser schema or a wider zero bucket, has a smaller count anywhere."""
    rows = np.array([row, row + 1])
    schema, threshold = int(native.schema[row + 1]), float(native.zero_threshold[row + 1])
    zero = native.zero_count[rows].copy()
    for side in (native.positive, native.negative):
        table = dense(side, rows, native.schema[rows], schema)
        lower, upper = bucket_bounds(table.index, schema)
        straddles = (lower < threshold) & (upper > threshold)
        if (table.count[0, straddles] > 0).any():
            return True
        zero += table.count[:, upper <= threshold].sum(axis=1)
        outside = table.count[:, upper > threshold]
        if (outside[1] < outside[0]).any():
            return True
    return bool(zero[1] < zero[0])
