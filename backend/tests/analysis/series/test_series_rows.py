"""Weights of builds follow their errors as far as the replicates determine them."""

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray

from slowpath.analysis.series.series_rows import SeriesRows, rows_of
from slowpath.analysis.series.series_thresholds import DEFAULT_SERIES_THRESHOLDS


def rows(sd: NDArray[np.float64], counts: NDArray[np.int32], seed: int) -> SeriesRows:
    """Return one series of builds with this standard deviation and number of profiles each."""
    rng = default_rng(seed)
    profiles = [1 + one * rng.standard_normal(count) for one, count in zip(sd, counts, strict=True)]
    values = np.array([[one.mean() for one in profiles]])
    spread = np.array([[one.std(ddof=1) / np.sqrt(len(one)) if len(one) > 1 else np.nan for one in profiles]])
    [found] = rows_of(values, spread, counts[np.newaxis], None, starts=[0], thresholds=DEFAULT_SERIES_THRESHOLDS)
    return found


def test_builds_with_equal_noise_have_equal_weights() -> None:
    found = rows(np.full(60, 0.2), np.full(60, 3, dtype=np.int32), 1)
    assert found.weight.min() > 0.7
    assert found.weight.max() < 1.4
    assert found.within[0] == pytest.approx(0.2 / np.sqrt(3), rel=0.2)


def test_builds_with_more_profiles_weigh_more() -> None:
    counts = np.where(np.arange(60) % 2, 12, 3).astype(np.int32)
    weight = rows(np.full(60, 0.2), counts, 2).weight[0]
    assert np.median(weight[1::2]) > 2 * np.median(weight[::2])


def test_a_build_with_one_profile_weighs_less_than_one_with_nine() -> None:
    counts = np.full(60, 9, dtype=np.int32)
    counts[30] = 1
    weight = rows(np.full(60, 0.2), counts, 3).weight[0]
    assert weight[30] < 0.5 * np.median(weight)


def test_noise_that_truly_differs_between_builds_is_weighed() -> None:
    sd = np.where(np.arange(60) % 2, 0.05, 0.5)
    weight = rows(sd, np.full(60, 8, dtype=np.int32), 4).weight[0]
    assert np.median(weight[1::2]) > 2 * np.median(weight[::2])
