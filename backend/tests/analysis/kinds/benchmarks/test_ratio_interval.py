"""The interval belongs to the test: it contains 1 exactly where Mann-Whitney is not significant, and covers the true ratio."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from slowpath.analysis.kinds.benchmarks.ratio_interval import _count_orders, _cut, ratio_interval

values = st.lists(st.floats(0.1, 1_000, allow_subnormal=False), min_size=5, max_size=12, unique=True)


@given(values, values)
def test_an_effect_is_outside_its_interval_where_the_test_is_significant(
    base: list[float], candidate: list[float]
) -> None:
    if set(base) & set(candidate):
        return  # ties are another distribution
    found = ratio_interval(base, candidate, 0.95)
    assert found is not None
    low, high, _ = found
    p = mannwhitneyu(base, candidate, method="exact").pvalue
    assert (low > 1 or high < 1) == (p <= 0.05)


@pytest.mark.parametrize(("base", "candidate"), [(1, 1), (2, 3), (5, 4), (8, 8)])
def test_ways_are_those_of_orders(base: int, candidate: int) -> None:
    ways = _count_orders(base, candidate)
    assert len(ways) == base * candidate + 1
    assert ways == ways[::-1]
    p = mannwhitneyu(range(base), range(base, base + candidate), method="exact", alternative="less").pvalue
    assert ways[0] / sum(ways) == pytest.approx(p)


def test_exact_and_approximate_meet() -> None:
    exact, _ = _cut(20, 20, 0.95)
    near, _ = _cut(21, 20, 0.95)
    assert near == pytest.approx(exact * 1.05, abs=4)


@pytest.mark.parametrize("count", [6, 10, 30])
def test_the_true_ratio_is_covered(count: int) -> None:
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(400):
        base, candidate = (k * rng.lognormal(0, 0.1, count) for k in (1.0, 1.3))
        found = ratio_interval(base.tolist(), candidate.tolist(), 0.95)
        assert found is not None
        covered += found[0] <= 1.3 <= found[1]
    assert covered >= 370


def test_few_values_reach_less() -> None:
    found = ratio_interval([1, 2, 3], [2, 4, 6], 0.95)
    assert list(found or ()) == pytest.approx([2 / 3, 6, 0.9])
    assert ratio_interval([1], [2], 0.95) == (2, 2, 0)


def test_no_ratio_without_positive_values() -> None:
    assert ratio_interval([0, 1], [1, 2], 0.95) is None
    assert ratio_interval([], [1], 0.95) is None


def test_very_many_values_are_thinned() -> None:
    rng = np.random.default_rng(1)
    found = ratio_interval(rng.lognormal(0, 0.1, 30_000).tolist(), rng.lognormal(0, 0.1, 30_000).tolist(), 0.95)
    assert found is not None
    assert found[0] < 1 < found[1]
