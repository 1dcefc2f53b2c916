"""Derive the verdict of one kind of profile from its findings and from the total.

The net significant change decides. If the load is known, that is the total, if it changed significantly. Otherwise, if
significant costs changed in both directions, it is their sum over the stacks of all findings; if that is not significant
either, the verdict is *mixed*. A finding that the total contradicts is no basis for a verdict: a function that vanished
while the total did not fall has most likely shifted its cost elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.combined_verdict import VERDICT_OF
from slowpath.analysis.findings.findings import CHANGED, Direction, Finding, Verdict
from slowpath.analysis.kinds.profiles.comparison.explanations import range_of_mix
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import (
    TOTAL,
    ProfileKindComparison,
    estimate_rows,
)
from slowpath.analysis.kinds.profiles.comparison.shift_group import ShiftGroup
from slowpath.analysis.kinds.profiles.comparison.significance import is_total_changed
from slowpath.analysis.kinds.profiles.estimates.rate_estimates import RateEstimates
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization

# A function with less than this share of its cost on one of the sides has appeared or vanished.
ONE_SIDED = 0.1
# Replaces a factor of zero.
TINY = 1e-12


@dataclass(frozen=True)
class KindDecision:
    """The verdict of a kind; `bound` is the largest ratio of the totals (in either direction) in the confidence interval.

    `contradicted`: the significant findings that were not enough for a verdict because the total did not change alike.
    """

    verdict: Verdict
    bound: float | None
    contradicted: tuple[Finding, ...] = ()


def ruling_of(
    comparison: ProfileKindComparison, findings: Sequence[Finding], groups: Sequence[ShiftGroup] = ()
) -> KindDecision:
    """Decide by the net significant change.

    *unchanged* requires an interval of the total within the limit, whatever the mix of requests may hide.
    """
    bound = _bound(comparison)
    certain = [finding for finding in findings if finding.is_significant]
    if certain:
        verdict = _changed_verdict(comparison, certain, groups)
        return KindDecision(verdict, bound, tuple(certain) if verdict == "inconclusive" else ())
    least, largest = range_of_mix(comparison)
    limited = bound is not None and bound * max(largest, 1 / max(least, TINY)) <= comparison.thresholds.unchanged_within
    has_no_findings = not findings and comparison.certain
    return KindDecision("unchanged" if has_no_findings and limited else "inconclusive", bound)


def ruling_with_labels(
    comparison: ProfileKindComparison, ruling: KindDecision, labels: Sequence[Finding]
) -> KindDecision:
    """Return the verdict of a kind with its findings on labels: they decide where nothing else does.

    A change in one of many requests hardly changes the total, but the total must not exclude it.
    """
    certain = [finding for finding in labels if finding.is_significant]
    if not certain or ruling.verdict in CHANGED:
        return ruling
    directions = {finding.direction for finding in certain}
    if len(directions) > 1:
        return replace(ruling, verdict="mixed")
    [direction] = directions
    largest = max(certain, key=lambda finding: abs(finding.difference_of_whole))
    if _excludes(comparison, direction, largest.difference_of_whole / comparison.basis.factor):
        return replace(ruling, verdict="inconclusive", contradicted=tuple(certain))
    return replace(ruling, verdict=VERDICT_OF[direction])


def tested_weights(comparison: ProfileKindComparison) -> Normalization:
    """Return the basis that changes are tested on: shares are tested against what did not change."""
    subjects = comparison.categories
    displayed, tested = float(subjects.estimates.candidate[-1]), float(subjects.tested.candidate[-1])
    basis = comparison.basis
    if basis.id != "share" or not displayed or not tested:
        return basis
    weights = np.where(comparison.sets.is_base, basis.weights, basis.weights * (displayed / tested))
    return replace(basis, id="per_request", weights=weights)


def estimate_stacks(comparison: ProfileKindComparison, stacks: NDArray[np.bool_]) -> RateEstimates:
    """Estimate the sum over the selected stacks as one row, on the basis that changes are tested on."""
    rows = comparison.measured.by_group(stacks.astype(np.int64), 2)[1:2]
    basis = tested_weights(comparison)
    return estimate_rows(rows, comparison.sets, basis, comparison.quantum, comparison.thresholds)


def total_direction(comparison: ProfileKindComparison) -> Direction | None:
    """Return the direction of the total if it changed significantly.

    None for shares, whose total is always 1.
    """
    estimates = comparison.categories.estimates
    row = comparison.categories.index(TOTAL)
    if not comparison.certain or not is_total_changed(comparison, comparison.basis, estimates, row):
        return None
    return "worse" if float(estimates.difference[row]) > 0 else "better"


def _changed_verdict(
    comparison: ProfileKindComparison, certain: Sequence[Finding], groups: Sequence[ShiftGroup]
) -> Verdict:
    of_total = total_direction(comparison)
    if of_total is not None:
        return VERDICT_OF[of_total]
    directions = {finding.direction for finding in certain}
    net = estimate_stacks(comparison, stacks_of(comparison, certain, groups))
    if len(directions) > 1:
        if not float(net.p_value[0]) <= comparison.thresholds.alpha_total:
            return "mixed"
        direction: Direction = "worse" if float(net.difference[0]) > 0 else "better"
        return "mixed" if _contradicts(comparison, direction, net) else VERDICT_OF[direction]
    direction = directions.pop()
    # New and vanished code is typical of a cost shift: then the total has to change as well. So does a new state of the process,
    # which is part of the difference between sides captured one after the other.
    shifted = comparison.consecutive or all(_is_one_sided(finding) for finding in certain)
    return (
        "inconclusive"
        if (shifted and _opposes(comparison, direction)) or _contradicts(comparison, direction, net)
        else VERDICT_OF[direction]
    )


def _contradicts(comparison: ProfileKindComparison, direction: Direction, net: RateEstimates) -> bool:
    """Return whether the total's interval excludes the net change of the findings, and includes none or the opposite."""
    return _excludes(comparison, direction, float(net.difference[0]))


def _excludes(comparison: ProfileKindComparison, direction: Direction, change: float) -> bool:
    """Return whether the total may be equal or have changed against the direction, but not by this change.

    The side of 1 that its estimate happens to lie on says nothing: a total of ×1.00 is as far from the change.
    """
    if comparison.basis.id == "share":
        return False
    estimates = comparison.categories.estimates
    low, high = float(estimates.difference_low[-1]), float(estimates.difference_high[-1])
    return change < low and high >= 0 if direction == "better" else change > high and low <= 0


def _opposes(comparison: ProfileKindComparison, direction: Direction) -> bool:
    """Return whether the estimate of the total did not change in this direction."""
    if comparison.basis.id == "share":
        return False
    change = float(comparison.categories.estimates.difference[-1])
    return change <= 0 if direction == "worse" else change >= 0


def _is_one_sided(finding: Finding) -> bool:
    return min(finding.base, finding.candidate) < ONE_SIDED * max(finding.base, finding.candidate)


def stacks_of(
    comparison: ProfileKindComparison, findings: Sequence[Finding], groups: Sequence[ShiftGroup] = ()
) -> NDArray[np.bool_]:
    """Return the stacks that any finding covers, each once.

    A function's include those its cost shifted from or to.
    """
    covered = np.zeros(comparison.measured.stacks.frames.count, dtype=np.bool_)
    for finding in findings:
        if finding.subject == TOTAL:
            covered[:] = True
        elif finding.kind == "profile.category":
            covered[comparison.attribution.of(finding.subject)] = True
        else:
            rows = [row for row, name in enumerate(comparison.functions.names) if name == finding.subject]
            for row in rows:
                covered |= comparison.occurrences.holding(row)
            for group in groups:
                if finding.subject in group.names:
                    covered |= group.stacks
    return covered


def _bound(comparison: ProfileKindComparison) -> float | None:
    """Return the largest change of the total (a ratio > 1 in either direction) that its interval includes."""
    if comparison.basis.id == "share" or not comparison.certain:
        return None
    low, high = (
        float(each[-1]) for each in (comparison.categories.estimates.low, comparison.categories.estimates.high)
    )
    return max(high, 1 / low) if np.isfinite(low) and np.isfinite(high) and low > 0 else None
