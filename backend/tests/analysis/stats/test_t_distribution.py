"""Student's t and the beta distribution against scipy, and against what is known where scipy is not exact."""

from math import exp, lgamma, log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import betainc, betaln, polygamma, psi, stdtr, stdtrit

from slowpath.analysis.stats.t_distribution import (
    beta_cdf,
    digamma,
    log_beta,
    median,
    t_quantile,
    t_two_sided,
    t_two_sided_of_many,
    trigamma,
)

PROBABILITIES = (0.01, 0.5, 0.8, 0.95, 0.998, 0.9999)


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_a_quantile_is_exact_for_a_few(probability: float) -> None:
    df = np.array([0.3, 1.0, 1.5, 3.0, 8.0, 40.0, 40.0, 1_000.0])
    assert t_quantile(probability, df) == pytest.approx(stdtrit(df, (1 + probability) / 2), rel=1e-8)


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_quantiles_of_many_waits_are_on_the_curve(probability: float) -> None:
    df = np.random.default_rng(7).uniform(2, 300, 20_000).reshape(100, 200)
    assert t_quantile(probability, df) == pytest.approx(stdtrit(df, (1 + probability) / 2), rel=1e-6)


def test_quantiles_of_equal_degrees_of_freedom_are_equal() -> None:
    found = t_quantile(0.95, np.full(1_000, 9.0))
    assert found.shape == (1_000,)
    assert found == pytest.approx(2.2621571628, rel=1e-9)


def test_nothing_has_no_quantiles() -> None:
    assert t_quantile(0.95, np.zeros(0)).shape == (0,)


def test_hardly_any_freedom_ends_in_a_number() -> None:
    assert np.all(np.isfinite(t_quantile(1 - 1e-9, np.array([0.01, 0.02]))))


def test_tails_are_those_of_scipy() -> None:
    t, df = (each.reshape(-1) for each in np.meshgrid(np.geomspace(1e-3, 200, 40), np.geomspace(0.5, 2_000, 30)))
    assert t_two_sided(t, df) == pytest.approx(2 * stdtr(df, -t), rel=1e-9)


@pytest.mark.parametrize("count", [1, 2, 64, 65])
def test_tails_do_not_depend_on_how_many_are_computed_together(count: int) -> None:
    t, df = np.append(np.geomspace(1e-3, 200, count - 1), np.nan), np.geomspace(2_000, 0.5, count)
    expected = [each for one in zip(t, df, strict=True) for each in t_two_sided(*(np.array([part]) for part in one))]
    assert t_two_sided(t, df) == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_tails_of_very_many_are_near_enough() -> None:
    t, df = (each.reshape(-1) for each in np.meshgrid(np.geomspace(1e-3, 12, 40), np.geomspace(5, 2_000, 30)))
    assert t_two_sided_of_many(t, df) == pytest.approx(2 * stdtr(df, -t), rel=1e-3)
    assert t_two_sided_of_many(-t, df) == pytest.approx(t_two_sided_of_many(t, df))
    few = np.array([0.5, 2.0, 6.0])
    assert t_two_sided_of_many(few, np.full(3, 2.0)) == pytest.approx(2 * stdtr(2.0, -few), rel=2e-2)


def test_tails_of_many_waits_accept_no_nan_and_no_empty_input() -> None:
    found = t_two_sided_of_many(np.array([np.nan, np.inf, 0.0]), np.full(3, 40.0))
    assert np.isnan(found[0])
    assert found[1:].tolist() == [0.0, 1.0]


SMALLEST_NORMAL = 2.2250738585072014e-308


def cdf(x: float, a: float, b: float) -> float:
    return float(beta_cdf(np.array([x]), np.array([a]), np.array([b]))[0])


@given(st.floats(0.01, 20_000), st.floats(0.01, 20_000), st.floats(0, 1))
@example(0.015625, 1.0, 2.2250738585e-313)  # so small a number has few digits, and still I_x is x^a
@example(0.015625, 1.0, 5e-324)
@example(20_000.0, 0.01, 1 - 2**-53)
def test_beta_cdf_is_the_beta_distribution(a: float, b: float, x: float) -> None:
    """Against scipy 1.17, which is right to 6 digits only where x is subnormal; there I_x = x^a / (a B(a, b))."""
    known = float(betainc(a, b, x))
    if 0 < x < SMALLEST_NORMAL:
        known = exp(a * log(x) - lgamma(a + 1) - lgamma(b) + lgamma(a + b))
    assert cdf(x, a, b) == pytest.approx(known, abs=1e-8)


@given(st.floats(-300, 0), st.floats(-300, 0), st.floats(0.001, 0.999))
def test_beta_cdf_of_tiny_parameters_is_all_at_both_ends(a: float, b: float, x: float) -> None:
    """Of tiny parameters b / (a + b) is at 0 and the rest at 1 (scipy 1.17 returns 0 or 1)."""
    tiny_a, tiny_b = 10 ** (a / 2 - 15), 10 ** (b / 2 - 15)
    assert cdf(x, tiny_a, tiny_b) == pytest.approx(tiny_b / (tiny_a + tiny_b), abs=1e-9)


@given(st.floats(-6, 6), st.floats(-6, 6), st.floats(-4, 4))
def test_beta_cdf_of_large_parameters(a: float, b: float, deviate: float) -> None:
    large_a, large_b = 10**a, 10**b
    mean = large_a / (large_a + large_b)
    x = min(1.0, max(0.0, mean + deviate * (mean * (1 - mean) / (large_a + large_b + 1)) ** 0.5))
    assert cdf(x, large_a, large_b) == pytest.approx(float(betainc(large_a, large_b, x)), abs=1e-8)


@given(st.floats(-300, 8), st.floats(-300, 8))
def test_log_beta(a: float, b: float) -> None:
    found = float(log_beta(np.array([10**a]), np.array([10**b]))[0])
    assert found == pytest.approx(float(betaln(10**a, 10**b)), rel=1e-7, abs=1e-7)


def test_log_beta_where_lgamma_is_a_million_times_as_large() -> None:
    """B(1, b) = 1 / b."""
    assert log_beta(np.array([1.0, 1e9]), np.array([1e9, 1.0])) == pytest.approx(-log(1e9), rel=1e-14)


@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_the_median_is_that_of_numpy(count: int) -> None:
    values = np.random.default_rng(count).normal(size=count)
    assert median(values) == pytest.approx(float(np.median(values)))


def test_digamma_and_trigamma_are_exact() -> None:
    x = np.geomspace(0.1, 1e5, 200)
    assert digamma(x) == pytest.approx(psi(x), rel=1e-9, abs=1e-9)
    assert trigamma(x) == pytest.approx(polygamma(1, x), rel=1e-9)
