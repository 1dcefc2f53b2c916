"""The functions in numpy against scipy."""

import numpy as np
import pytest
from scipy.special import ndtr, stdtr, xlogy

from slowpath.analysis.stats.distribution_functions import normal_cdf, student_cdf, x_log_x

X = np.linspace(-30, 30, 4001)


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 7, 8, 12, 49])
def test_student(freedom: int) -> None:
    inside = X[np.abs(X) < 10]
    np.testing.assert_allclose(student_cdf(freedom, inside), stdtr(freedom, inside), rtol=1e-4)


def test_normal() -> None:
    np.testing.assert_allclose(normal_cdf(X), ndtr(X), rtol=1e-3)
    assert normal_cdf(np.array([-100.0, 100.0])).tolist() == [0.0, 1.0]


def test_x_log_x() -> None:
    some = np.array([0.0, 0.25, 1.0, 3.0])
    np.testing.assert_allclose(x_log_x(some), xlogy(some, some))
