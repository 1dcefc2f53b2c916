"""Measure a quantile of the requests in a time range, with the interval that the data allow.

The statistics are those of change points: all requests of the range pooled, and blocks of neighboring minutes redrawn
(`quantile_ratio.block_weights`). A range of an hour has twelve blocks, and the standard error of so few is itself uncertain:
bounds use Student's t. A histogram does not show where in its bucket a quantile is, so bounds are those of their buckets.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from slowpath.analysis.kinds.metrics.changes.latency_change_points import (
    CONFIDENCE,
    LEAST_REQUESTS,
    LEAST_SHARE,
    SignalName,
)
from slowpath.analysis.kinds.metrics.changes.quantile_ratio import BLOCK_MS, block_weights
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS
from slowpath.analysis.stats.histogram_cells import HistogramCells, Values, pooled_quantile
from slowpath.analysis.stats.t_distribution import t_quantile

SAME: Final = 1e-9
"""Relative difference of equal bounds of buckets."""


@dataclass(frozen=True)
class LatencyInterval:
    """A quantile in seconds with its 95% interval, and the lower bound at a stricter error rate.

    `high_s` is infinite above the highest finite bucket.
    """

    value_s: float
    low_s: float
    high_s: float
    certain_low_s: float
    requests_per_second: float


@dataclass(frozen=True)
class MissingRequests:
    """Why there is no interval: minutes or requests of the range, and how many are needed."""

    minutes: int
    least_minutes: int
    requests: float
    least_requests: float


def measure_interval(
    cells: HistogramCells, range_ms: int, signal: SignalName, q: float, rng: Generator, *, error_rate: float
) -> LatencyInterval | MissingRequests:
    """Measure a quantile of the minutes `cells` of a range; `error_rate` is one-sided, of the stricter lower bound.

    A block is an independent observation, so each needs as many requests as the quantile does, on average.
    """
    known = cells.of(cells.known)
    minutes, requests = len(known.times_ms), float(np.nansum(known.requests))
    least_minutes = int(np.ceil(LEAST_SHARE * range_ms / MINUTE_MS))
    least_requests = LEAST_REQUESTS[signal] * range_ms / BLOCK_MS
    if minutes < least_minutes or requests < least_requests:
        return MissingRequests(minutes, least_minutes, requests, least_requests)
    value = float(pooled_quantile(known.counts.sum(axis=0, keepdims=True), known.bounds, q)[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(pooled_quantile(block_weights(known.times_ms, rng) @ known.counts, known.bounds, q))
    error = float(np.std(logs[np.isfinite(logs)], ddof=1))
    blocks = max(minutes * MINUTE_MS / BLOCK_MS, 2.0)
    usual, strict = (_t(1 - 2 * one_sided, blocks - 1) * error for one_sided in ((1 - CONFIDENCE) / 2, error_rate))
    return LatencyInterval(
        value,
        _bucket(known.bounds, value * float(np.exp(-usual)))[0],
        _bucket(known.bounds, value * float(np.exp(usual)))[1],
        _bucket(known.bounds, value * float(np.exp(-strict)))[0],
        requests / (minutes * MINUTE_MS / 1000),
    )


def _t(probability: float, degrees: float) -> float:
    return float(t_quantile(probability, np.array([degrees]))[0])


def _bucket(bounds: Values, value: float) -> tuple[float, float]:
    """Return the bounds of the bucket of a quantile; at the highest finite bound, of the bucket above it."""
    finite = bounds[np.isfinite(bounds)]
    if value >= finite[-1] * (1 - SAME):
        return float(finite[-1]), float("inf")
    place = int(np.searchsorted(finite, value * (1 - SAME)))
    return (float(finite[place - 1]) if place else 0.0), float(finite[place])
