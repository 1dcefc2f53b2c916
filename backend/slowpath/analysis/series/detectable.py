"""The smallest change that a series could show: told instead of guessing."""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.thresholds import DEFAULT_SERIES_THRESHOLDS, SeriesThresholds

F64 = NDArray[np.float64]


def smallest_detectable(
    values: F64, *, builds_after: int = 12, thresholds: SeriesThresholds = DEFAULT_SERIES_THRESHOLDS
) -> float:
    """Return the ratio (1.05: five percent more) that would be told of within so many builds, with `thresholds.power`.

    `values` [builds] at one level, NaN where unknown. NaN if fewer than `thresholds.least_builds` are known.
    """
    known = np.log(values[np.isfinite(values) & (values > 0)])
    if len(known) < thresholds.least_builds:
        return float("nan")
    noise = max(1.4826 * float(np.median(np.abs(known - np.median(known)))), thresholds.least_noise)
    error = noise * np.sqrt(1 / len(known) + 1 / builds_after)
    return float(np.exp(max((thresholds.score_online + 1.2816) * error, np.log1p(thresholds.least_relative))))
