"""Variances that a comparison of one kind assumes: between runs, along time, and of single functions."""

import numpy as np

from slowpath.analysis.kinds.profiles.lockstep import in_step_with_clock
from slowpath.analysis.kinds.profiles.profile_sets import Normalization, ProfileSets
from slowpath.analysis.kinds.profiles.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.profiles.quantum import quantum_of
from slowpath.analysis.kinds.profiles.rate_estimates import (
    DispersionPrior,
    Scatter,
)
from slowpath.analysis.kinds.profiles.serial_dependence import Semivariogram, interleaved


def inflation_of(sets: ProfileSets, thresholds: ProfileThresholds) -> float:
    """What capturing the sides at different times does to the variance of their difference."""
    if sets.artifacts[0].table.kind != "cpu":
        return 1.0
    return semivariogram_of(thresholds).inflation(*sets.times())


def captured_in_turns(sets: ProfileSets) -> bool:
    """Whether the sides are known to have been captured in turns."""
    return sets.timed and interleaved(*sets.times())


def in_step(sets: ProfileSets) -> bool:
    """Whether requests come in step with the sampling clock and the known order of captures does not balance that."""
    return sets.timed and not interleaved(*sets.times()) and in_step_with_clock(sets.artifacts)


def semivariogram_of(thresholds: ProfileThresholds) -> Semivariogram:
    """How captures of a service resemble each other over time."""
    return Semivariogram(thresholds.serial_exponent, thresholds.serial_reach)


def between_processes(sets: ProfileSets, thresholds: ProfileThresholds) -> float:
    """Relative variance between processes where the sides come from few known ones, and their spread is not seen."""
    base, candidate = ({a.facts.run for a in side if a.facts.run} for side in (sets.base, sets.candidate))
    seen = sets.by_run or not base or not candidate or bool(base & candidate)
    if seen or sets.artifacts[0].table.kind != "cpu":
        return 0.0
    return thresholds.process_cv**2 * (1 / len(base) + 1 / len(candidate))


def spread_of_total(sets: ProfileSets, basis: Normalization) -> float:
    """By how much the total itself differs between the captures of a side, beyond sampling: all that is in it shares that.

    A coefficient of variation; 0 where it is not known.
    """
    if basis.id == "share" or min(sets.replicates()) < 2 or np.any(sets.totals() <= 0):
        return 0.0
    totals = sets.folded(sets.totals()[np.newaxis, :])
    weights = sets.folded(basis.weights[np.newaxis, :])
    logs = [np.log(total[0] / weight[0]) for total, weight in zip(totals, weights, strict=True)]
    squares = sum(float(np.square(side - side.mean()).sum()) for side in logs)
    degrees = sum(len(side) - 1 for side in logs)
    sampling = float((quantum_of(sets) / np.concatenate([total[0] for total in totals])).mean())
    return float(np.sqrt(max(0.0, squares / degrees - sampling)))


def prior_of(thresholds: ProfileThresholds, kind: str, fewest: int, spread: float, scatter: Scatter) -> DispersionPrior:
    """What is believed of the spread, given the replicates of the smaller side, and the spread of the total.

    The strong belief was measured on CPU profiles and is kept for them, as far as the scatter of the functions allows.
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
