"""Compare quantiles pooled over several artifacts of a side.

Ratio, interval and p-value on a log scale. Runs of one binary differ, so each artifact has an effect in addition to the
noise inside it. With two to five artifacts per side, resampling complete artifacts would show at most half of that
effect. It is estimated instead: the deviation of the artifacts' quantiles beyond what resampling inside them explains,
shrunk towards the usual variation between artifacts of one binary (moderated variance, Smyth 2004), and drawn from
Student's t with the remaining degrees of freedom. An interval is the percentiles of both levels together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.stats.quantile_thresholds import QuantileThresholds
from slowpath.analysis.stats.side_generators import SideGenerators
from slowpath.analysis.stats.t_distribution import t_quantile, t_two_sided

F64 = NDArray[np.float64]

SHORTEST_NS = 1.0
"""Quantiles (ns) are raised to this: shorter ones cannot be distinguished, and zero has no logarithm."""
MIN_VALUES_FOR_SPREAD = 10.0
"""An artifact is used for the variation between artifacts only with this many values."""
# All pairs of one comparison together correct the prior variance between artifacts by at most these factors.
_LEAST_FACTOR = 0.25
_MOST_FACTOR = 9.0


@dataclass(frozen=True)
class PooledQuantiles:
    """Quantiles of one side on a log scale: pooled, resampled over blocks, and of each artifact.

    `value` is (q,), `draws` (draws x q), `each` (artifacts with enough values x q); `parts` is the share of each artifact, summing
    to 1.
    """

    value: F64
    draws: F64
    each: F64
    parts: F64

    @property
    def effective_artifacts(self) -> float:
        """Return the number of artifacts of equal weight with the same precision."""
        square = float(np.square(self.parts).sum())
        return 1.0 / square if square else 1.0


@dataclass(frozen=True)
class QuantileEffects:
    """Candidate against base for each quantile (q,): log ratio, interval, p-value against the floor.

    `base_draws` and `candidate_draws` contain both levels of resampling, as logarithms (draws x q).
    """

    log_ratio: F64
    low: F64
    high: F64
    error: F64
    df: F64
    p_value: F64
    base_draws: F64
    candidate_draws: F64


def compare_pooled(
    base: PooledQuantiles,
    candidate: PooledQuantiles,
    prior_spread: F64,
    thresholds: QuantileThresholds,
    generators: SideGenerators,
) -> QuantileEffects:
    """Return the ratio of two pooled quantiles with its interval.

    `prior_spread` (q,) is that between artifacts.
    """
    between, df_between = _between(base, candidate, prior_spread, thresholds)
    draws = len(base.draws)
    noisy = [
        side.draws + rng.standard_t(df_between, size=(draws, 1)) * np.sqrt(between / side.effective_artifacts)
        for side, rng in zip((base, candidate), generators, strict=True)
    ]
    log_ratio = candidate.value - base.value
    ratios = noisy[1] - noisy[0]
    tail = (1 - thresholds.confidence) / 2
    low, high = np.quantile(ratios, [tail, 1 - tail], axis=0)
    within = base.draws.var(axis=0) + candidate.draws.var(axis=0)
    across = between * (1 / base.effective_artifacts + 1 / candidate.effective_artifacts)
    error = np.sqrt(within + across)
    df = np.maximum(np.square(within + across) / np.maximum(np.square(across) / df_between, 1e-30), df_between)
    df = np.minimum(df, 1e6)
    return QuantileEffects(
        log_ratio=log_ratio,
        low=np.minimum(low, log_ratio),
        high=np.maximum(high, log_ratio),
        error=error,
        df=df,
        p_value=beyond_floor(log_ratio, error, df, float(np.log(thresholds.least_ratio))),
        base_draws=noisy[0],
        candidate_draws=noisy[1],
    )


def _degrees(base: PooledQuantiles, candidate: PooledQuantiles) -> int:
    return sum(max(len(side.each) - 1, 0) for side in (base, candidate))


def _between(
    base: PooledQuantiles, candidate: PooledQuantiles, prior_spread: F64, thresholds: QuantileThresholds
) -> tuple[F64, float]:
    """Return the variance (q,) between artifacts and its degrees of freedom.

    The variance of the artifacts' values contains that of their blocks: that of the pooled value times the number of artifacts.
    """
    degrees, prior_df = _degrees(base, candidate), thresholds.prior_df
    if degrees == 0:
        return np.square(prior_spread * thresholds.spread_single), thresholds.single_df
    squares = _unexplained(base) + _unexplained(candidate)
    return (prior_df * np.square(prior_spread) + squares) / (prior_df + degrees), prior_df + degrees


def _unexplained(side: PooledQuantiles) -> F64:
    """Return the squares (q,) by which the artifacts' values differ beyond what their blocks explain."""
    if len(side.each) < 2:
        return np.zeros_like(side.value)
    explained = side.draws.var(axis=0) * side.effective_artifacts
    squares: F64 = (len(side.each) - 1) * np.maximum(side.each.var(axis=0, ddof=1) - explained, 0.0)
    return squares


def estimate_spread(
    pairs: Sequence[tuple[PooledQuantiles, PooledQuantiles]], prior_spread: F64, thresholds: QuantileThresholds
) -> F64:
    """Correct the prior variation (q,) between artifacts by what all pairs of this comparison show together."""
    degrees = sum(_degrees(*pair) for pair in pairs)
    squares = sum((_unexplained(side) for pair in pairs for side in pair), np.zeros_like(prior_spread))
    weight = thresholds.belief_df
    factor = (weight + squares / np.square(prior_spread)) / (weight + degrees)
    spread: F64 = prior_spread * np.sqrt(np.clip(factor, _LEAST_FACTOR, _MOST_FACTOR))
    return spread


def beyond_floor(log_ratio: F64, error: F64, df: F64, floor: float) -> F64:
    """Return the two-sided p-value of the hypothesis that the ratio is within the floor in either direction."""
    t = (np.abs(log_ratio) - floor) / np.maximum(error, 1e-12)
    tail = t_two_sided(np.abs(t), df)
    return np.where(t > 0, tail, 1.0)


def detectable_log_ratio(error: F64, df: F64, floor: float, thresholds: QuantileThresholds) -> F64:
    """Return the smallest log ratio that would be found with the required power."""
    smallest: F64 = floor + error * (t_quantile(thresholds.confidence, df) + t_quantile(2 * thresholds.power - 1, df))
    return smallest


def simes(p_values: F64) -> float:
    """Combine dependent p-values into one (Simes 1986); NaN values are ignored."""
    ordered = np.sort(p_values[~np.isnan(p_values)])
    if not len(ordered):
        return float("nan")
    return float(np.min(ordered * len(ordered) / np.arange(1, len(ordered) + 1)))


def as_float64(values: Sequence[float]) -> F64:
    """Return values as an array of doubles."""
    return np.array(values, dtype=np.float64)
