"""The prior of variances is recovered from drawn ones, and moderated variances are nearer to the true ones."""

import numpy as np
import pytest
from numpy.random import default_rng

from slowpath.analysis.stats.variance_prior import fit_variance_prior, moderate_variances


def test_equal_variances_have_a_prior_of_infinite_or_many_degrees_of_freedom() -> None:
    df = np.full((1, 500), 2.0)
    variances = 4.0 * default_rng(1).chisquare(2, (1, 500)) / 2
    [prior], [prior_df] = fit_variance_prior(variances, df)
    assert prior == pytest.approx(4.0, rel=0.15)
    assert prior_df > 30


def test_the_prior_of_variances_that_differ_is_recovered() -> None:
    rng = default_rng(2)
    true = 3.0 * 6 / rng.chisquare(6, (1, 4000))
    variances = true * rng.chisquare(2, (1, 4000)) / 2
    [prior], [prior_df] = fit_variance_prior(variances, np.full((1, 4000), 2.0))
    assert prior == pytest.approx(3.0, rel=0.15)
    assert prior_df == pytest.approx(6, rel=0.35)
    moderated = moderate_variances(variances, np.full((1, 4000), 2.0))
    assert np.mean(np.abs(np.log(moderated / true))) < 0.6 * np.mean(np.abs(np.log(variances / true)))


def test_members_without_a_variance_get_the_prior() -> None:
    variances = np.array([[1.0, 1.2, 0.9, 0.0, 1.1]])
    moderated = moderate_variances(variances, np.array([[9.0, 9.0, 9.0, 0.0, 9.0]]))
    assert moderated[0, 3] == pytest.approx(1.0, rel=0.2)


def test_a_set_without_variances_has_none() -> None:
    assert np.isnan(moderate_variances(np.zeros((1, 3)), np.zeros((1, 3)))).all()
