"""Compute the minimum detectable change of a series."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.noise_model import innovation_variance, memory_across_steps, winsorize
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
    phi = memory_across_steps(calm)
    noise = max(float(np.sqrt(innovation_variance(calm, phi)[0])), thresholds.least_noise)
    return _ratio(noise, float(phi[0]), calm.shape[1], builds_after, thresholds)


def detectable_step(windows: CandidateWindows, thresholds: SeriesThresholds) -> list[float]:
    """Return the same ratio for each row, within twelve builds."""
    newest = windows.error[:, 0] / np.sqrt(1 + 1 / windows.length)
    return [
        _ratio(max(float(noise), thresholds.least_noise), float(phi), windows.length, WITHIN_BUILDS, thresholds)
        for noise, phi in zip(newest, windows.phi, strict=True)
    ]


def _ratio(noise: float, phi: float, before: int, after: int, thresholds: SeriesThresholds) -> float:
    """Return the ratio by the information of a step in autoregressive noise (see `step_scan`)."""
    rest = (1 - phi) ** 2
    error = noise / np.sqrt(1 / (1 / (1 + rest * (after - 1)) + 1 / (1 + rest * (before - 1))))
    required = required_score(np.array([after]), np.array([True]), np.array([phi]), thresholds)[0]
    return 1 + max(float((required + NormalDist().inv_cdf(thresholds.power)) * error), thresholds.least_relative)
