"""Scan many rows for one step each.

The distance of the levels before and from each build on, in standard errors. Autoregressive noise is whitened, so that
the jump counts most if noise is slow: generalized least squares of a constant and a step, for all places at once by
cumulative sums.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class StepScan:
    """The scan of each row and place 1..builds-1 (column k is the step before build k + 1).

    `step` is the difference of the levels, `error` its standard error, `score` their quotient as a signed normal deviate. `gain` is
    the reduction of the residual squares by the step, in variances of the remaining innovations.
    """

    step: F64
    error: F64
    score: F64
    gain: F64


@dataclass(frozen=True)
class StepFits:
    """Generalized least squares of a constant and a step, per row and place as in `StepScan`.

    `information` is the inverse variance of the step, and `level_information` [series, 1] that of a constant alone, in
    inverse variances of the innovations; `squares` is the sum of the remaining ones.
    """

    step: F64
    information: F64
    squares: F64
    level_information: F64


def fit_steps(rows: F64, weight: F64, phi: F64) -> StepFits:
    """Fit rows [series, builds] for each place; `weight` and `phi` as for `scan`."""
    rest = (1 - phi)[:, np.newaxis]
    first = (1 - np.square(phi))[:, np.newaxis]
    white = rows[:, 1:] - phi[:, np.newaxis] * rows[:, :-1]
    by = weight[:, 1:]
    after_weight = _sums_after(by)
    after_white = _sums_after(by * white)
    step_step = by + np.square(rest) * after_weight
    step_one = rest * by + np.square(rest) * after_weight
    step_value = by * white + rest * after_white
    one_one = first * weight[:, :1] + np.square(rest) * by.sum(axis=1, keepdims=True)
    one_value = first * weight[:, :1] * rows[:, :1] + rest * np.sum(by * white, axis=1, keepdims=True)
    all_value = first * weight[:, :1] * np.square(rows[:, :1]) + np.sum(by * np.square(white), axis=1, keepdims=True)
    inside = np.maximum(step_step - np.square(step_one) / one_one, 1e-12)
    step = (step_value - step_one * one_value / one_one) / inside
    squares = np.maximum(all_value - np.square(one_value) / one_one - np.square(step) * inside, 0.0)
    return StepFits(step, inside, squares, one_one)


def scan(rows: F64, weight: F64, phi: F64, most_variance: F64, least_noise: F64 | float) -> StepScan:
    """Scan rows [series, builds].

    `weight` [series, builds] is the inverse relative variance of each build (mean one). `phi` [series] is the
    autocorrelation. `most_variance` [series] bounds the innovation variance where several steps inflate the residuals
    of one; `least_noise` (one, or [series]) is the smallest standard deviation.
    """
    fits, freedom = fit_steps(rows, weight, phi), max(rows.shape[1] - 2, 1)
    least = np.square(np.reshape(least_noise, (-1, 1))) * (1 - np.square(phi))[:, np.newaxis]
    variance = np.maximum(np.minimum(fits.squares / freedom, most_variance[:, np.newaxis]), least)
    error = np.sqrt(variance / fits.information)
    gained = np.square(fits.step) * fits.information
    score = as_normal(fits.step / error, freedom)
    return StepScan(fits.step, error, score, gained / np.min(variance, axis=1, keepdims=True))


def as_normal(t: F64, freedom: float) -> F64:
    """Return the normal deviate with nearly the same tail as a t with these degrees of freedom (Wallace 1959)."""
    shape = (8 * freedom + 1) / (8 * freedom + 3)
    out: F64 = np.sign(t) * shape * np.sqrt(freedom * np.log1p(np.square(t) / freedom))
    return out


def _sums_after(rows: F64) -> F64:
    """[series, builds] Return the sum of the values after each."""
    sums: F64 = rows.sum(axis=1, keepdims=True) - np.cumsum(rows, axis=1)
    return sums
