"""Log-linear buckets of durations.

Exact below 32 ns, then 32 per power of two (an error of 3.1% at most). Histograms with these buckets add up over blocks
of time, traces and replicas. Quantiles interpolate evenly within a bucket.
"""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

EXACT_BELOW = 32
SUB_BUCKETS = 32
# The bucket of the largest 63-bit number, plus one.
BUCKETS = 59 * SUB_BUCKETS
# A cumulative share this close below a quantile has reached it: sums of shares are not exact.
_ROUNDING = 1e-10


def lower_bounds(buckets: I64) -> F64:
    """Return the smallest duration (ns) of each bucket."""
    exponent = np.maximum(buckets // SUB_BUCKETS - 1, 0)
    mantissa = np.where(buckets < EXACT_BELOW, buckets, SUB_BUCKETS + buckets % SUB_BUCKETS)
    bounds: F64 = np.ldexp(mantissa.astype(np.float64), exponent.astype(np.int32))
    return bounds


def widths(buckets: I64) -> F64:
    """Return how many nanoseconds each bucket spans."""
    exponent = np.maximum(buckets // SUB_BUCKETS - 1, 0)
    spans: F64 = np.ldexp(np.ones(len(buckets)), exponent.astype(np.int32))
    return spans


def quantiles(counts: F64, buckets: I64, at: F64) -> F64:
    """Return quantiles in ns of several histograms: (rows x buckets) and (q,) give (rows x q).

    NaN for empty rows. `buckets` ascends. Quantile q of n counts is where the cumulative count reaches q x n,
    interpolated within a bucket.
    """
    rows = counts.shape[0]
    if counts.shape[1] == 0:
        return np.full((rows, len(at)), np.nan)
    cumulative = np.cumsum(counts, axis=1, dtype=np.float64)
    totals = cumulative[:, -1].copy()
    safe = np.where(totals > 0, totals, 1.0)
    # Rows are concatenated, each offset by its number, so that one search finds all quantiles of all rows.
    cumulative /= safe[:, None]
    cumulative[:, -1] = 1.0
    offsets = np.arange(rows, dtype=np.float64)[:, None]
    positions = np.searchsorted((cumulative + offsets).ravel(), (at[None, :] - _ROUNDING + offsets).ravel()).reshape(
        rows, len(at)
    )
    bucket_index = np.clip(positions - np.arange(rows)[:, None] * counts.shape[1], 0, counts.shape[1] - 1)
    upto = np.take_along_axis(cumulative, bucket_index, axis=1)
    inside = np.take_along_axis(counts, bucket_index, axis=1) / safe[:, None]
    part = np.clip(1 - (upto - at[None, :]) / np.where(inside > 0, inside, 1.0), 0.0, 1.0)
    values: F64 = lower_bounds(buckets)[bucket_index] + part * widths(buckets)[bucket_index]
    values[totals <= 0] = np.nan
    return values


def exceeding(counts: F64, buckets: I64, thresholds_ns: F64) -> F64:
    """Return how many counts exceed each threshold: (buckets,) and (t,) give (t,), with partial buckets in part."""
    low, width = lower_bounds(buckets), widths(buckets)
    above = np.clip((low + width - thresholds_ns[:, None]) / width, 0.0, 1.0)
    part: F64 = above @ counts.astype(np.float64)
    return part
