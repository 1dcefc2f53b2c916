"""Intervals and p-values of counts: against exact ones, and by simulation."""

import numpy as np
import pytest
from scipy.stats import binomtest, poisson

from slowpath.analysis.kinds.growth_logs.count_rates import compare_rates, count_interval, dispersion_of
from slowpath.analysis.kinds.growth_logs.growth_thresholds import DEFAULT_GROWTH_THRESHOLDS, GrowthThresholds

# No spread between runs, and sure of it: then everything is Poisson and can be looked up.
SURE = GrowthThresholds(prior_cv=0, single_cv=0, prior_df_few=1e6, prior_df_many=1e6, single_df=1e6)


def test_p_values_are_the_same_both_ways() -> None:
    """Of what fell as of what grew, however small they are."""
    rows = np.array([[400.0, 900.0], [900.0, 400.0], [50.0, 2_000.0], [2_000.0, 50.0]])
    p = compare_rates(rows, 1.0, np.ones(2), np.array([True, False]), SURE).p_value
    assert p[0] == pytest.approx(p[1], rel=1e-6)
    assert p[2] == pytest.approx(p[3], rel=1e-6)
    assert 0 < p[2] < 1e-200


@pytest.mark.parametrize(("base", "candidate"), [(0, 8), (3, 12), (10, 10), (25, 2), (120, 180), (1, 0)])
@pytest.mark.parametrize("exposure", [1.0, 2.5])
def test_without_spread_the_test_is_the_exact_binomial_one(base: int, candidate: int, exposure: float) -> None:
    rows, weights = np.array([[base, candidate]], dtype=float), np.array([exposure, 1.0])
    tested = compare_rates(rows, 1.0, weights, np.array([True, False]), SURE)
    part = 1 / (1 + exposure)
    n = base + candidate
    above = binomtest(candidate, n, part, "greater").pvalue
    below = binomtest(candidate, n, part, "less").pvalue
    assert tested.p_value[0] == pytest.approx(min(1, 2 * min(above, below)), rel=2e-3, abs=1e-9)
    bounds = binomtest(candidate, n, part).proportion_ci(0.95)
    for ours, bound in ((tested.low[0], bounds.low), (tested.high[0], bounds.high)):
        expected = np.inf if bound == 1 else bound / (1 - bound) * exposure
        assert ours == pytest.approx(expected, rel=2e-3)


def test_a_prior_dispersion_lowers_certainty() -> None:
    rows, sides = np.array([[100.0, 160.0]]), np.array([True, False])
    believed = GrowthThresholds(single_cv=0)
    less_sure = compare_rates(rows, 1.0, np.ones(2), sides, believed).p_value[0]
    assert less_sure > 5 * compare_rates(rows, 1.0, np.ones(2), sides, SURE).p_value[0]


def test_nothing_on_either_side_is_no_change() -> None:
    tested = compare_rates(
        np.zeros((1, 4)), 1.0, np.ones(4), np.array([True, True, False, False]), DEFAULT_GROWTH_THRESHOLDS
    )
    assert tested.p_value[0] == 1
    assert np.isnan(tested.low[0])
    assert np.isnan(tested.high[0])


@pytest.mark.parametrize("count", [2, 3, 15, 171, 3_465])
def test_bounds_of_one_count(count: int) -> None:
    low, high = count_interval(count, 1.0, 0.95)
    assert poisson.sf(count - 1, low) == pytest.approx(0.025, rel=0.14)
    assert poisson.cdf(count, high) == pytest.approx(0.025, rel=0.14)


def test_bounds_of_no_count() -> None:
    low, high = count_interval(0, 1.0, 0.95)
    assert low == 0
    assert high == pytest.approx(3.7, rel=0.05)


def test_logs_that_differ_more_than_chance_have_wider_bounds() -> None:
    alike = dispersion_of(np.array([1_000.0, 1_010, 990]), 1, np.ones(3), DEFAULT_GROWTH_THRESHOLDS)
    unlike = dispersion_of(np.array([500.0, 1_500, 1_000]), 1, np.ones(3), DEFAULT_GROWTH_THRESHOLDS)
    assert unlike > 20 * alike
    alone = dispersion_of(np.array([1_000.0]), 1, np.ones(1), DEFAULT_GROWTH_THRESHOLDS)
    assert alone == pytest.approx(1 + 0.05**2 * 1_000)


@pytest.mark.parametrize(
    ("mean", "cv", "logs"), [(4, 0.0, 3), (60, 0.02, 3), (400, 0.05, 4), (3_000, 0.05, 8), (800, 0.1, 6)]
)
def test_intervals_cover_the_true_value(mean: float, cv: float, logs: int) -> None:
    """95 % intervals of a true ratio of 1.5, over 1,000 draws; with few logs and much spread, nearly."""
    rng = np.random.default_rng(7)
    draws = 1_000
    luck = rng.gamma(1 / cv**2, cv**2, (draws, 2 * logs)) if cv else np.ones((draws, 2 * logs))
    is_base = np.arange(2 * logs) < logs
    rows = rng.poisson(mean * luck * np.where(is_base, 1.0, 1.5)).astype(float)
    tested = compare_rates(rows, 1.0, np.ones(2 * logs), is_base, DEFAULT_GROWTH_THRESHOLDS)
    covered = np.mean((tested.low <= 1.5) & (tested.high >= 1.5))
    assert covered >= 0.925


@pytest.mark.parametrize("cv", [0.0, 0.03, 0.05])
def test_one_log_a_side_covers_the_prior_dispersion(cv: float) -> None:
    rng = np.random.default_rng(8)
    luck = rng.gamma(1 / cv**2, cv**2, (1_000, 2)) if cv else np.ones((1_000, 2))
    rows = rng.poisson(500 * luck).astype(float)
    tested = compare_rates(rows, 1.0, np.ones(2), np.array([True, False]), DEFAULT_GROWTH_THRESHOLDS)
    assert np.mean((tested.low <= 1) & (tested.high >= 1)) >= 0.94
    assert np.mean(tested.p_value <= DEFAULT_GROWTH_THRESHOLDS.alpha_total) <= 0.005
