"""Two sets of profiles, many subjects: rates, ratios, intervals and p-values, by arithmetic over whole arrays.

What is assumed. A subject's value in one profile is a count times a quantum (10 ms of CPU). Over profiles of one
binary its variance is `dispersion x count`: 1 if sampling were Poisson, more when runs differ, less when a timer
samples regularly. The dispersion of each subject is estimated from both sides and shrunk towards a prior that grows
with the subject (quasi-Poisson with a moderated variance, as Smyth 2004 does for microarrays). A rate is always sum
over sum: profiles with more weight count more. Tests use the variance under equality, intervals the variance at the
estimates.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.stats.t_distribution import digamma, t_quantile, t_two_sided, trigamma

F64 = NDArray[np.float64]

# Below this many counts a profile, a small observed spread says nothing: no claim of sub-Poisson sampling.
COUNTS_FOR_REGULARITY = 25.0


@dataclass(frozen=True)
class ReplicateSums:
    """Sums over the replicates of one side: all that the estimates need, so nodes need not keep every profile.

    `weight` is the sum of the weights (requests, seconds or total value); `values[s]` the sum of subject s's raw
    values; `squares[s]` the sum of value^2 / weight.
    """

    replicates: int
    weight: float
    values: F64
    squares: F64

    @classmethod
    def of(cls, rows: F64, weights: F64) -> "ReplicateSums":
        """From a matrix (subjects x replicates) and the weight of each replicate (> 0)."""
        weighing = weights > 0
        return cls(
            replicates=len(weights),
            weight=float(weights.sum()),
            values=rows.sum(axis=1),
            squares=(np.square(rows[:, weighing]) / weights[weighing]).sum(axis=1),
        )

    def part(self, begin: int, end: int) -> "ReplicateSums":
        """Of some of the subjects only."""
        return ReplicateSums(self.replicates, self.weight, self.values[begin:end], self.squares[begin:end])

    @property
    def rates(self) -> F64:
        """Value per unit of weight; 0 of a side that weighs nothing (a share of an empty profile)."""
        return self.values * self.inverse_weight

    @property
    def inverse_weight(self) -> float:
        """1 / weight, or 0 where there is none: no information, and no division by it."""
        return 1 / self.weight if self.weight else 0.0

    @property
    def spread(self) -> F64:
        """Weighted sum of squares about the rate: its mean is (replicates - 1) x variance per unit of weight."""
        return np.maximum(self.squares - np.square(self.values) * self.inverse_weight, 0.0)


@dataclass(frozen=True)
class Scatter:
    """How the dispersions of the functions of one comparison scatter about what is expected of them.

    They are `scale` times as large, and the expectation is worth at most `df` degrees of freedom.
    """

    scale: float = 1.0
    df: float = np.inf


AS_EXPECTED = Scatter()


@dataclass(frozen=True)
class DispersionPrior:
    """What is believed of the dispersion before looking, and how strongly.

    Expected: `dispersion + cv^2 x counts`, since what differs between runs (placement, load) scales with a subject
    while sampling noise does not. Measured on three programs, 12 to 30 profiles of one binary each: subjects of few
    counts keep within what chance alone spreads around 1, large ones truly differ (0.5 to 2.3); hence a strong
    belief (`df_few`) below about `counts_turn` counts a profile, a weak one (`df_many`) above.
    """

    dispersion: float
    cv: float
    df_few: float
    df_many: float
    counts_turn: float = 60.0
    scatter: Scatter = AS_EXPECTED

    def expected(self, counts: F64) -> F64:
        """Expected dispersion at a mean count per profile."""
        return self.scatter.scale * (self.dispersion + self.cv**2 * counts)

    def df(self, counts: F64) -> F64:
        """How many degrees of freedom the expectation is worth."""
        known = self.df_many + (self.df_few - self.df_many) / (1 + (counts / self.counts_turn) ** 1.5)
        return np.minimum(known, self.scatter.df)


@dataclass(frozen=True)
class RateEstimates:
    """Of every subject, base against candidate. Rates are raw value per unit of weight.

    `low` and `high` bound the ratio candidate / base where both are positive (else NaN), `difference_low` and
    `difference_high` the difference of rates. `log_error` is the standard error of the log ratio, `error` that of
    the difference if nothing changed.
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
        """Candidate minus base, in rates."""
        return self.candidate - self.base

    @cached_property
    def p_value(self) -> F64:
        """Two-sided p-value of the difference."""
        return t_two_sided(self.statistic, self.df)

    def wider(self, other: "RateEstimates") -> "RateEstimates":
        """Of each row the one of both estimates whose interval of the difference is wider."""
        mine = ~(other.difference_high - other.difference_low > self.difference_high - self.difference_low)
        return RateEstimates(
            **{
                field.name: np.where(mine, getattr(self, field.name), getattr(other, field.name))
                for field in fields(self)
            }
        )

    def only(self, row: int) -> "RateEstimates":
        """Return the estimates of one row alone."""
        return RateEstimates(**{field.name: getattr(self, field.name)[[row]] for field in fields(self)})

    def with_row(self, row: int, other: "RateEstimates") -> "RateEstimates":
        """The same with one row replaced by the only row of other estimates."""
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

    `inflation` is what serial dependence does to the variance between captures (`serial_dependence`): it multiplies
    the dispersion beyond that of sampling, which knows no time, or all of it where requests are `in_step` with the
    sampling clock: then what looks like chance is not. `between` is a relative variance of each difference
    that no number of captures reduces.
    """
    rate_b, rate_c = base.rates, candidate.rates
    raw, phi, df = _dispersion(base, candidate, quantum=quantum, share=share, prior=prior)
    phi = phi + (inflation - 1) * (phi if in_step else np.maximum(phi - prior.dispersion, 0.0))
    pooled = (base.values + candidate.values) / ((base.weight + candidate.weight) or 1.0)
    unit = phi * quantum
    spread_of_both = abs(base.inverse_weight) + abs(candidate.inverse_weight)
    error = np.sqrt(unit * _variance(pooled, share=share) * spread_of_both + between * np.square(pooled))
    difference = rate_c - rate_b
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(error > 0, difference / error, 0.0)
        ratio = np.where(base.values > 0, rate_c / rate_b, np.nan)
        log_error = np.sqrt(unit * (_relative(base, share=share) + _relative(candidate, share=share)) + between)
    reach = t_quantile(confidence, df)
    low, high = _ratio_interval(ratio, log_error, reach)
    apart = np.sqrt(
        unit * (_floored(base, quantum, share=share) + _floored(candidate, quantum, share=share))
        + between * np.square(pooled)
    )
    return RateEstimates(
        base=rate_b,
        candidate=rate_c,
        ratio=ratio,
        low=low,
        high=high,
        difference_low=difference - reach * apart,
        difference_high=difference + reach * apart,
        statistic=statistic,
        df=df,
        dispersion=phi,
        raw_dispersion=raw,
        log_error=log_error,
        error=error,
    )


def _variance(rate: F64, *, share: bool) -> F64:
    """Variance of a rate per unit; the difference of two profiles may be negative, its variance is not."""
    size = np.abs(rate)
    return size * np.maximum(1.0 - size, 0.0) if share else size


def _relative(side: ReplicateSums, *, share: bool) -> F64:
    """Variance of the log rate per unit of dispersion and quantum; infinite at zero."""
    inverse = 1.0 / side.values
    return inverse * np.maximum(1.0 - side.rates, 0.0) if share else inverse


def _floored(side: ReplicateSums, quantum: float, *, share: bool) -> F64:
    """Variance of the rate per unit; a side without a count is treated as if it had one."""
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
    """(observed dispersion, shrunk dispersion, degrees of freedom of the latter) of each subject."""
    summed = np.zeros_like(base.values)
    df = np.zeros_like(base.values)
    for side in (base, candidate):
        variance = _variance(side.rates, share=share) * quantum
        seen = (side.values > 0) & (variance > 0)
        summed += np.where(seen, side.spread / np.where(seen, variance, 1.0), 0.0)
        df += np.where(seen, side.replicates - 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        raw = np.where(df > 0, summed / np.where(df > 0, df, 1.0), np.nan)
    counts = (np.abs(base.values) + np.abs(candidate.values)) / quantum / (base.replicates + candidate.replicates)
    expected = prior.expected(counts)
    prior_df = prior.df(counts) * prior_weight(summed, df, expected)
    phi = (summed + prior_df * expected) / (df + prior_df)
    phi = np.where(counts < COUNTS_FOR_REGULARITY, np.maximum(phi, 1.0), phi)
    return raw, phi, df + prior_df


# A spread this many standard deviations above what is expected is the subject's own (lockstep sampling gives 5 to
# 28 times the expected): the belief loses its weight with the fourth power beyond it (in the spirit of Phipson et
# al. 2016, robust hyperparameters).
OWN_SPREAD = 1.5


def prior_weight(summed: F64, df: F64, expected: F64) -> F64:
    """How far the prior is to be believed of each subject, 0 to 1, given sum of squares / variance on `df`.

    The observed dispersion's distance in standard deviations by Wilson and Hilferty's cube root (1931).
    """
    known = np.maximum(df, 1.0)
    cube = np.cbrt(np.maximum(summed / known / expected, 0.0))
    distance = (cube - (1 - 2 / (9 * known))) / np.sqrt(2 / (9 * known))
    return np.where((df > 0) & (distance > OWN_SPREAD), (OWN_SPREAD / np.maximum(distance, OWN_SPREAD)) ** 4, 1.0)


# The expectation counts like this many functions that scatter as expected, so that a few do not decide.
EXPECTED_WORTH = 10.0
_PRIOR_DF = np.geomspace(0.5, 1e4, 400)


def scatter_of(raw: F64, df: F64, expected: F64) -> Scatter:
    """The scatter of observed dispersions `raw`, on `df` degrees of freedom each, about the `expected` ones.

    By the moments of log(raw / expected), whose variance is trigamma(df / 2) + trigamma(prior df / 2) (Smyth 2004,
    section 6.2). The scale is never below 1: a quiet service may still have a noisy day.
    """
    known = (raw > 0) & (df > 0)
    count = int(np.count_nonzero(known))
    if count < 2:
        return AS_EXPECTED
    half = df[known] / 2
    logs = np.log(raw[known] / expected[known]) - digamma(half) + np.log(half)
    worth = count / (count + EXPECTED_WORTH)
    beyond = worth * (float(logs.var(ddof=1)) - float(trigamma(half).mean()))
    prior_df = float(np.interp(-beyond, -trigamma(_PRIOR_DF / 2), _PRIOR_DF)) if beyond > 0 else np.inf
    bias = float(digamma(np.array([prior_df / 2]))[0] - np.log(prior_df / 2)) if np.isfinite(prior_df) else 0.0
    return Scatter(max(1.0, float(np.exp(worth * (logs.mean() + bias)))), prior_df)


SMALLEST_ALPHA: Final = 1e-12
"""Of a function with hardly any weight among those tested; 1 minus a much smaller level is 1 as a double."""


def detectable_ratio(estimates: RateEstimates, *, alpha: float, power: float) -> F64:
    """The smallest ratio > 1 that would be found with probability `power` at level `alpha`, at these errors.

    From the error under equality: (t_alpha + t_power) standard errors, read on the log scale.
    """
    reach = t_quantile(1 - max(alpha, SMALLEST_ALPHA), estimates.df)
    reserve = t_quantile(2 * power - 1, estimates.df)
    pooled = (estimates.base + estimates.candidate) / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.exp((reach + reserve) * estimates.error / pooled)
