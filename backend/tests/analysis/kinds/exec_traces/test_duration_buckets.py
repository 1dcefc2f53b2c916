"""Log-linear buckets, and quantiles read off them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.kinds.exec_traces.duration_buckets import (
    BUCKETS,
    exceeding,
    lower_bounds,
    quantiles,
    widths,
)
from tests.analysis.kinds.exec_traces.generated_traces import bucket_of


def array(*values: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize(
    ("ns", "bucket"),
    [(0, 0), (31, 31), (32, 32), (33, 33), (63, 63), (64, 64), (65, 64), (66, 65), (127, 95), (128, 96), (1_000_000, 509)],
)  # fmt: skip
def test_buckets_as_the_format_defines_them(ns: int, bucket: int) -> None:
    assert bucket_of(array(ns)).tolist() == [bucket]


@given(st.lists(st.integers(0, 2**63 - 1), min_size=1))
def test_every_duration_is_in_its_bucket(durations: list[int]) -> None:
    buckets = bucket_of(array(*durations))
    assert buckets.max() < BUCKETS
    for ns, low, width in zip(durations, lower_bounds(buckets), widths(buckets), strict=True):
        assert int(low) <= ns < int(low) + int(width)
        assert width <= max(ns / 32, 1) + 1e-9


def test_quantiles_of_many_waits_are_within_a_bucket_of_the_true_ones() -> None:
    rng = np.random.default_rng(3)
    waits = np.exp(rng.normal(10, 2, 200_000)).astype(np.int64)
    buckets, counts = np.unique(bucket_of(waits), return_counts=True)
    at = np.array([0.01, 0.5, 0.9, 0.99, 0.999])
    read = quantiles(counts[None, :].astype(np.float64), buckets, at)[0]
    assert read == pytest.approx(np.quantile(waits, at), rel=0.01)


def test_several_histograms_at_once_are_read_as_one_by_one() -> None:
    rng = np.random.default_rng(4)
    buckets = np.unique(rng.integers(0, 700, 60)).astype(np.int64)
    counts = rng.poisson(0.7, (50, len(buckets))).astype(np.float64)
    counts[7] = 0
    at = np.array([0.5, 0.9, 0.999])
    together = quantiles(counts, buckets, at)
    for row in range(50):
        alone = quantiles(counts[row : row + 1], buckets, at)[0]
        assert together[row] == pytest.approx(alone, rel=1e-6, nan_ok=True)
    assert np.isnan(together[7]).all()
    assert np.all(np.diff(together[:7], axis=1) >= 0)


def test_waits_beyond_a_threshold_count_by_the_part_of_their_bucket_beyond_it() -> None:
    buckets = bucket_of(array(10, 64, 1_000))
    counts = np.array([5.0, 8.0, 2.0])
    assert exceeding(counts, buckets, np.array([0.0, 65.0, 100.0, 1e9])).tolist() == [15, 6, 2, 0]
