"""Compare two sets of counts with many subjects: rates, ratios, intervals and p-values.

A recorded stack growth is one event; within one run their number varies at most like a Poisson count (every n-th of a
stream is more regular). Between runs the variance is `dispersion` times the count, with the dispersion estimated from both
sides and shrunk towards a prior, as for profiles (`profiles.rate_estimates`). Given the sum of both sides, the candidate's
count is binomial with the candidate's part of the exposure as its probability, in units of the dispersion. That also
holds for counts of 0 and 1.
"""

from dataclasses import dataclass
from functools import cached_property
from math import pi
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.growth_logs.growth_thresholds import GrowthThresholds
from slowpath.analysis.kinds.profiles.estimates.rate_estimates import (
    DispersionPrior,
    RateEstimates,
    ReplicateSums,
    detectable_ratio,
    estimate,
)
from slowpath.analysis.stats.t_distribution import beta_cdf, log_beta, t_quantile, t_two_sided

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

_STEPS = 30
_SOLVED = 1e-7
_ROOT_TWO_PI = (2 * pi) ** 0.5
_NORMAL = NormalDist()


@dataclass(frozen=True)
class RateComparison:
    """Base against candidate for every subject, in growths per unit of exposure.

    `confidence` is that of the bounds. `bounds` are those of the ratio candidate / base (0 and infinity are possible;
    NaN without growth on either side). They are computed lazily, because most subjects are never reported.
    """

    base: F64
    candidate: F64
    ratio: F64
    p_value: F64
    dispersion: F64
    estimates: RateEstimates
    events: tuple[F64, F64]
    exposure: float
    confidence: float

    @property
    def difference(self) -> F64:
        """Return candidate minus base, in rates."""
        return self.candidate - self.base

    @cached_property
    def bounds(self) -> tuple[F64, F64]:
        """Return (low, high) of the ratio, widened by Student's t because the dispersion is estimated."""
        reach = t_quantile(self.confidence, self.estimates.df) / _NORMAL.inv_cdf(0.5 + self.confidence / 2)
        base, candidate = (side / np.square(reach) for side in self.events)
        return _ratio_bounds(base, candidate, 1 - self.confidence, self.exposure)

    @property
    def low(self) -> F64:
        """Return the lower bounds of the ratios."""
        return self.bounds[0]

    @property
    def high(self) -> F64:
        """Return the upper bounds of the ratios."""
        return self.bounds[1]

    def detectable(self, alpha: float, power: float) -> F64:
        """Return the smallest ratio above 1 that is found at level `alpha` with probability `power`, by subject."""
        return detectable_ratio(self.estimates, alpha=alpha, power=power)


def compare_rates(
    rows: F64, quantum: float, weights: F64, is_base: Mask, thresholds: GrowthThresholds
) -> RateComparison:
    """Compare rows (subjects x logs, in growths) by log exposure (> 0); `quantum` growths are one event."""
    base = ReplicateSums.of(rows[:, is_base], weights[is_base])
    candidate = ReplicateSums.of(rows[:, ~is_base], weights[~is_base])
    estimates = estimate(
        base,
        candidate,
        quantum=quantum,
        share=False,
        prior=_prior(is_base, thresholds),
        confidence=thresholds.confidence,
    )
    unit = quantum * estimates.dispersion
    events = (base.values / unit, candidate.values / unit)
    part = candidate.weight / (base.weight + candidate.weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = candidate.rates / base.rates
    return RateComparison(
        base=base.rates,
        candidate=candidate.rates,
        ratio=ratio,
        p_value=_p_values(*events, part, estimates.df),
        dispersion=estimates.dispersion,
        estimates=estimates,
        events=events,
        exposure=base.weight / candidate.weight,
        confidence=thresholds.confidence,
    )


def _prior(is_base: Mask, thresholds: GrowthThresholds) -> DispersionPrior:
    """Return the prior of the dispersion between runs; with one log per side it is all there is."""
    if min(np.count_nonzero(is_base), np.count_nonzero(~is_base)) > 1:
        return DispersionPrior(
            dispersion=thresholds.prior_dispersion,
            cv=thresholds.prior_cv,
            df_few=thresholds.prior_df_few,
            df_many=thresholds.prior_df_many,
        )
    return DispersionPrior(
        dispersion=thresholds.prior_dispersion,
        cv=thresholds.single_cv,
        df_few=thresholds.single_df,
        df_many=thresholds.single_df,
    )


def _p_values(base: F64, candidate: F64, part: float, df: F64) -> F64:
    """Return two-sided p-values of the conditional binomial test, with Student's tails instead of the normal's.

    P(X >= x) = I_part(x, n - x + 1) and P(X <= x) = I_(1 - part)(n - x, x + 1) (Clopper and Pearson 1934), which are
    continuous in x and n.
    """
    at = np.full(base.shape, part)
    has_counts = base + candidate > 0
    above = np.where(candidate > 0, beta_cdf(at, np.maximum(candidate, 1e-9), base + 1), 1.0)
    below = np.where(base > 0, beta_cdf(1 - at, np.maximum(base, 1e-9), candidate + 1), 1.0)
    p = np.clip(2 * np.minimum(above, below), 1e-280, 1.0)
    score = np.array([-_NORMAL.inv_cdf(each / 2) for each in p.tolist()])
    return np.where(has_counts, t_two_sided(score, df), 1.0)


def _ratio_bounds(base: F64, candidate: F64, alpha: float, exposure: float) -> tuple[F64, F64]:
    """Return bounds of the rate ratio from those of the candidate's part.

    `exposure` is base's over candidate's.
    """
    has_counts = base + candidate > 0
    low = _solve(np.maximum(candidate, 1e-3), base + 1, alpha / 2)
    high = _solve(candidate + 1, np.maximum(base, 1e-3), 1 - alpha / 2)
    with np.errstate(divide="ignore"):
        low = np.where(candidate > 0, low / (1 - low), 0.0) * exposure
        high = np.where(base > 0, high / (1 - high), np.inf) * exposure
    return np.where(has_counts, low, np.nan), np.where(has_counts, high, np.nan)


def _solve(a: F64, b: F64, probability: float) -> F64:
    """Solve I_x(a, b) = `probability` for x: Newton's method on the normal score over the logit, which is nearly linear.

    The derivative of I over the logit is x^a (1 - x)^b / B(a, b).
    """
    target = _NORMAL.inv_cdf(probability)
    log_beta_ab = log_beta(a, b)
    logit = np.log(a / b)
    for _ in range(_STEPS):
        x = 1 / (1 + np.exp(-logit))
        score = np.array([_NORMAL.inv_cdf(p) for p in np.clip(beta_cdf(x, a, b), 1e-15, 1 - 1e-15).tolist()])
        slope = np.exp(a * np.log(x) + b * np.log1p(-x) - log_beta_ab + np.square(score) / 2) * _ROOT_TWO_PI
        step = np.clip((target - score) / np.maximum(slope, 1e-12), -2.0, 2.0)
        logit = np.clip(logit + step, -30.0, 30.0)
        if not np.any(np.abs(step) > _SOLVED):
            break
    solved: F64 = 1 / (1 + np.exp(-logit))
    return solved


def dispersion_of(growths: F64, quantum: float, weights: F64, thresholds: GrowthThresholds) -> float:
    """Return the dispersion of one set of logs (1: a Poisson count), assuming one common rate."""
    rows, is_single = np.array([growths]), len(growths) == 1
    side = ReplicateSums.of(rows, weights)
    prior = _prior(np.array([True, False] if is_single else [True, True, False, False]), thresholds)
    estimates = estimate(side, side, quantum=quantum, share=False, prior=prior, confidence=thresholds.confidence)
    return max(1.0, float(estimates.dispersion[0]))


def count_interval(count: float, dispersion: float, confidence: float) -> tuple[float, float]:
    """Return bounds of the expectation of one count whose variance is `dispersion` times its mean.

    Byar's approximation to the exact Poisson bounds (Breslow and Day 1987, II, 2.13), within 1% from 2 counts on.
    """
    z = _NORMAL.inv_cdf(0.5 + confidence / 2)
    events = count / dispersion
    low = events * max(0.0, 1 - 1 / (9 * events) - z / (3 * events**0.5)) ** 3 if events > 0 else 0.0
    more = events + 1
    high = more * (1 - 1 / (9 * more) + z / (3 * more**0.5)) ** 3
    return low * dispersion, high * dispersion
