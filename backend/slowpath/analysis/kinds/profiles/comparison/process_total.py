"""Estimate the total by the process's CPU time, which has no sampling noise."""

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.profiles.estimates.rate_estimates import RateEstimates, prior_weight
from slowpath.analysis.kinds.profiles.estimates.serial_dependence import RESOLUTION, Semivariogram
from slowpath.analysis.kinds.profiles.sets.coverage import coverage_of, process_cpu
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization, ProfileSets
from slowpath.analysis.stats.t_distribution import t_quantile

F64 = NDArray[np.float64]

# A successive difference has less information on white noise than a deviation from the mean (von Neumann 1941).
WORTH_OF_DIFFERENCE = 0.7


@dataclass(frozen=True)
class Side:
    """CPU time and weight (requests or seconds) of each replicate, and its capture time."""

    cpu: F64
    weight: F64
    times: F64

    @property
    def rate(self) -> float:
        """Return CPU time per unit of weight."""
        return float(self.cpu.sum() / self.weight.sum())

    @property
    def logs(self) -> F64:
        """Return the logarithm of each replicate's rate."""
        return np.log(self.cpu / self.weight)


def process_total(
    sets: ProfileSets, basis: Normalization, between: float, thresholds: ProfileThresholds
) -> RateEstimates | None:
    """Estimate the total by process CPU as one row; None if that is not known on both sides.

    If runs are the replicates, the profiles within them are estimated as well, and the wider of both intervals is used, as
    for all other rows: the sum over a run hides the variation of its profiles.
    """
    replicated = [sets] if not sets.by_run or sets.differenced else [sets, sets.by_profile()]
    sides = [found for each in replicated if (found := process_sides(each, basis)) is not None]
    totals = [total_by_process(*each, between, thresholds) for each in sides]
    return reduce(RateEstimates.wider, totals) if totals else None


def process_sides(sets: ProfileSets, basis: Normalization) -> tuple[Side, Side] | None:
    """Return process CPU of both sides; None unless known for every profile, with two replicates per side."""
    covered = coverage_of(sets.artifacts)
    if covered is None or basis.id == "share" or min(sets.replicates()) < 2:
        return None
    cpu = np.array([process_cpu(artifact) for artifact in sets.artifacts])
    folded = sets.folded(np.stack([cpu, basis.weights / covered]))
    base, candidate = (Side(rows[0], rows[1], times) for rows, times in zip(folded, sets.times(), strict=True))
    return base, candidate


def total_by_process(base: Side, candidate: Side, between: float, thresholds: ProfileThresholds) -> RateEstimates:
    """Estimate the difference of process CPU per unit of weight under serial dependence, as one row.

    The scale comes from differences of successive captures within the sides and from their variance. Where costs follow the
    semivariogram both agree; for white noise the first is too large, for a steeper drift the second. The variance is at least
    that within the sides: captures taken alternately have no drift between the sides. `between` is an additional relative
    variance, that of a new process.
    """
    semivariogram = Semivariogram(thresholds.serial_exponent, thresholds.serial_reach)
    half, shape, deviations = [], [], []
    for side in (base, candidate):
        order = np.argsort(side.times)
        half.append(np.square(np.diff(side.logs[order])) / 2)
        shape.append(semivariogram.at(np.maximum(np.diff(side.times[order]), RESOLUTION)))
        deviations.append(np.square(side.logs - side.logs.mean()))
    successive, expected, squares = (np.concatenate(each) for each in (half, shape, deviations))
    known, expected_cv = float(len(successive)), thresholds.total_cv**2
    prior = thresholds.total_df * float(
        prior_weight(np.array([squares.sum() / expected_cv]), np.array([known]), np.ones(1))[0]
    )
    prior_sum = prior * expected_cv
    spread = (prior_sum + float(squares.sum())) / (prior + known)
    steps = known * WORTH_OF_DIFFERENCE
    unit = float(expected.mean())
    step = (prior_sum + steps * float((successive * unit / expected).mean())) / (prior + steps)
    within_sides = spread * (1 / len(base.cpu) + 1 / len(candidate.cpu))
    by_steps = step * semivariogram.of_difference(base.times, candidate.times) / unit
    by_spread = within_sides * semivariogram.inflation(base.times, candidate.times)
    serial = float(np.sqrt(by_steps * by_spread))
    log_error = float(np.sqrt(max(within_sides, serial) + between))
    return _row(base.rate, candidate.rate, log_error, prior + steps, thresholds.confidence)


def _row(base: float, candidate: float, log_error: float, df: float, confidence: float) -> RateEstimates:
    pooled, log_ratio = (base + candidate) / 2, float(np.log(candidate / base))
    reach = float(t_quantile(confidence, np.array([df]))[0])
    low, high = np.exp(log_ratio - reach * log_error), np.exp(log_ratio + reach * log_error)
    one = np.ones(1)
    return RateEstimates(
        base=one * base,
        candidate=one * candidate,
        ratio=one * candidate / base,
        low=one * low,
        high=one * high,
        difference_low=one * (candidate - base - reach * log_error * pooled),
        difference_high=one * (candidate - base + reach * log_error * pooled),
        statistic=one * log_ratio / log_error,
        df=one * df,
        dispersion=one * np.nan,
        raw_dispersion=one * np.nan,
        log_error=one * log_error,
        error=one * log_error * pooled,
    )
