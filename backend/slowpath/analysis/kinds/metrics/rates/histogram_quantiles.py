"""Compute histogram_quantile for all grid times at once, with the bucket of the result.

The classic and the native rule are two algorithms in Prometheus too: they differ at exact bucket edges and in the highest
bucket, so neither is expressed by the other here. The position within a bucket is unknown: the band [low, high] is what the
samples show, the value is interpolated.
"""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PrometheusDialect
from slowpath.analysis.kinds.metrics.rates.rate_windows import Indices, Mask
from slowpath.analysis.kinds.metrics.samples.series_data import Values

_SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, slots=True)
class QuantileEstimate:
    """[P] The quantile as Prometheus interpolates it, and the bounds of its bucket (+Inf above the highest bound)."""

    value: Values
    low: Values
    high: Values

    def scaled(self, factor: float) -> "QuantileEstimate":
        """Return the estimate in another unit."""
        return QuantileEstimate(self.value * factor, self.low * factor, self.high * factor)


def _constant(value: float, points: int) -> QuantileEstimate:
    same = np.full(points, value)
    return QuantileEstimate(same, np.full(points, np.nan), np.full(points, np.nan))


def _non_decreasing(cumulative: Values, is_present: Mask, tolerance: float) -> Values:
    """Make cumulative counts non-decreasing.

    Dips and rounding differences are replaced by the previous count.
    """
    steps = np.diff(cumulative, axis=0)
    if is_present.all() and not ((steps < 0) | ((steps > 0) & _near(cumulative[1:], cumulative[:-1], tolerance))).any():
        return cumulative
    level = np.where(is_present[0], cumulative[0], 0.0)
    out = np.empty_like(cumulative)
    out[0] = level
    for row in range(1, len(cumulative)):
        now = cumulative[row]
        level = np.where(is_present[row] & (now > level) & ~_near(now, level, tolerance), now, level)
        out[row] = level
    return out


def _near(now: Values, before: Values, tolerance: float) -> Mask:
    """Return whether two non-negative counts differ by less than the tolerance, relative to their sum."""
    bound = np.where((now == 0) | (before == 0), _SMALLEST_NORMAL, now + before)
    out: Mask = np.abs(now - before) < tolerance * bound
    return out


@dataclass(frozen=True, slots=True)
class ClassicColumns:
    """Classic buckets prepared for any quantile: [U] bounds, [U, P] cumulative counts, presence of each bucket."""

    bounds: Values
    counts: Values
    there: Mask
    previous: Indices  # [U, P] the nearest present bucket below, -1 without any
    known: Mask  # [P] where +Inf, another bucket and an observation are present

    @classmethod
    def of(cls, bounds: Values, cumulative: Values, dialect: PrometheusDialect) -> "ClassicColumns":
        """Validate and correct `cumulative` [U, P], NaN for absent buckets.

        `bounds` [U] ascending and distinct.
        """
        there = ~np.isnan(cumulative)
        if len(bounds) < 2 or not np.isposinf(bounds[-1]):
            nowhere = np.zeros(cumulative.shape[1], np.bool_)
            return cls(bounds, cumulative, there, np.zeros(cumulative.shape, np.int64), nowhere)
        counts = _non_decreasing(np.where(there, cumulative, 0.0), there, dialect.delta_tolerance)
        known = there[-1] & (there.sum(axis=0) >= 2) & (counts[-1] != 0)
        return cls(bounds, counts, there, _previous(there), known)

    def quantile(self, q: float) -> QuantileEstimate:
        """Return the q-quantile; NaN where unknown."""
        points = len(self.known)
        if np.isnan(q) or not self.known.any():
            return _constant(np.nan, points) if np.isnan(q) or 0 <= q <= 1 else _outside(q, points, len(self.bounds))
        if q < 0 or q > 1:
            return _outside(q, points, len(self.bounds))
        rank = q * self.counts[-1]
        reached = (self.counts[:-1] >= rank) & self.there[:-1]
        above = ~reached.any(axis=0)  # the quantile is above the highest finite bound
        bucket = np.where(above, 0, np.argmax(reached, axis=0))
        column = np.arange(points)
        below = self.previous[bucket, column]
        lowest = below < 0
        upper = self.bounds[bucket]
        lower = np.where(lowest, 0.0, self.bounds[np.maximum(below, 0)])
        under = np.where(lowest, 0.0, self.counts[np.maximum(below, 0), column])
        with np.errstate(divide="ignore", invalid="ignore"):
            value = lower + (upper - lower) * ((rank - under) / (self.counts[bucket, column] - under))
        not_positive = lowest & (upper <= 0)
        value = np.where(not_positive, upper, value)
        lower = np.where(not_positive, -np.inf, lower)
        top = self.bounds[np.maximum(self.previous[-1], 0)]
        value = np.where(above, top, value)
        return _only(self.known, value, np.where(above, top, lower), np.where(above, np.inf, upper))


def _outside(q: float, points: int, buckets: int) -> QuantileEstimate:
    """Return Prometheus's result below 0 and above 1, if there are buckets at all."""
    return _constant((-np.inf if q < 0 else np.inf) if buckets else np.nan, points)


def _previous(is_present: Mask) -> Indices:
    """[U, P] Return the nearest present row below each, -1 without any."""
    row_or_none = np.where(is_present, np.arange(len(is_present))[:, None], -1)
    upto = np.maximum.accumulate(row_or_none, axis=0)
    return np.concatenate((np.full((1, is_present.shape[1]), -1), upto[:-1])).astype(np.int64)


def _only(known: Mask, value: Values, low: Values, high: Values) -> QuantileEstimate:
    return QuantileEstimate(np.where(known, value, np.nan), np.where(known, low, np.nan), np.where(known, high, np.nan))


@dataclass(frozen=True, slots=True)
class NativeBuckets:
    """[K, P] Buckets of a native histogram in ascending order of value, K pairs of bounds, and the totals of each column.

    `lower` and `upper` are [K, P] too (a view if all columns agree). `total` is the histogram's count: it includes observations
    of NaN, which are in no bucket. `custom`: the bounds are the sender's, from -Inf to +Inf.
    """

    lower: Values
    upper: Values
    count: Values
    total: Values
    sum: Values
    custom: bool


def native_quantile(q: float, buckets: NativeBuckets, dialect: PrometheusDialect) -> QuantileEstimate:
    """Return the q-quantile of native histograms.

    Exponential as in Prometheus 3, linear for custom bounds.
    """
    points = len(buckets.total)
    if np.isnan(q) or not len(buckets.lower):
        return _constant(np.nan, points)
    if q < 0 or q > 1:
        return _constant(-np.inf if q < 0 else np.inf, points)
    nan_sum = np.isnan(buckets.sum)
    from_below = nan_sum | (q < 0.5) | (not dialect.exponential_interpolation)
    rank = np.where(from_below, q, 1 - q) * buckets.total
    chosen, count = _bucket_of_rank(buckets.count, rank, from_below)
    column = np.arange(points)
    inside = buckets.count[chosen, column]
    lower, upper, answered, answer = _corrected_bounds(buckets, chosen, column)
    count = np.minimum(count, buckets.total)
    missed = count < rank
    within = np.where(from_below, rank - (count - inside), count - rank)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        fraction = within / inside
        value = lower + (upper - lower) * fraction
        if dialect.exponential_interpolation and not buckets.custom:
            value = np.where((lower <= 0) & (upper >= 0), value, _exponential(lower, upper, fraction))
    value = np.where(missed, np.where(nan_sum, np.nan, upper), value)
    value = np.where(answered, answer, value)
    known = ~((buckets.total == 0) | np.isnan(buckets.total))
    return _only(known & ~np.isnan(value), value, lower, upper)


def _bucket_of_rank(count: Values, rank: Values, from_below: Mask) -> tuple[Indices, Values]:
    """[P] Return the first non-empty bucket, from the given end, at which the rank is reached, and the count there.

    If the rank is never reached it is the last non-empty one in that direction.
    """
    filled = count != 0
    column = np.arange(count.shape[1])
    chosen = np.zeros(count.shape[1], np.int64)
    reached = np.zeros(count.shape[1])
    for upward in (True, False):
        of_direction = from_below if upward else ~from_below
        if not of_direction.any():
            continue
        ordered = count if upward else count[::-1]
        solid = filled if upward else filled[::-1]
        summed = np.cumsum(ordered, axis=0)
        hit = solid & (summed >= rank)
        last_filled = len(ordered) - 1 - np.argmax(solid[::-1], axis=0)
        at = np.where(hit.any(axis=0), np.argmax(hit, axis=0), last_filled)
        reached = np.where(of_direction, summed[at, column], reached)
        chosen = np.where(of_direction, at if upward else len(ordered) - 1 - at, chosen)
    return chosen, reached


def _corrected_bounds(buckets: NativeBuckets, chosen: Indices, column: Indices) -> tuple[Values, Values, Mask, Values]:
    """Return bounds of the chosen buckets corrected at zero and infinity, and results that need no interpolation."""
    lower = buckets.lower[chosen, column].copy()
    upper = buckets.upper[chosen, column].copy()
    if buckets.custom:
        lowest = np.isneginf(lower)
        settled = lowest & (upper <= 0)
        top = ~lowest & np.isposinf(upper)
        answer = np.where(settled, upper, lower)
        lower = np.where(lowest & ~settled, 0.0, lower)
        return lower, upper, settled | top, answer
    around_zero = (lower < 0) & (upper > 0)
    if around_zero.any():
        positive = ((buckets.count != 0) & (buckets.lower >= 0)).any(axis=0)
        negative = ((buckets.count != 0) & (buckets.upper <= 0)).any(axis=0)
        lower = np.where(around_zero & ~negative & positive, 0.0, lower)
        upper = np.where(around_zero & ~positive & negative, 0.0, upper)
    return lower, upper, np.zeros(len(lower), np.bool_), lower


def _exponential(lower: Values, upper: Values, fraction: Values) -> Values:
    """Interpolate as if the bucket were divided again and again by schemas of higher resolution."""
    low, high = np.log2(np.abs(lower)), np.log2(np.abs(upper))
    out: Values = np.where(
        lower > 0, np.exp2(low + (high - low) * fraction), -np.exp2(high + (low - high) * (1 - fraction))
    )
    return out
