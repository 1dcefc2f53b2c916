"""Measure one step of a row: its size, certainty and range of builds."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.noise_model import mean_variance
from slowpath.analysis.series.step_scan import StepScan
from slowpath.analysis.stats.t_distribution import t_quantile

F64 = NDArray[np.float64]

# The range of a change contains it with this confidence by the tempered likelihood, since the noise model is not exact.
TEMPER = 0.75
RANGE_CONFIDENCE = 0.97


@dataclass(frozen=True)
class SeriesStep:
    """A step before build `at`, in low..high (both included).

    Levels in the row's unit, intervals of their ratio.
    """

    at: int
    low: int
    high: int
    before: float
    after: float
    ratio: float
    ratio_low: float
    ratio_high: float
    score: float


def measured(
    row: F64, weight: F64, at: int, score: float, location: tuple[int, int], *, phi: float, confidence: float
) -> SeriesStep:
    """Measure the step before build `at` of a row [builds] without other steps."""
    left, right = slice(0, at), slice(at, len(row))
    before = float(np.average(row[left], weights=weight[left]))
    after = float(np.average(row[right], weights=weight[right]))
    freedom = max(len(row) - 2, 1)
    residual = np.concatenate([row[left] - before, row[right] - after])
    variance = float(np.sum(weight * np.square(residual))) / freedom
    error_before = variance * mean_variance(at, phi)
    error_after = variance * mean_variance(len(row) - at, phi)
    quantile = _quantile(confidence, freedom)
    ratio = after / before if before > 0 else float("inf") if after > 0 else float("nan")
    error = float(np.sqrt(error_after + ratio**2 * error_before)) / before if before > 0 else float("nan")
    return SeriesStep(
        at,
        *location,
        before,
        after,
        ratio,
        max(ratio - quantile * error, 0.0),
        ratio + quantile * error,
        score,
    )


@lru_cache(maxsize=4_096)
def _quantile(confidence: float, freedom: int) -> float:
    """Cache a quantile: series have few different lengths."""
    return float(t_quantile(confidence, np.array([float(freedom)]))[0])


def location(scanned: StepScan, row: int, places: NDArray[np.int64]) -> tuple[int, int]:
    """Return the range of places (builds before which a step may be) by its likelihood at each."""
    step, gain = scanned.step[row, places - 1], scanned.gain[row, places - 1]
    belief = np.exp(TEMPER * (gain - np.max(gain)) / 2)
    belief[np.sign(step) != np.sign(step[np.argmax(gain)])] = 0.0
    belief /= belief.sum()
    order = np.argsort(-belief)
    enough = int(np.searchsorted(np.cumsum(belief[order]), RANGE_CONFIDENCE)) + 1
    chosen = places[order[:enough]]
    return int(chosen.min()), int(chosen.max())
