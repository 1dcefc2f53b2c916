"""Test which runtime categories changed; a group replaces parts that change together."""

import numpy as np

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import AttributedCaller, Contribution, Finding
from slowpath.analysis.kinds.profiles.categories.category_advice import text_for
from slowpath.analysis.kinds.profiles.categories.stack_attribution import GROUPS
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import (
    TOTAL,
    ProfileKindComparison,
    SubjectEstimates,
)
from slowpath.analysis.kinds.profiles.comparison.significance import (
    WEIGHT_POWER,
    SignificantRows,
    change_of,
    compare_rows,
    profiles_needed,
)
from slowpath.analysis.kinds.profiles.findings.attributed_callers import (
    entries_of,
    leading_entry_category,
    top_attributed_callers,
)
from slowpath.analysis.kinds.profiles.findings.category_parts import PAID_BY_ALLOCATION

FEWEST_COUNTS = 5
MIN_ATTRIBUTED_SHARE = 0.3


def category_findings(comparison: ProfileKindComparison) -> list[Finding]:
    """Return findings on categories and groups of categories, of both directions, in no particular order.

    Categories are parts of the Go runtime that use CPU; findings on other kinds of profile are on functions alone.
    """
    if comparison.kind != "cpu":
        return []
    subjects = comparison.categories
    counts = np.abs(subjects.rows).sum(axis=1) / comparison.quantum
    tested = (counts >= FEWEST_COUNTS) & np.array([name not in {TOTAL, "app"} for name in subjects.names])
    weights = np.power(counts + 1, WEIGHT_POWER)
    significance = compare_rows(comparison, subjects, tested, weights, comparison.thresholds.alpha_categories)
    reported = _groups_for_parts(subjects, significance)
    return [_finding(comparison, row, significance) for row in sorted(reported)]


def _groups_for_parts(subjects: SubjectEstimates, significance: SignificantRows) -> set[int]:
    """Return the rows to report: a group instead of its parts if they change together, else the parts."""
    reported = set(np.flatnonzero(significance.changed).tolist())
    difference = subjects.estimates.difference
    for group, parts in GROUPS.items():
        row = subjects.index(group)
        if row not in reported:
            continue
        members = {subjects.index(part) for part in parts}
        reported_members = [member for member in members if member in reported]
        together = all(np.sign(difference[member]) == np.sign(difference[row]) for member in reported_members)
        if len(reported_members) == 1 or not together:
            reported.discard(row)
        else:
            reported -= members
    return reported


def _finding(comparison: ProfileKindComparison, row: int, significance: SignificantRows) -> Finding:
    subjects, estimates, factor = comparison.categories, comparison.categories.estimates, comparison.basis.factor
    subject = subjects.names[row]
    among = comparison.attribution.of(subject)
    callers = _top_callers(comparison, subject)
    leading = None if subject in GROUPS else leading_entry_category(comparison, among)
    text = text_for(subject, leading)
    change = change_of(comparison, subjects, row)
    base, candidate = float(estimates.base[row]) * factor, float(estimates.candidate[row]) * factor
    described = wording.change_sentence(
        text.title, comparison.kind, base=base, candidate=candidate, unit=comparison.basis.unit, change=change
    )
    return Finding(
        kind="profile.category",
        profile_kind=comparison.kind,
        subject=subject,
        direction="worse" if change.difference > 0 else "better",
        base=base,
        candidate=candidate,
        unit=comparison.basis.unit,
        change=change,
        normalization=comparison.basis.id,
        q_value=float(significance.q[row]),
        attributed_callers=callers,
        contributions=_parts(subjects, row) if subject in GROUPS else entries_of(comparison, among),
        is_significant=comparison.significant,
        profiles_needed=profiles_needed(comparison, subjects, row),
        mechanism=text.mechanism,
        advice=text.advice if change.difference > 0 else "",
        sentence=f"{described}{_attributed_to(subject, callers, change.difference)}.",
    )


def _top_callers(comparison: ProfileKindComparison, subject: str) -> tuple[AttributedCaller, ...]:
    """Return the attributed callers of the change; for the collector, those that allocate more (or less)."""
    attribution = comparison.attribution
    if subject in PAID_BY_ALLOCATION:
        return top_attributed_callers(comparison, attribution.of("allocation") | attribution.of("gc-assist"))
    return top_attributed_callers(comparison, attribution.of(subject))


def _attributed_to(subject: str, callers: tuple[AttributedCaller, ...], difference: float) -> str:
    """Write the attributed caller, if it has much of the change; for the collector what allocates more."""
    if not callers:
        return ""
    if subject in PAID_BY_ALLOCATION:
        word = "more" if difference > 0 else "less"
        return f"; what allocates {word} is {wording.function(callers[0].function)}"
    share = callers[0].difference / difference
    return f", attributed to {wording.function(callers[0].function)}" if share >= MIN_ATTRIBUTED_SHARE else ""


def _parts(subjects: SubjectEstimates, row: int) -> tuple[Contribution, ...]:
    """Return the parts of a group with their shares of its change, largest first."""
    difference = subjects.estimates.difference
    shares = [
        Contribution(part, float(difference[subjects.index(part)] / difference[row]))
        for part in GROUPS[subjects.names[row]]
    ]
    return tuple(sorted((part for part in shares if part.share), key=lambda part: -part.share))
