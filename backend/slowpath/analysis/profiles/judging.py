"""From estimates to decisions: which rows changed, by how much in display units, and how much more would settle it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.distributions import t_quantile
from slowpath.analysis.findings import Change
from slowpath.analysis.multiplicity import q_values
from slowpath.analysis.profiles.estimate import Estimates
from slowpath.analysis.profiles.kind_comparison import WAITING_KINDS, KindComparison, Subjects
from slowpath.analysis.profiles.sets import Basis

F64 = NDArray[np.float64]

# Large subjects are where a small change costs, and there are few of them: hypotheses weigh by counts^0.75.
WEIGHT_POWER = 0.75
MOST_MORE_PROFILES = 1_000


@dataclass(frozen=True)
class Judged:
    """Rows of `Subjects`: q-values of those tested (else NaN), and whether each is significant and large enough."""

    q: F64
    changed: NDArray[np.bool_]


def judge(
    comparison: KindComparison, subjects: Subjects, among: NDArray[np.bool_], weights: F64, alpha: float
) -> Judged:
    """Weighted Benjamini-Hochberg over the rows `among`, then floors on relative and absolute effect.

    The tested estimates may be on another scale than the displayed ones (shares are judged against what did not
    change); a change must have the same sign on both.
    """
    estimates, tested = subjects.estimates, subjects.tested
    q = np.full(len(subjects.names), np.nan)
    chosen = np.flatnonzero(among)
    q[chosen] = q_values(tested.p_value[chosen], weights[chosen])
    least_relative, least_of_total = comparison.floors
    whole = comparison.categories.estimates
    total = max(whole.base[-1], whole.candidate[-1])
    large = np.abs(estimates.difference) >= least_of_total * total
    with np.errstate(invalid="ignore"):
        relative = np.isnan(tested.ratio) | (np.abs(tested.ratio - 1) >= least_relative)
        agrees = np.sign(estimates.difference) == np.sign(tested.difference)
        changed = (q <= alpha) & large & relative & agrees
    return Judged(q=q, changed=changed)


def whole_changed(comparison: KindComparison, basis: Basis, whole: Estimates, row: int) -> bool:
    """Whether the total is significant on its own: one planned question, so nothing is corrected for the others.

    `row` of `whole` is the total. Of shares it is always 1.
    """
    ratio = float(whole.ratio[row])
    if basis.id == "share" or not float(whole.p_value[row]) <= comparison.thresholds.alpha_total:
        return False
    return not np.isfinite(ratio) or abs(ratio - 1) >= comparison.floors[0]


def change_of(comparison: KindComparison, subjects: Subjects, row: int) -> Change:
    """The effect on one row in display units: as a ratio where both sides have some, else as a difference."""
    estimates, factor = subjects.estimates, comparison.basis.factor
    ratio, low, high = (float(each[row]) for each in (estimates.ratio, estimates.low, estimates.high))
    difference = float(estimates.difference[row]) * factor
    confidence = comparison.thresholds.confidence
    if np.isfinite(low) and np.isfinite(high):
        return Change(ratio, difference, low, high, confidence, "ratio")
    return Change(
        ratio=ratio if np.isfinite(ratio) else None,
        difference=difference,
        low=float(estimates.difference_low[row]) * factor,
        high=float(estimates.difference_high[row]) * factor,
        confidence=confidence,
        of="difference",
    )


def more_profiles(comparison: KindComparison, subjects: Subjects, row: int) -> int | None:
    """How many more profiles a side would settle a likely change of this size; None when it is settled, or cannot be.

    The standard error falls with the root of the number of profiles; at least as many as certainty needs at all.
    """
    if comparison.certain or comparison.kind in WAITING_KINDS:
        return None
    here = max(1, min(comparison.sets.replicates()))
    effect = abs(float(subjects.tested.statistic[row]))
    return _needed(effect, here, comparison) - here


def _needed(statistic: float, here: int, comparison: KindComparison) -> int:
    """Profiles a side at which an effect now at `statistic` standard errors is found with the wanted power."""
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
