"""Fit the levels of good and bad builds to measurements for given hypotheses, with the noise marginalized.

A probe's measurements are y = level + a + e: `a` of the probe (placement, caches: N(0, r² s)), `e` of the measurement
(N(0, s)); the level is m for good builds and m + D for bad ones. None of these is given: m and s have Jeffreys' prior, D is
N(0, t² s) truncated below LEAST_STEP, r and t are summed over a grid. All but the grid is integrated exactly (a linear
model with a conjugate prior, see Gelman et al., Bayesian Data Analysis, 3rd ed., 14.8), so few probes give wide intervals.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.stats.distribution_functions import normal_cdf, student_cdf

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

RATIOS: Final = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.4, 2.0, 3.0])
"""Standard deviation between probes over that between measurements."""
RATIO_DECAY: Final = 5.0
"""Decay of the prior with the ratio if no earlier run measured it. A few probes with a larger ratio outweigh it: with half of
the variance from deployments (ratio 1), 148 of 150 named culprits were right, as with a tenth; a slower decay costs probes."""
RATIO_TRUST: Final = 5.0
"""Decay of the prior with the distance of a ratio's logarithm from an earlier measured one (error about 0.2)."""
RATIO_FLOOR: Final = 0.2
"""Ratios below this are equivalent: added before logarithms are compared."""
SCALES: Final = np.array([2.0, 4.0, 8.0, 16.0, 64.0])
"""Scale of a step, in standard deviations between measurements."""
LEAST_STEP: Final = 1.0
"""In standard deviations between measurements: a smaller step would take hundreds of probes and fit noise."""
LEAST_SPREAD: Final = 0.005
"""Smallest noise, half a percent (values are logarithms, or in units of the good level)."""
MANY: Final = 50
"""Degrees of freedom from which a normal distribution replaces Student's t."""


def ratio_prior(ratios: F64, between: float | None = None) -> F64:
    """Return the prior of the deviation between probes over that between measurements; `between`: its earlier value."""
    if between is None:
        weight = np.exp(-RATIO_DECAY * ratios)
    else:
        weight = np.exp(-RATIO_TRUST * np.abs(np.log((ratios + RATIO_FLOOR) / (between + RATIO_FLOOR))))
    out: F64 = weight / weight.sum()
    return out


@dataclass(frozen=True)
class Levels:
    """[gaps] the prediction of each hypothesis for one more probe, with the noise marginalized."""

    good: F64
    bad: F64
    good_variance: F64
    """Uncertainty of the level itself."""
    bad_variance: F64
    window: F64
    """Variance between measurements of one probe."""
    between: F64
    """Variance between probes."""

    def variance(self, windows: int) -> tuple[F64, F64]:
        """Return [gaps] the variances of the mean of this many measurements of one more good and one more bad probe."""
        noise = self.between + self.window / windows
        return self.good_variance + noise, self.bad_variance + noise

    def with_rows(self, rows: NDArray[np.bool_], replacement: "Levels") -> "Levels":
        """Return a copy with some rows replaced."""
        pairs = ((getattr(self, one.name).copy(), getattr(replacement, one.name)) for one in fields(self))
        replaced = []
        for values, new_values in pairs:
            values[rows] = new_values
            replaced.append(values)
        return Levels(*replaced)

    def rows(self, rows: NDArray[np.bool_]) -> "Levels":
        """Return some rows."""
        return Levels(*(getattr(self, one.name)[rows] for one in fields(self)))

    def mixed_with(self, other: "Levels", share: F64) -> "Levels":
        """Return the mixture in which `other` has this share [gaps]."""

        def mean(here: F64, there: F64) -> F64:
            return (1 - share) * here + share * there

        good, bad = mean(self.good, other.good), mean(self.bad, other.bad)
        return Levels(
            good, bad,
            mean(self.good_variance + self.good**2, other.good_variance + other.good**2) - good**2,
            mean(self.bad_variance + self.bad**2, other.bad_variance + other.bad**2) - bad**2,
            mean(self.window, other.window), mean(self.between, other.between),
        )  # fmt: skip


def logsumexp(some: F64) -> float:
    """Return the logarithm of a sum of terms given by their logarithms."""
    top = float(some.max())
    return top + float(np.log(np.exp(some - top).sum()))


def sum_likelihoods(log_likelihood: F64) -> F64:
    """Return [gaps] log likelihoods summed over ways, ratios and scales."""
    flat = log_likelihood.reshape(len(log_likelihood), -1)
    top = flat.max(1)
    out: F64 = top + np.log(np.exp(flat - top[:, np.newaxis]).sum(1))
    return out


@dataclass(frozen=True)
class BestFit:
    """[gaps, ways, ratios, scales] the best fit for each way in which probes are bad."""

    log_likelihood: F64
    level: F64
    step: F64
    variance: F64
    level_spread: F64
    """Variance of the estimated level over that of a measurement."""
    bad_spread: F64
    """The same for the level of bad builds."""
    ratios: F64
    """[noises]"""

    def rows(self, rows: NDArray[np.bool_]) -> "BestFit":
        """Return the fits of some gaps."""
        chosen = {one.name: getattr(self, one.name)[rows] for one in fields(self) if one.name != "ratios"}
        return BestFit(**chosen, ratios=self.ratios)


class NoiseHypotheses(Protocol):
    """[noises] hypotheses on the noise of the measurements, each with the sums that a fit needs."""

    @property
    def ratios(self) -> F64:
        """Return [noises] the deviation between probes over that between measurements."""

    @property
    def prior(self) -> F64:
        """Return [noises] log prior probabilities."""

    @property
    def log_determinant(self) -> F64:
        """Return [..., noises] log determinants of the precision."""

    @property
    def windows(self) -> float:
        """Return the number of measurements."""

    @property
    def inside(self) -> float | F64:
        """Return the sum of squares of the measurements around the means of their probes."""

    def sums(self, bad: NDArray[np.bool_]) -> tuple[F64, F64, F64, F64, F64, F64]:
        """Return the sums for `bad` [gaps, ways, probes]: 1'P1, 1'Py, y'Py [..., noises]; b'P1, b'Py, b'Pb [gaps, ways, noises]."""


class StationaryNoise:
    """[noises] noise hypotheses without drift: only the variance between probes is unknown."""

    def __init__(self, values: Sequence[tuple[float, ...]], prior: F64) -> None:
        """Take measurements by probe; `prior` [noises]."""
        windows = np.array([len(one) for one in values], dtype=float)
        self.means = np.array([np.mean(one) for one in values])
        self.weights = 1 / (1 / windows[:, np.newaxis] + RATIOS**2)  # [deploys, noises]
        self.ratios, self.prior = RATIOS, np.log(prior)
        self.log_determinant = np.log(self.weights).sum(0)
        self.windows = float(windows.sum())
        self.inside: float | F64 = sum(float(((np.array(one) - np.mean(one)) ** 2).sum()) for one in values)

    def sums(self, bad: NDArray[np.bool_]) -> tuple[F64, F64, F64, F64, F64, F64]:
        """Return the sums of `NoiseHypotheses`."""
        weights, y, flags = self.weights, self.means[:, np.newaxis], bad.astype(np.float64)
        twice = flags @ weights
        return weights.sum(0), (weights * y).sum(0), (weights * y**2).sum(0), twice, flags @ (weights * y), twice


def _student(freedom: float, off: F64) -> F64:
    """Return the cumulative Student's t; from MANY on the normal distribution, which is four times as fast."""
    return student_cdf(freedom, off) if freedom < MANY else normal_cdf(off)


def fit_levels(noises: NoiseHypotheses, bad: NDArray[np.bool_]) -> BestFit:
    """Fit level and step; `bad` [gaps, ways, probes]."""
    sums = noises.sums(bad)
    total, total_y, total_yy, both, both_y, twice = (one[..., np.newaxis] for one in sums)
    regularized = twice + 1 / SCALES**2
    determinant = total * regularized - both**2
    level = (regularized * total_y - both * both_y) / determinant
    step = (total * both_y - both * total_y) / determinant
    squares = np.maximum(total_yy - level * total_y - step * both_y, 0.0) + noises.inside + LEAST_SPREAD**2
    freedom = noises.windows  # one less for the level, one more for the least spread
    spread = squares / freedom * total / determinant  # of the step: (A⁻¹)₂₂
    log_likelihood = (
        (0.5 * noises.log_determinant + noises.prior)[..., np.newaxis] - 0.5 * np.log(determinant) - np.log(SCALES) - freedom / 2 * np.log(squares)
        + np.log(np.maximum(_student(freedom, (step - LEAST_STEP * np.sqrt(squares / freedom)) / np.sqrt(spread)), 1e-300))
        - np.log(normal_cdf(-LEAST_STEP / SCALES))
    )  # fmt: skip
    return BestFit(
        log_likelihood, level, step, squares / freedom, regularized / determinant, (regularized + total - 2 * both) / determinant, noises.ratios
    )  # fmt: skip


def predict_levels(log_likelihood: F64, fitted: BestFit) -> Levels:
    """Return the prediction of each hypothesis for one more probe."""
    mass = np.exp(log_likelihood - log_likelihood.max((1, 2, 3), keepdims=True))
    mass /= mass.sum((1, 2, 3), keepdims=True)

    def mean(values: F64) -> F64:
        out: F64 = (mass * values).sum((1, 2, 3))
        return out

    step = np.maximum(fitted.step, LEAST_STEP * np.sqrt(fitted.variance))
    level, variance = fitted.level, fitted.variance
    good, bad = mean(level), mean(level + step)
    return Levels(
        good, bad,
        mean(variance * fitted.level_spread + level**2) - good**2, mean(variance * fitted.bad_spread + (level + step) ** 2) - bad**2,
        mean(variance), mean(variance * fitted.ratios[:, np.newaxis] ** 2),
    )  # fmt: skip
