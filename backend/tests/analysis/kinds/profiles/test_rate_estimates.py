"""Estimates: rates, intervals, shrunk dispersions, and what is detectable."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.kinds.profiles.estimates.rate_estimates import (
    AS_EXPECTED,
    DispersionPrior,
    RateEstimates,
    ReplicateSums,
    detectable_ratio,
    estimate,
    prior_weight,
    scatter_of,
)

PRIOR = DispersionPrior(dispersion=1.0, cv=0.0, df_few=10.0, df_many=10.0)


def compared(
    base: Sequence[Sequence[float]],
    candidate: Sequence[Sequence[float]],
    *,
    share: bool = False,
    prior: DispersionPrior = PRIOR,
) -> RateEstimates:
    rows = [np.array(side, dtype=float) for side in (base, candidate)]
    moments = [ReplicateSums.of(side, np.full(side.shape[1], 100.0)) for side in rows]
    return estimate(moments[0], moments[1], quantum=1.0, share=share, prior=prior, confidence=0.95)


def test_a_rate_is_sum_over_sum_and_weighs_long_profiles_more() -> None:
    moments = ReplicateSums.of(np.array([[10.0, 10.0]]), np.array([1.0, 9.0]))
    assert moments.rates.tolist() == [2.0]


def test_ratio_and_difference_of_a_doubling() -> None:
    found = compared([[50, 50, 50]], [[100, 100, 100]])
    assert found.ratio[0] == pytest.approx(2)
    assert found.difference[0] == pytest.approx(0.5)
    assert found.low[0] < 2 < found.high[0]
    assert found.p_value[0] < 1e-4
    assert found.p_value[0] < 0.001


def test_what_is_on_one_side_only_has_a_difference_and_no_ratio() -> None:
    found = compared([[0, 0, 0]], [[30, 30, 30]])
    assert np.isnan(found.ratio[0])
    assert np.isnan(found.low[0])
    assert found.difference_low[0] > 0


def test_vanished_rows_have_ratio_zero_without_interval() -> None:
    found = compared([[30, 30, 30]], [[0, 0, 0]])
    assert found.ratio[0] == 0
    assert np.isnan(found.low[0])
    assert found.difference_high[0] < 0


def test_nothing_on_both_sides_is_no_change() -> None:
    found = compared([[0, 0]], [[0, 0]])
    assert found.p_value[0] == 1
    assert found.p_value[0] > 0.5


def test_swapping_the_sides_inverts_the_ratio_and_keeps_the_p_value() -> None:
    there, back = compared([[50, 60]], [[90, 80]]), compared([[90, 80]], [[50, 60]])
    assert there.ratio[0] == pytest.approx(1 / back.ratio[0])
    assert there.low[0] == pytest.approx(1 / back.high[0])
    assert there.p_value[0] == pytest.approx(back.p_value[0])


def test_spread_between_profiles_widens_the_interval() -> None:
    calm, wild = compared([[50, 50, 50, 50]], [[60, 60, 60, 60]]), compared([[10, 90, 10, 90]], [[20, 100, 20, 100]])
    assert wild.dispersion[0] > 5
    assert wild.high[0] - wild.low[0] > 2 * (calm.high[0] - calm.low[0])


def test_regular_sampling_is_assumed_only_for_many_counts() -> None:
    rows = [[400, 401, 400, 401]], [[400, 400, 401, 401]]
    assert compared(*rows).dispersion[0] < 1
    few = [[4, 4, 4, 4]], [[4, 4, 4, 4]]
    assert compared(*few).dispersion[0] == 1


def test_one_profile_a_side_uses_the_prior_only() -> None:
    found = compared([[50]], [[50]], prior=DispersionPrior(2.2, 0.0, 4.0, 4.0))
    assert np.isnan(found.raw_dispersion[0])
    assert found.dispersion[0] == pytest.approx(2.2)
    assert found.df[0] == 4


def test_shares_have_binomial_variance() -> None:
    half, most = compared([[50, 50]], [[50, 50]], share=True), compared([[99, 99]], [[99, 99]], share=True)
    assert most.log_error[0] < half.log_error[0] / 3


def test_the_prior_weighs_more_with_few_counts() -> None:
    prior = DispersionPrior(1.0, 0.1, 30.0, 5.0)
    assert prior.df(np.array([1.0]))[0] > 29
    assert prior.df(np.array([1e6]))[0] == pytest.approx(5, abs=0.1)
    assert prior.expected(np.array([100.0]))[0] == pytest.approx(2)


def test_a_measured_dispersion_outweighs_the_prior() -> None:
    df = np.array([18.0, 18.0, 0.0])
    believed = prior_weight(np.array([18.0, 18.0 * 8, 0.0]), df, np.ones(3))
    assert believed[0] == 1
    assert believed[1] < 0.01
    assert believed[2] == 1


@pytest.mark.parametrize(("prior_df", "scale"), [(6.0, 1.0), (40.0, 2.0), (np.inf, 1.0)])
def test_the_scatter_of_dispersions_is_found_again(prior_df: float, scale: float) -> None:
    rng = np.random.default_rng(3)
    dispersions = scale / (rng.chisquare(prior_df, 4000) / prior_df if np.isfinite(prior_df) else np.ones(4000))
    df = np.full(4000, 6.0)
    found = scatter_of(dispersions * rng.chisquare(df) / df, df, np.ones(4000))
    assert found.scale == pytest.approx(scale, rel=0.1)
    assert 1 / found.df == pytest.approx(1 / prior_df, abs=0.03)


def test_few_functions_give_a_wide_scatter_estimate() -> None:
    raw, df = np.array([0.1, 9.0, 0.2, 7.0]), np.full(4, 6.0)
    assert scatter_of(np.tile(raw, 50), np.tile(df, 50), np.ones(200)).df < scatter_of(raw, df, np.ones(4)).df
    assert scatter_of(raw[:1], df[:1], np.ones(1)) == AS_EXPECTED


def test_detectable_falls_with_more_counts_and_is_unknown_of_nothing() -> None:
    found = compared([[10, 10, 10], [1000, 1000, 1000], [0, 0, 0]], [[10, 10, 10], [1000, 1000, 1000], [0, 0, 0]])
    ratios = detectable_ratio(found, alpha=0.001, power=0.8)
    assert ratios[0] > ratios[1] > 1
    assert not np.isfinite(ratios[2])


@given(st.integers(2, 6), st.integers(0, 10_000), st.integers(1, 500))
def test_estimates_are_finite_where_declared(profiles: int, seed: int, mean: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.poisson(mean, (2, 5, profiles)).astype(float)
    found = compared(rows[0].tolist(), rows[1].tolist())
    assert np.all((found.p_value >= 0) & (found.p_value <= 1))
    known = np.isfinite(found.low)
    assert np.all(found.low[known] <= found.ratio[known])
    assert np.all(found.ratio[known] <= found.high[known])
    assert np.all(found.difference_low <= found.difference_high)


def test_intervals_cover_the_true_value_at_about_the_nominal_rate() -> None:
    rng = np.random.default_rng(3)
    rows = rng.poisson(100, (2, 2000, 8)) * np.array([1.0, 1.0])[:, None, None]
    moments = [ReplicateSums.of(side, np.full(8, 100.0)) for side in rows]
    prior = DispersionPrior(1.05, 0.0, 30.0, 5.0)
    found = estimate(moments[0], moments[1], quantum=1.0, share=False, prior=prior, confidence=0.95)
    covered = float(np.mean((found.low <= 1) & (found.high >= 1)))
    assert 0.93 <= covered <= 0.97


def test_a_level_that_a_double_cannot_tell_from_zero_has_a_detectable_ratio() -> None:
    found = compared([[50, 50, 50]], [[100, 100, 100]])
    assert np.all(detectable_ratio(found, alpha=1e-20, power=0.8) > detectable_ratio(found, alpha=0.01, power=0.8))
