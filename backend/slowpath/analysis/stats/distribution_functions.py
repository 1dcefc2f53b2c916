"""Distribution functions of the search, in numpy alone: importing `scipy.special` takes longer than a command may take to start."""

from typing import Final

import numpy as np

from slowpath.analysis.stats.t_distribution import F64, log_normal_tail, t_two_sided, t_two_sided_of_many

EXACT_BELOW: Final = 8.0
"""Degrees of freedom from which the approximation is right to 4 digits, in half the time."""


def student_cdf(freedom: float, t: F64) -> F64:
    """Return P(T <= t) of Student's t for each element, to 4 digits of the smaller tail."""
    of_all = t_two_sided if freedom < EXACT_BELOW else t_two_sided_of_many
    return _from_two_sided(t, of_all(t, np.full_like(t, freedom)))


def normal_cdf(x: F64) -> F64:
    """Return P(Z <= x) of the normal distribution for each element, to 4 digits of the smaller tail."""
    two_sided: F64 = np.exp(np.interp(np.abs(x), *log_normal_tail(), right=-np.inf))
    return _from_two_sided(x, two_sided)


def x_log_x(x: F64) -> F64:
    """Return x log x for each element; 0 for 0."""
    out: F64 = x * np.log(np.where(x > 0, x, 1.0))
    return out


def _from_two_sided(x: F64, two_sided: F64) -> F64:
    out: F64 = np.where(x < 0, two_sided / 2, 1 - two_sided / 2)
    return out
