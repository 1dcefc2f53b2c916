"""Compare two sets of profiles with many subjects: rates, ratios, intervals and p-values, vectorized.

A subject's value in one profile is a count times a quantum (10 ms of CPU). Over profiles of one binary its variance is
`dispersion x count`: 1 for Poisson sampling, more if runs differ, less if a timer samples regularly. The dispersion of each
subject is estimated from both sides and shrunk towards a prior that grows with the subject (quasi-Poisson with a moderated
variance, as Smyth 2004 does for microarrays). A rate is always sum over sum: profiles with more weight count more. Tests use
the variance under equality, intervals the variance at the estimates.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.stats.t_distribution import t_quantile, t_two_sided
from slowpath.analysis.stats.variance_prior import EQUAL_WORTH, fit_variance_prior

F64 = NDArray[np.float64]

# Below this many counts per profile, a small observed variance is no evidence of sub-Poisson sampling.
COUNTS_FOR_REGULARITY = 25.0


@dataclass(frozen=True)
class ReplicateSums:
    """Sums over the replicates of one side.

    All that the estimates need, so nodes need not store every profile. `weight` is the sum of the weights (requests,
    seconds or total value); `values[s]` the sum of subject s's raw values; `squares[s]` the sum of value^2 / weight.
    """

    replicates: int
    weight: float
    values: F64
    squares: F64

    @classmethod
    def of(cls, rows: F64, weights: F64) -> "ReplicateSums":
        """Sum a matrix (subjects x replicates) with the weight of each replicate (> 0)."""
        weighing = weights > 0
        return cls(
            replicates=len(weights),
            weight=float(weights.sum()),
            values=rows.sum(axis=1),
            squares=(np.square(rows[:, weighing]) / weights[weighing]).sum(axis=1),
        )

    def part(self, begin: int, end: int) -> "ReplicateSums":
        """Return the sums of some of the subjects."""
        return ReplicateSums(self.replicates, self.weight, self.values[begin:end], self.squares[begin:end])

    @property
    def rates(self) -> F64:
        """Return the value per unit of weight; 0 for a side without weight (a share of an empty profile)."""
        return self.values * self.inverse_weight

    @property
    def inverse_weight(self) -> float:
        """Return 1 / weight, or 0 without weight."""
        return 1 / self.weight if self.weight else 0.0

    @property
    def spread(self) -> F64:
        """Return the weighted sum of squares about the rate, on average (replicates - 1) x variance per unit of weight."""
        return np.maximum(self.squares - np.square(self.values) * self.inverse_weight, 0.0)


@dataclass(frozen=True)
class Scatter:
    """The scatter of the functions' dispersions in one comparison about their expectation.

    They are `scale` times as large, and the expectation counts as at most `df` degrees of freedom.
    """

    scale: float = 1.0
    df: float = np.inf


AS_EXPECTED = Scatter()


@dataclass(frozen=True)
class DispersionPrior:
    """The prior of the dispersion, and its weight.

    Expected: `dispersion + cv^2 x counts`, since what differs between runs (placement, load) scales with a subject while
    sampling noise does not. Measured on three programs, 12 to 30 profiles of one binary each: subjects with few counts stay
    within what chance alone varies around 1, large ones truly differ (0.5 to 2.3); hence a strong prior (`df_few`) below about
    `counts_turn` counts per profile, a weak one (`df_many`) above.
    """

    dispersion: float
    cv: float
    df_few: float
    df_many: float
    counts_turn: float = 60.0
    scatter: Scatter = AS_EXPECTED

    def expected(self, counts: F64) -> F64:
        """Return the expected dispersion at a mean count per profile."""
        return self.scatter.scale * (self.dispersion + self.cv**2 * counts)

    def df(self, counts: F64) -> F64:
        """Return the degrees of freedom that the expectation counts as."""
        known = self.df_many + (self.df_few - self.df_many) / (1 + (counts / self.counts_turn) ** 1.5)
        return np.minimum(known, self.scatter.df)


@dataclass(frozen=True)
class RateEstimates:
    """Base against candidate for every subject. Rates are raw value per unit of weight.

    `low` and `high` bound the ratio candidate / base if both are positive (else NaN), `difference_low` and `difference_high`
    the difference of rates. `log_error` is the standard error of the log ratio, `error` that of the difference without a
    change.
    """

    base: F64
    candidate: F64
    ratio: F64
    low: F64
    high: F64
    difference_low: F64
    difference_high: F64
    statistic: F64
    df: F64
    dispersion: F64
    raw_dispersion: F64
    log_error: F64
    error: F64

    @property
    def difference(self) -> F64:
        """Return candidate minus base, in rates."""
        return self.candidate - self.base

    @cached_property
    def p_value(self) -> F64:
        """Return the two-sided p-value of the difference."""
        return t_two_sided(self.statistic, self.df)

    def wider(self, other: "RateEstimates") -> "RateEstimates":
        """Return for each row the estimate whose interval of the difference is wider."""
        own_is_wider = ~(other.difference_high - other.difference_low > self.difference_high - self.difference_low)
        return RateEstimates(
            **{
                field.name: np.where(own_is_wider, getattr(self, field.name), getattr(other, field.name))
                for field in fields(self)
            }
        )

    def only(self, row: int) -> "RateEstimates":
        """Return the estimates of one row."""
        return RateEstimates(**{field.name: getattr(self, field.name)[[row]] for field in fields(self)})

    def with_row(self, row: int, other: "RateEstimates") -> "RateEstimates":
        """Return the estimates with one row replaced by the only row of other estimates."""
        replaced = {}
        for field in fields(self):
            values = getattr(self, field.name).copy()
            values[row] = getattr(other, field.name)[0]
            replaced[field.name] = values
        return RateEstimates(**replaced)


def estimate(
    base: ReplicateSums,
    candidate: ReplicateSums,
    *,
    quantum: float,
    share: bool,
    prior: DispersionPrior,
    confidence: float,
    inflation: float = 1.0,
    in_step: bool = False,
    between: F64 | float = 0.0,
) -> RateEstimates:
    """Compare the two sides subject by subject; `share`: weights are totals, so the variance is binomial.

    `inflation` is the effect of serial dependence on the variance between captures (`serial_dependence`): it multiplies the
    dispersion beyond that of sampling, which is independent of time, or all of it if requests are `in_step` with the sampling
    clock. `between` is a relative variance of each difference that more captures do not reduce.
    """
    rate_b, rate_c = base.rates, candidate.rates
    raw, phi, df = _dispersion(base, candidate, quantum=quantum, share=share, prior=prior)
    phi = phi + (inflation - 1) * (phi if in_step else np.maximum(phi - prior.dispersion, 0.0))
    pooled = (base.values + candidate.values) / ((base.weight + candidate.weight) or 1.0)
    unit = phi * quantum
    inverse_weights = abs(base.inverse_weight) + abs(candidate.inverse_weight)
    error = np.sqrt(unit * _variance(pooled, share=share) * inverse_weights + between * np.square(pooled))
    difference = rate_c - rate_b
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(error > 0, difference / error, 0.0)
        ratio = np.where(base.values > 0, rate_c / rate_b, np.nan)
        log_error = np.sqrt(unit * (_relative(base, share=share) + _relative(candidate, share=share)) + between)
    reach = t_quantile(confidence, df)
    low, high = _ratio_interval(ratio, log_error, reach)
    interval_error = np.sqrt(
        unit
        * (_variance_with_floor(base, quantum, share=share) + _variance_with_floor(candidate, quantum, share=share))
        + between * np.square(pooled)
    )
    return RateEstimates(
        base=rate_b,
        candidate=rate_c,
        ratio=ratio,
        low=low,
        high=high,
        difference_low=difference - reach * interval_error,
        difference_high=difference + reach * interval_error,
        statistic=statistic,
        df=df,
        dispersion=phi,
        raw_dispersion=raw,
        log_error=log_error,
        error=error,
    )


def _variance(rate: F64, *, share: bool) -> F64:
    """Return the variance of a rate per unit.

    The difference of two profiles may be negative, its variance is not.
    """
    size = np.abs(rate)
    return size * np.maximum(1.0 - size, 0.0) if share else size


def _relative(side: ReplicateSums, *, share: bool) -> F64:
    """Return the variance of the log rate per unit of dispersion and quantum; infinite at zero."""
    inverse = 1.0 / side.values
    return inverse * np.maximum(1.0 - side.rates, 0.0) if share else inverse


def _variance_with_floor(side: ReplicateSums, quantum: float, *, share: bool) -> F64:
    """Return the variance of the rate per unit; a side without a count is treated as if it had one."""
    rate = np.maximum(np.abs(side.rates), quantum * abs(side.inverse_weight))
    return _variance(rate, share=share) * abs(side.inverse_weight)


def _ratio_interval(ratio: F64, log_error: F64, reach: F64) -> tuple[F64, F64]:
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        known = (ratio > 0) & np.isfinite(log_error)
        low = np.where(known, ratio * np.exp(-reach * log_error), np.nan)
        high = np.where(known, ratio * np.exp(reach * log_error), np.nan)
    return low, high


def _dispersion(
    base: ReplicateSums, candidate: ReplicateSums, *, quantum: float, share: bool, prior: DispersionPrior
) -> tuple[F64, F64, F64]:
    """Return (observed dispersion, shrunk dispersion, its degrees of freedom) of each subject."""
    summed = np.zeros_like(base.values)
    df = np.zeros_like(base.values)
    for side in (base, candidate):
        variance = _variance(side.rates, share=share) * quantum
        has_variance = (side.values > 0) & (variance > 0)
        summed += np.where(has_variance, side.spread / np.where(has_variance, variance, 1.0), 0.0)
        df += np.where(has_variance, side.replicates - 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        raw = np.where(df > 0, summed / np.where(df > 0, df, 1.0), np.nan)
    counts = (np.abs(base.values) + np.abs(candidate.values)) / quantum / (base.replicates + candidate.replicates)
    expected = prior.expected(counts)
    prior_df = prior.df(counts) * prior_weight(summed, df, expected)
    phi = (summed + prior_df * expected) / (df + prior_df)
    phi = np.where(counts < COUNTS_FOR_REGULARITY, np.maximum(phi, 1.0), phi)
    return raw, phi, df + prior_df


# Dispersion this many standard deviations above the expectation is specific to the subject (lockstep sampling gives 5
# to 28 times the expected): beyond it the prior loses weight with the fourth power (in the spirit of Phipson et al.
# 2016, robust hyperparameters).
OWN_SPREAD = 1.5


def prior_weight(summed: F64, df: F64, expected: F64) -> F64:
    """Return the weight of the prior for each subject, 0 to 1, given sum of squares / variance on `df`.

    It depends on the observed dispersion's distance in standard deviations by Wilson and Hilferty's cube root (1931).
    """
    known = np.maximum(df, 1.0)
    cube = np.cbrt(np.maximum(summed / known / expected, 0.0))
    distance = (cube - (1 - 2 / (9 * known))) / np.sqrt(2 / (9 * known))
    return np.where((df > 0) & (distance > OWN_SPREAD), (OWN_SPREAD / np.maximum(distance, OWN_SPREAD)) ** 4, 1.0)


def scatter_of(raw: F64, df: F64, expected: F64) -> Scatter:
    """Estimate the scatter of observed dispersions `raw`, on `df` degrees of freedom each, about the `expected` ones.

    The scale is at least 1: a service with little variation may vary more another time.
    """
    count = int(np.count_nonzero((raw > 0) & (df > 0)))
    if count < 2:
        return AS_EXPECTED
    [scale], [prior_df] = fit_variance_prior((raw / expected)[np.newaxis], df[np.newaxis])
    return Scatter(max(1.0, float(scale ** (count / (count + EQUAL_WORTH)))), float(prior_df))


SMALLEST_ALPHA: Final = 1e-12
"""Smallest level, for functions with hardly any weight; 1 minus a much smaller one is 1 as a double."""


def detectable_ratio(estimates: RateEstimates, *, alpha: float, power: float) -> F64:
    """Return the smallest ratio > 1 found with probability `power` at level `alpha`, given these errors.

    From the error under equality: (t_alpha + t_power) standard errors, on the log scale.
    """
    reach = t_quantile(1 - max(alpha, SMALLEST_ALPHA), estimates.df)
    reserve = t_quantile(2 * power - 1, estimates.df)
    pooled = (estimates.base + estimates.candidate) / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.exp((reach + reserve) * estimates.error / pooled)
