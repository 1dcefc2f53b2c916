"""Compute the minimum detectable change of a series."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.noise_model import noise_across_steps, winsorize
from slowpath.analysis.series.required_evidence import CandidateWindows, required_score
from slowpath.analysis.series.series_rows import rows_of
from slowpath.analysis.series.series_thresholds import DEFAULT_SERIES_THRESHOLDS, SeriesThresholds

F64 = NDArray[np.float64]

WITHIN_BUILDS = 12


def smallest_detectable(
    values: F64, *, builds_after: int = WITHIN_BUILDS, thresholds: SeriesThresholds = DEFAULT_SERIES_THRESHOLDS
) -> float:
    """Return the ratio (1.05: five percent more) that would be detected within this many builds, with `thresholds.power`.

    `values` [builds] at one level, NaN where unknown. NaN if fewer than `thresholds.least_builds` are known.
    """
    parts = rows_of(values[np.newaxis, :], None, None, None, starts=[0], thresholds=thresholds)
    if not parts or parts[0].values.shape[1] < thresholds.least_builds:
        return float("nan")
    calm = winsorize(parts[0].values, thresholds).rows
    phi, variance = noise_across_steps(calm)
    noise = np.maximum(np.sqrt(variance), thresholds.least_noise)
    return float(_ratio(noise, phi, calm.shape[1], builds_after, thresholds)[0])


def detectable_step(windows: CandidateWindows, thresholds: SeriesThresholds) -> list[float]:
    """Return the same ratio for each row, within twelve builds."""
    newest = windows.error[:, 0] / np.sqrt(1 + 1 / windows.length)
    noise = np.maximum(newest, thresholds.least_noise)
    found: list[float] = _ratio(noise, windows.phi, windows.length, WITHIN_BUILDS, thresholds).tolist()
    return found


def _ratio(noise: F64, phi: F64, before: int, after: int, thresholds: SeriesThresholds) -> F64:
    """[series] Return the ratios by the information of a step in autoregressive noise (see `step_scan`)."""
    rest = np.square(1 - phi)
    error = noise / np.sqrt(1 / (1 / (1 + rest * (after - 1)) + 1 / (1 + rest * (before - 1))))
    required = required_score(np.array([after]), np.array([True]), phi, thresholds)
    out: F64 = 1 + np.maximum((required + NormalDist().inv_cdf(thresholds.power)) * error, thresholds.least_relative)
    return out
