"""Student's t against scipy, one by one and over a curve."""

import numpy as np
import pytest
from scipy.special import stdtr, stdtrit

from slowpath.analysis.distributions import t_quantile, t_two_sided, t_two_sided_of_many

PROBABILITIES = (0.01, 0.5, 0.8, 0.95, 0.998, 0.9999)


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_a_quantile_is_exact_for_a_few(probability: float) -> None:
    df = np.array([0.3, 1.0, 1.5, 3.0, 8.0, 40.0, 40.0, 1_000.0])
    assert t_quantile(probability, df) == pytest.approx(stdtrit(df, (1 + probability) / 2), rel=1e-8)


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_quantiles_of_very_many_lie_on_the_curve(probability: float) -> None:
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


def test_tails_of_very_many_are_near_enough() -> None:
    t, df = (each.reshape(-1) for each in np.meshgrid(np.geomspace(1e-3, 12, 40), np.geomspace(5, 2_000, 30)))
    assert t_two_sided_of_many(t, df) == pytest.approx(2 * stdtr(df, -t), rel=1e-3)
    assert t_two_sided_of_many(-t, df) == pytest.approx(t_two_sided_of_many(t, df))
    few = np.array([0.5, 2.0, 6.0])
    assert t_two_sided_of_many(few, np.full(3, 2.0)) == pytest.approx(2 * stdtr(2.0, -few), rel=2e-2)


def test_tails_of_very_many_know_no_number_and_nothing() -> None:
    found = t_two_sided_of_many(np.array([np.nan, np.inf, 0.0]), np.full(3, 40.0))
    assert np.isnan(found[0])
    assert found[1:].tolist() == [0.0, 1.0]
