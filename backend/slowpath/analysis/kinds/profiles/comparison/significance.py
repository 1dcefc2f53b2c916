"""Decide from estimates which rows changed, by how much in display units, and how many more profiles are needed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import Effect
from slowpath.analysis.kinds.profiles.comparison.explanations import explained
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import (
    WAITING_KINDS,
    ProfileKindComparison,
    SubjectEstimates,
)
from slowpath.analysis.kinds.profiles.estimates.rate_estimates import RateEstimates
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.t_distribution import t_quantile, t_two_sided

F64 = NDArray[np.float64]

# Hypotheses are weighted by counts^0.75: small changes matter in large subjects, and there are few of those.
WEIGHT_POWER = 0.75
MOST_MORE_PROFILES = 1_000
# Maximum number of subjects compared with the rest of the program, for sides captured one after the other.
MOST_CONTRASTS = 200
# Only rows with a smaller p-value can be findings.
LIKELY = 0.01


@dataclass(frozen=True)
class SignificantRows:
    """q-values of the tested rows (else NaN), and which are significant and large enough."""

    q: F64
    changed: NDArray[np.bool_]


def compare_rows(
    comparison: ProfileKindComparison, subjects: SubjectEstimates, among: NDArray[np.bool_], weights: F64, alpha: float
) -> SignificantRows:
    """Apply weighted Benjamini-Hochberg to the rows `among`, then floors on relative and absolute effect.

    The tested estimates are relative to the common factor. A change must have the same sign as displayed, and the displayed
    estimate must be as improbable as in any finding; and no cause other than the code may explain it.
    """
    estimates, tested = subjects.estimates, subjects.tested
    q = np.full(len(subjects.names), np.nan)
    chosen = np.flatnonzero(among)
    least_relative, least_of_total = comparison.floors
    total_estimates = comparison.categories.estimates
    total = max(total_estimates.base[-1], total_estimates.candidate[-1])
    large = np.abs(estimates.difference) >= least_of_total * total
    with np.errstate(invalid="ignore"):
        relative = np.isnan(tested.ratio) | (_distance_from_one(tested.ratio) >= least_relative)
        agrees = np.sign(estimates.difference) == np.sign(tested.difference)
        is_displayed = (estimates is tested) | (estimates.p_value <= LIKELY)
    eligible = among & large & relative & agrees & is_displayed
    p_values = _p_values_against_nearest(comparison, subjects)
    if comparison.consecutive:
        rows = np.flatnonzero(eligible & (p_values <= LIKELY))
        p_values = _p_values_against_rest(comparison, subjects, p_values, rows)
    q[chosen] = q_values(p_values[chosen], weights[chosen])
    changed = eligible & (q <= alpha)
    rows = np.flatnonzero(changed)
    changed[rows] = ~explained(comparison, subjects, rows)
    return SignificantRows(q=q, changed=changed)


def _p_values_against_nearest(comparison: ProfileKindComparison, subjects: SubjectEstimates) -> F64:
    """Return p-values against the nearest factor between 1 and the common factor.

    The common factor is that of the machine, or of a change of the code that most functions are part of. In the second case the
    others did not change, and to divide them by it would make them change in the opposite direction.
    """
    tested = subjects.tested
    if comparison.basis.id == "share" or comparison.common.tested == 1:
        return tested.p_value
    with np.errstate(divide="ignore", invalid="ignore"):
        displayed, relative = np.log(subjects.estimates.ratio), np.log(tested.ratio)
        part = displayed / relative
    beyond_one = np.isfinite(part) & (np.abs(displayed) < np.abs(relative))
    return t_two_sided(tested.statistic * np.where(beyond_one, np.clip(part, 0.0, 1.0), 1.0), tested.df)


def _p_values_against_rest(
    comparison: ProfileKindComparison, subjects: SubjectEstimates, p_values: F64, rows: Index
) -> F64:
    """Return p-values of all rows, at least those that changes of state and load explain for `rows` (`state_scatter`).

    A row whose rest has too few parts is tested with the variation between the halves of the sides instead. Only the least probable are computed; the others of `rows` would not be among the findings.
    """
    tested, p_values = subjects.tested, p_values.copy()
    across: F64 | None = None
    order = rows[np.argsort(p_values[rows], kind="stable")]
    for row in order[:MOST_CONTRASTS].tolist():
        contrast = comparison.contrast(subjects, row)
        if contrast is not None:
            p_values[row] = max(float(p_values[row]), contrast.p_value(float(tested.df[row])))
            continue
        if across is None:
            across = _p_values_against_nearest(comparison, comparison.estimator.across_blocks(subjects))
        p_values[row] = across[row]
    p_values[order[MOST_CONTRASTS:]] = 1.0
    return p_values


def is_total_changed(comparison: ProfileKindComparison, basis: Normalization, whole: RateEstimates, row: int) -> bool:
    """Return whether the total is significant alone: one planned test, without correction for the others.

    `row` of `whole` is the total. For shares it is always 1. On the basis of the comparison the process's CPU time decides if it
    is known; otherwise the total may be due to the machine as soon as nearly everything changed. It changes with the machine
    and the state of the process, too: with fewer than `few_profiles` per side that variation is mostly assumed, and the total
    alone decides nothing (of equal pairs of two profiles per side, 5% were called changed by it).
    """
    if min(comparison.sets.replicates()) < comparison.thresholds.few_profiles:
        return False
    if basis.id == comparison.basis.id:
        whole, row = comparison.categories.estimates, len(comparison.categories.names) - 1
    ratio = float(whole.ratio[row])
    if basis.id == "share" or not float(whole.p_value[row]) <= comparison.thresholds.alpha_total:
        return False
    if comparison.kind == "cpu" and not (comparison.total_is_measured or comparison.common.within_noise):
        return False
    if explained(comparison, comparison.categories, np.array([len(comparison.categories.names) - 1]))[0]:
        return False
    return not np.isfinite(ratio) or float(_distance_from_one(np.array(ratio))) >= comparison.floors[0]


def _distance_from_one(ratio: F64) -> F64:
    """Return the distance of a ratio from 1, equal for a ratio and its inverse.

    Swapped sides pass the same floor.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        far: F64 = np.maximum(ratio, 1 / ratio) - 1
    return far


def change_of(comparison: ProfileKindComparison, subjects: SubjectEstimates, row: int) -> Effect:
    """Return the effect of one row in display units.

    A ratio if both sides have a value, else a difference.
    """
    estimates, factor = subjects.estimates, comparison.basis.factor
    ratio, low, high = (float(each[row]) for each in (estimates.ratio, estimates.low, estimates.high))
    difference = float(estimates.difference[row]) * factor
    confidence = comparison.thresholds.confidence
    if np.isfinite(low) and np.isfinite(high):
        return Effect(ratio, difference, low, high, confidence, "ratio")
    return Effect(
        ratio=ratio if np.isfinite(ratio) else None,
        difference=difference,
        ci_low=float(estimates.difference_low[row]) * factor,
        ci_high=float(estimates.difference_high[row]) * factor,
        confidence_level=confidence,
        ci_of="difference",
    )


def profiles_needed(comparison: ProfileKindComparison, subjects: SubjectEstimates, row: int) -> int | None:
    """Return how many more profiles per side a tentative change needs.

    None if it is certain, or cannot be. The standard error falls with the root of the number of profiles; at least the
    number that certainty requires.
    """
    if comparison.certain or comparison.kind in WAITING_KINDS:
        return None
    here = max(1, min(comparison.sets.replicates()))
    effect = abs(float(subjects.tested.statistic[row]))
    return _profiles_for_power(effect, here, comparison) - here


def _profiles_for_power(statistic: float, here: int, comparison: ProfileKindComparison) -> int:
    """Return the profiles per side at which an effect now at `statistic` standard errors has the required power."""
    thresholds = comparison.thresholds
    count = max(comparison.fewest_replicates, here + 1)
    while count < here + MOST_MORE_PROFILES:
        df = np.array([2.0 * count - 2 + thresholds.single_df])
        reach = float(
            t_quantile(1 - thresholds.alpha_functions / 10, df)[0] + t_quantile(2 * thresholds.power - 1, df)[0]
        )
        if statistic * (count / here) ** 0.5 >= reach:
            break
        count += 1
    return count
