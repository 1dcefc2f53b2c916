"""From estimates to decisions: which rows changed, by how much in display units, and how much more would settle it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import Effect
from slowpath.analysis.kinds.profiles.explanations import explained
from slowpath.analysis.kinds.profiles.profile_kind_comparison import (
    WAITING_KINDS,
    ProfileKindComparison,
    SubjectEstimates,
)
from slowpath.analysis.kinds.profiles.profile_sets import Normalization
from slowpath.analysis.kinds.profiles.rate_estimates import RateEstimates
from slowpath.analysis.kinds.profiles.stack_frames import Index
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.t_distribution import t_quantile

F64 = NDArray[np.float64]

# Large subjects are where a small change costs, and there are few of them: hypotheses weigh by counts^0.75.
WEIGHT_POWER = 0.75
MOST_MORE_PROFILES = 1_000
# Subjects that are compared with the rest of the program where the sides were captured one after the other.
MOST_CONTRASTS = 200
# Less probable than this by chance: only such a row can be a finding.
LIKELY = 0.01


@dataclass(frozen=True)
class SignificantRows:
    """Rows of `SubjectEstimates`: q-values of those tested (else NaN), and whether each is significant and large enough."""

    q: F64
    changed: NDArray[np.bool_]


def compare_rows(
    comparison: ProfileKindComparison, subjects: SubjectEstimates, among: NDArray[np.bool_], weights: F64, alpha: float
) -> SignificantRows:
    """Weighted Benjamini-Hochberg over the rows `among`, then floors on relative and absolute effect.

    The tested estimates are relative to what nearly everything changed by. A change must have the same sign as
    displayed, where chance must be as improbable as in any finding; and nothing but the code may explain it.
    """
    estimates, tested = subjects.estimates, subjects.tested
    q = np.full(len(subjects.names), np.nan)
    chosen = np.flatnonzero(among)
    least_relative, least_of_total = comparison.floors
    whole = comparison.categories.estimates
    total = max(whole.base[-1], whole.candidate[-1])
    large = np.abs(estimates.difference) >= least_of_total * total
    with np.errstate(invalid="ignore"):
        relative = np.isnan(tested.ratio) | (_away_from_one(tested.ratio) >= least_relative)
        agrees = np.sign(estimates.difference) == np.sign(tested.difference)
        shown = (estimates is tested) | (estimates.p_value <= LIKELY)
    worthy = among & large & relative & agrees & shown
    p_values = tested.p_value
    if comparison.consecutive:
        p_values = _against_the_rest(comparison, subjects, np.flatnonzero(worthy & (p_values <= LIKELY)))
    q[chosen] = q_values(p_values[chosen], weights[chosen])
    changed = worthy & (q <= alpha)
    rows = np.flatnonzero(changed)
    changed[rows] = ~explained(comparison, subjects, rows)
    return SignificantRows(q=q, changed=changed)


def _against_the_rest(comparison: ProfileKindComparison, subjects: SubjectEstimates, rows: Index) -> F64:
    """P-values of all rows, those of `rows` no less than the changes of state and load make them (`state_scatter`).

    Only the least probable are looked at; the others of `rows` would not be among the findings.
    """
    tested = subjects.tested
    p_values = tested.p_value.copy()
    order = rows[np.argsort(p_values[rows], kind="stable")]
    for row in order[:MOST_CONTRASTS].tolist():
        contrast = comparison.contrast(subjects, row)
        if contrast is not None:
            p_values[row] = max(float(p_values[row]), contrast.p_value(float(tested.df[row])))
    p_values[order[MOST_CONTRASTS:]] = 1.0
    return p_values


def is_total_changed(comparison: ProfileKindComparison, basis: Normalization, whole: RateEstimates, row: int) -> bool:
    """Whether the total is significant on its own: one planned question, so nothing is corrected for the others.

    `row` of `whole` is the total. Of shares it is always 1. On the basis of the comparison the process's own CPU time
    decides where it is known; where it is not, the total may be the machine's as soon as nearly everything moved.
    """
    if basis.id == comparison.basis.id:
        whole, row = comparison.categories.estimates, len(comparison.categories.names) - 1
    ratio = float(whole.ratio[row])
    if basis.id == "share" or not float(whole.p_value[row]) <= comparison.thresholds.alpha_total:
        return False
    if comparison.kind == "cpu" and not (comparison.total_is_measured or comparison.common.within_noise):
        return False
    if explained(comparison, comparison.categories, np.array([len(comparison.categories.names) - 1]))[0]:
        return False
    return not np.isfinite(ratio) or float(_away_from_one(np.array(ratio))) >= comparison.floors[0]


def _away_from_one(ratio: F64) -> F64:
    """How far a ratio is from 1, the same for a ratio and its inverse: swapped sides pass the same floor."""
    with np.errstate(divide="ignore", invalid="ignore"):
        far: F64 = np.maximum(ratio, 1 / ratio) - 1
    return far


def change_of(comparison: ProfileKindComparison, subjects: SubjectEstimates, row: int) -> Effect:
    """The effect on one row in display units: as a ratio where both sides have some, else as a difference."""
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
    """How many more profiles a side would settle a likely change of this size; None when it is settled, or cannot be.

    The standard error falls with the root of the number of profiles; at least as many as certainty needs at all.
    """
    if comparison.certain or comparison.kind in WAITING_KINDS:
        return None
    here = max(1, min(comparison.sets.replicates()))
    effect = abs(float(subjects.tested.statistic[row]))
    return _needed(effect, here, comparison) - here


def _needed(statistic: float, here: int, comparison: ProfileKindComparison) -> int:
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
