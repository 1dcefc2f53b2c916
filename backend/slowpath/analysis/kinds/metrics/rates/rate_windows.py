"""Find the samples in the window before each grid time, once for all series that share a vector of times."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PrometheusDialect
from slowpath.analysis.kinds.metrics.samples.series_data import RollUp, Times, Values

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

SCRAPES_LOST: Final = 3.5
"""A longer interval than this many scrapes is a gap without known values."""
_THRESHOLD = 1.1  # Prometheus: a gap up to 10% above the usual interval is not the end of the series


@dataclass(frozen=True, slots=True)
class RateWindows:
    """For each of P grid times the samples first..last of its window, and their extent.

    `full`: where there are the two samples a rate needs; elsewhere the other arrays have placeholder values. Durations are
    seconds: `sampled` between the first and the last sample, `to_start` and `to_end` from them to the window's edges.
    """

    first: Indices
    last: Indices
    full: Mask
    seconds: float | Values
    sampled: Values
    to_start: Values
    to_end: Values
    usual: Values

    def factors(self, first_value: Values, increase: Values, dialect: PrometheusDialect) -> Values:
        """Return the factor from an increase between samples to a rate per second, with Prometheus's extrapolation.

        `first_value`, `increase` and the result are [..., P]. A counter is not extrapolated below zero.
        """
        threshold = self.usual * _THRESHOLD
        with np.errstate(divide="ignore", invalid="ignore"):
            to_zero = self.sampled * (first_value / increase)
        bounded = (increase > 0) & (first_value >= 0)
        if dialect.covers_before_zero:
            start = np.where(self.to_start >= threshold, self.usual / 2, self.to_start)
            start = np.where(bounded & (to_zero < start), to_zero, start)
        else:
            start = np.where(bounded & (to_zero < self.to_start), to_zero, self.to_start)
            start = np.where(start >= threshold, self.usual / 2, start)
        end = np.where(self.to_end >= threshold, self.usual / 2, self.to_end)
        factor: Values = (self.sampled + start + end) / self.sampled / self.seconds
        return factor


def windows_before(
    grid_times: Times, width_ms: int, times: Times, dialect: PrometheusDialect, roll_up: RollUp | None = None
) -> RateWindows:
    """Find the samples of each window (t - width, t] (Prometheus 2: from t - width on).

    `times` has no stale marker. A roll-up leaves out the first samples of a window; then the window begins at the last
    sample before it, unless there is a gap.
    """
    first = np.searchsorted(times, grid_times - width_ms, side="right" if dialect.left_open else "left")
    last = np.searchsorted(times, grid_times, side="right") - 1
    start_ms = grid_times - width_ms
    if roll_up is not None and len(times):
        before = np.maximum(first - 1, 0)
        reached = (first > 0) & (times[before] > start_ms - SCRAPES_LOST * roll_up.interval_ms)
        first = np.where(reached, before, first)
        start_ms = np.where(reached, times[before], start_ms)
    full = last > first
    safe_first = np.where(full, first, 0)
    safe_last = np.where(full, last, 0)
    if len(times):
        sampled = np.where(full, (times[safe_last] - times[safe_first]) / 1000, 1.0)
        to_start = np.where(full, (times[safe_first] - start_ms) / 1000, 0.0)
        to_end = np.where(full, (grid_times - times[safe_last]) / 1000, 0.0)
    else:
        sampled, to_start, to_end = np.ones(len(first)), np.zeros(len(first)), np.zeros(len(first))
    usual = sampled / np.maximum(safe_last - safe_first, 1)
    if roll_up is not None:
        usual = np.full(len(first), roll_up.interval_ms / 1000)
    return RateWindows(safe_first, safe_last, full, (grid_times - start_ms) / 1000, sampled, to_start, to_end, usual)


def newest_before(
    grid_times: Times, times: Times, lookback_ms: int, dialect: PrometheusDialect
) -> tuple[Indices, Mask]:
    """Return the sample valid at each grid time (instant selector), and whether there is one within the lookback."""
    newest = np.searchsorted(times, grid_times, side="right") - 1
    found = newest >= 0
    if not len(times):
        return np.zeros(len(grid_times), np.int64), np.zeros(len(grid_times), np.bool_)
    safe = np.where(found, newest, 0)
    age = grid_times - times[safe]
    within = (age < lookback_ms) if dialect.left_open else (age <= lookback_ms)
    return safe, found & within
