"""The variances that a comparison of one kind assumes.

Between runs, along time, and of single functions.
"""

import numpy as np

from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.profiles.estimates.rate_estimates import (
    DispersionPrior,
    Scatter,
)
from slowpath.analysis.kinds.profiles.estimates.serial_dependence import Semivariogram, interleaved
from slowpath.analysis.kinds.profiles.sets.lockstep import in_step_with_clock
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization, ProfileSets
from slowpath.analysis.kinds.profiles.sets.quantum import quantum_of


def inflation_of(sets: ProfileSets, thresholds: ProfileThresholds) -> float:
    """Return the effect of different capture times on the variance of the sides' difference."""
    if not sets.is_series:
        return 1.0
    return semivariogram_of(thresholds).inflation(*sets.times())


def captured_in_turns(sets: ProfileSets) -> bool:
    """Return whether the sides are known to have been captured alternately."""
    return sets.timed and interleaved(*sets.times())


def in_step(sets: ProfileSets) -> bool:
    """Return whether requests come in step with the sampling clock and the capture order does not balance that."""
    return sets.timed and not interleaved(*sets.times()) and in_step_with_clock(sets.artifacts)


def semivariogram_of(thresholds: ProfileThresholds) -> Semivariogram:
    """Return the semivariogram of captures of a service."""
    return Semivariogram(thresholds.serial_exponent, thresholds.serial_reach)


def between_processes(sets: ProfileSets, thresholds: ProfileThresholds) -> float:
    """Return the relative variance between processes, if the sides come from few known ones and it is not observed."""
    base, candidate = ({a.facts.run for a in side if a.facts.run} for side in (sets.base, sets.candidate))
    is_observed = sets.by_run or not base or not candidate or bool(base & candidate)
    if is_observed or sets.artifacts[0].table.kind != "cpu":
        return 0.0
    return thresholds.process_cv**2 * (1 / len(base) + 1 / len(candidate))


def spread_of_total(sets: ProfileSets, basis: Normalization) -> float:
    """Return how much the total varies between the captures of a side beyond sampling, as a coefficient of variation.

    All subjects share it. 0 if unknown.
    """
    if basis.id == "share" or min(sets.replicates()) < 2 or np.any(sets.totals() <= 0):
        return 0.0
    totals = sets.folded(sets.totals()[np.newaxis, :])
    whole = basis.weights if basis.whole_weights is None else basis.whole_weights
    weights = sets.folded(whole[np.newaxis, :])
    logs = [np.log(total[0] / weight[0]) for total, weight in zip(totals, weights, strict=True)]
    squares = sum(float(np.square(side - side.mean()).sum()) for side in logs)
    degrees = sum(len(side) - 1 for side in logs)
    sampling = float((quantum_of(sets) / np.concatenate([total[0] for total in totals])).mean())
    return float(np.sqrt(max(0.0, squares / degrees - sampling)))


def prior_of(thresholds: ProfileThresholds, kind: str, fewest: int, spread: float, scatter: Scatter) -> DispersionPrior:
    """Return the prior of the variation, given the replicates of the smaller side, and the variation of the total.

    The strong prior was measured on CPU profiles and is used for them only, as far as the scatter of the functions allows.
    """
    if kind != "cpu":
        weak = thresholds.other_kinds_df
        return DispersionPrior(thresholds.single_dispersion, thresholds.prior_cv_other_kinds, weak, weak)
    if fewest < thresholds.fewest_replicates:
        single = thresholds.single_df
        return DispersionPrior(thresholds.single_dispersion, thresholds.prior_cv, single, single)
    cv = max(thresholds.prior_cv, spread)
    return DispersionPrior(
        thresholds.prior_dispersion, cv, thresholds.prior_df_few, thresholds.prior_df_many, scatter=scatter
    )
