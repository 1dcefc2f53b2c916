"""Latency by cell of time as mergeable histograms.

Quantiles of cells cannot be pooled, counts can. A service's histograms on a grid of equal cells (a minute, or seconds for dense
samples) are one matrix; pooling any choice of cells is one product with it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class HistogramCells:
    """[M] cells of one histogram.

    `counts` [M, B] of requests by bucket, `bounds` [B] upper bounds in seconds, +Inf last. `times_ms` are the ends of
    the cells. The row of a cell without samples is NaN, of one without requests zero.
    """

    times_ms: Times
    bounds: Values
    counts: Values

    @classmethod
    def of_cumulative(cls, times_ms: Times, bounds: Values, cumulative: Values) -> "HistogramCells":
        """Build cells from cumulative requests [B, M]; bounds that are missing in some cell are dropped."""
        finite = ~np.isnan(cumulative)
        has_samples: NDArray[np.bool_] = np.any(finite[-1:], axis=0)
        is_complete = finite[:, has_samples].all(axis=1) if has_samples.any() else np.ones(len(bounds), np.bool_)
        rising = np.maximum.accumulate(np.where(has_samples, cumulative[is_complete], 0.0), axis=0)
        counts = np.diff(rising, axis=0, prepend=0.0).T
        return cls(times_ms, bounds[is_complete], np.where(has_samples[:, None], counts, np.nan))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Return [M] whether a cell has samples."""
        known: NDArray[np.bool_] = np.isfinite(self.counts.sum(axis=1))
        return known

    @property
    def requests(self) -> Values:
        """Return [M] requests in each cell; NaN without samples."""
        requests: Values = self.counts.sum(axis=1)
        return requests

    def of(self, cells: NDArray[np.bool_]) -> "HistogramCells":
        """Return only these cells [M]."""
        return HistogramCells(self.times_ms[cells], self.bounds, self.counts[cells])

    def between(self, from_ms: int, to_ms: int) -> "HistogramCells":
        """Return the cells with samples that end in (from_ms, to_ms]."""
        return self.of((self.times_ms > from_ms) & (self.times_ms <= to_ms) & self.known)

    def quantiles(self, q: float) -> Values:
        """Return [M] the quantile of each cell; NaN without requests."""
        return pooled_quantile(np.nan_to_num(self.counts), self.bounds, q)


def same_bounds(one: HistogramCells, other: HistogramCells) -> tuple[HistogramCells, HistogramCells] | None:
    """Return both on their common bounds; None if fewer than two are common, or they overlap."""
    shared = np.intersect1d(one.bounds, other.bounds)
    if len(shared) < 2 or not np.isposinf(shared[-1]):
        return None
    return _onto(one, shared), _onto(other, shared)


def _onto(cells: HistogramCells, bounds: Values) -> HistogramCells:
    cumulative = np.cumsum(cells.counts, axis=1)[:, np.searchsorted(cells.bounds, bounds)]
    return HistogramCells(cells.times_ms, bounds, np.diff(cumulative, axis=1, prepend=0.0))


def pooled_quantile(counts: Values, bounds: Values, q: float) -> Values:
    """Return [R] the q-quantile of each row of `counts` [R, B], interpolated in its bucket as `histogram_quantile` does.

    Above the highest finite bound the result is that bound. NaN for rows without requests.
    """
    cumulative = np.cumsum(counts, axis=1)
    total = cumulative[:, -1]
    rank = q * total
    bucket = np.minimum((cumulative < rank[:, None]).sum(axis=1), counts.shape[1] - 1)
    rows = np.arange(len(counts))
    upper = bounds[bucket]
    lower = np.where(bucket > 0, bounds[np.maximum(bucket - 1, 0)], 0.0)
    inside = counts[rows, bucket]
    with np.errstate(divide="ignore", invalid="ignore"):
        part = (rank - (cumulative[rows, bucket] - inside)) / inside
        value = lower + (upper - lower) * np.clip(part, 0.0, 1.0)
    out: Values = np.where(total > 0, np.where(np.isposinf(upper), lower, value), np.nan)
    return out
