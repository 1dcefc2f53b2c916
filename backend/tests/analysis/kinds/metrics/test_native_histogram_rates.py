"""Native histograms that change their layout, restart, or are meant to harm."""

import tracemalloc
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from slowpath.analysis.kinds.metrics.rates.native_histogram_rates import native_rates
from slowpath.analysis.kinds.metrics.rates.native_histogram_table import bucket_bounds, reset_rows
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PROMETHEUS_2, PROMETHEUS_3
from slowpath.analysis.kinds.metrics.samples.series_data import CUSTOM_BUCKETS_SCHEMA, SeriesData
from tests.analysis.kinds.metrics.promqltest import Histogram, native_series

START = 1_763_640_000_000
GRID = np.array([START + 60_000], np.int64)


def exponential(
    schema: int, positive: Mapping[int, float], *, zero: float = 0.0, threshold: float = 0.0, hint: int = 0
) -> Histogram:
    return Histogram(
        schema, sum(positive.values()) + zero, 1.0, zero, threshold, dict(sorted(positive.items())), hint=hint
    )


def custom(bounds: Sequence[float], counts: Mapping[int, float]) -> Histogram:
    return Histogram(CUSTOM_BUCKETS_SCHEMA, sum(counts.values()), 1.0, positive=dict(counts), custom=tuple(bounds))


def series(*rows: Histogram, number: int = 1) -> SeriesData:
    times = START + np.arange(1, len(rows) + 1, dtype=np.int64) * (60_000 // len(rows))
    return SeriesData(number, "n", {"instance": str(number)}, "histogram", times, None, native_series(rows))


def median(*all_series: SeriesData) -> tuple[float, float, float]:
    found = native_rates(all_series, GRID, 60_000, PROMETHEUS_2).quantiles([0.5], None, PROMETHEUS_3)[0]
    return float(found.value[0]), float(found.low[0]), float(found.high[0])


@pytest.mark.parametrize(
    ("before", "after", "reset"),
    [
        (exponential(0, {1: 5}), exponential(0, {1: 6}), False),
        (exponential(0, {1: 5, 2: 5}), exponential(0, {1: 20}), True),
        (exponential(0, {1: 5, 2: 5}), exponential(0, {1: 4, 2: 20}), True),
        (exponential(0, {1: 5}), exponential(0, {1: 3}), True),
        (exponential(1, {1: 5, 2: 5}), exponential(0, {1: 10}), False),
        (exponential(1, {1: 5, 2: 5}), exponential(0, {1: 9, 2: 5}), True),
        (exponential(0, {1: 5}), exponential(1, {1: 9}), True),
        (exponential(0, {1: 5}, threshold=0.5), exponential(0, {1: 9}, threshold=0.25), True),
        (exponential(0, {-3: 2, 1: 5}, threshold=0.01), exponential(0, {1: 9}, zero=2, threshold=0.125), False),
        (exponential(0, {-3: 2, 1: 5}, threshold=0.01), exponential(0, {1: 9}, zero=1, threshold=0.125), True),
        (exponential(0, {-2: 2, 1: 5}, threshold=0.01), exponential(0, {1: 9}, zero=2, threshold=0.2), True),
        (exponential(0, {1: 5}), exponential(0, {1: 6}, hint=1), True),
        (exponential(0, {1: 5}), exponential(0, {1: 3}, hint=2), False),
        (exponential(0, {1: 5}, zero=3), exponential(0, {1: 9}, zero=2), True),
    ],
)
def test_what_is_a_reset(before: Histogram, after: Histogram, reset: bool) -> None:
    assert reset_rows(native_series([before, after])).tolist() == ([1] if reset else [])


def test_instances_of_different_resolution_meet_at_the_lower_one() -> None:
    fine = series(exponential(3, {}), exponential(3, {1: 10, 8: 10}), number=1)
    coarse = series(exponential(0, {}), exponential(0, {1: 60}), number=2)
    value, low, high = median(fine, coarse)
    assert (low, high) == (1.0, 2.0)
    assert value == pytest.approx(2**0.5)


def test_zero_buckets_of_different_width_meet_at_the_wider_one() -> None:
    narrow = series(exponential(0, {}, threshold=0.001), exponential(0, {-6: 30, 1: 5}, threshold=0.001), number=1)
    wide = series(exponential(0, {}, threshold=0.125), exponential(0, {1: 5}, zero=30, threshold=0.125), number=2)
    value, low, high = median(narrow, wide)
    assert (low, high) == (0.0, 0.125)
    assert value == pytest.approx(0.125 * 35 / 60)


def test_custom_bounds_meet_at_those_they_share() -> None:
    one = series(custom((1, 2, 3), {}), custom((1, 2, 3), {0: 10, 1: 10, 2: 10}), number=1)
    two = series(custom((1, 2.5, 3), {}), custom((1, 2.5, 3), {0: 10, 1: 10, 2: 10}), number=2)
    value, low, high = median(one, two)
    assert (low, high) == (1.0, 3.0)
    assert value == pytest.approx(1 + 2 * (30 - 20) / 40)


def test_custom_and_exponential_buckets_together_have_no_answer() -> None:
    assert np.isnan(
        median(series(custom((1,), {}), custom((1,), {0: 5})), series(exponential(0, {}), exponential(0, {1: 5})))
    )[0]


def test_a_restart_at_another_resolution_counts_what_came_after() -> None:
    rows = (exponential(3, {40: 100}), exponential(3, {40: 110}), exponential(0, {1: 4}), exponential(0, {1: 24}))
    value, low, high = median(series(*rows))
    # 10 around 2^5 before, 24 in (1, 2] after.
    assert (low, high) == (1.0, 2.0)
    assert value == pytest.approx(2 ** (17 / 24))


def test_negative_observations() -> None:
    rows = [Histogram(0, 4.0 * k, -8.0, negative={1: 2.0 * k, 2: 2.0 * k}) for k in (1, 2)]
    value, low, high = median(series(*rows))
    assert (low, high) == (-2.0, -1.0)
    assert value == pytest.approx(-1.0 * 2)


def test_bounds_reach_from_the_smallest_to_the_largest_number() -> None:
    lower, upper = bucket_bounds(np.array([-1074, 0, 1, 1024, 1025]), 0)
    assert (lower[1], upper[1], upper[2]) == (0.5, 1.0, 2.0)
    assert upper[3] == np.finfo(np.float64).max == lower[4]
    assert np.isinf(upper[4])


def test_extreme_bucket_indices_use_bounded_memory() -> None:
    rng = np.random.default_rng(3)
    rows = []
    total: dict[int, float] = {}
    for _ in range(60):
        for index in rng.integers(-(2**31), 2**31 - 1, 160).tolist():
            total[index] = total.get(index, 0) + 1
        rows.append(exponential(8, total))
    times = START + np.arange(len(rows), dtype=np.int64) * 1_000
    harmful = SeriesData(1, "n", {}, "histogram", times, None, native_series(rows))
    tracemalloc.start()
    native_rates([harmful], GRID, 60_000, PROMETHEUS_3).quantiles([0.5], None, PROMETHEUS_3)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300_000_000


def test_an_empty_series_has_no_answer() -> None:
    empty = SeriesData(1, "n", {}, "histogram", np.zeros(0, np.int64), None, native_series([]))
    assert np.isnan(median(empty)[0])
    assert np.isnan(median()[0])
