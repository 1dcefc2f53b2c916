"""From findings to a verdict, and what silence is worth: the smallest effects that would have been found."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis import wording
from slowpath.analysis.findings import Detectable, Finding, Verdict
from slowpath.analysis.profiles.advice import TEXTS
from slowpath.analysis.profiles.estimate import detectable_ratio
from slowpath.analysis.profiles.judging import change_of, more_profiles, whole_changed
from slowpath.analysis.profiles.kind_comparison import TOTAL, KindComparison

F64 = NDArray[np.float64]

# A finding that changes less than this part of what the largest one does is a side effect, not worth a line.
WORTH_A_LINE = 0.03
DETECTABLE_FUNCTIONS = 5


def ranked(findings: Sequence[Finding]) -> list[Finding]:
    """By cost to the request: what takes most more first, then what takes less; the likely after the certain.

    Kinds of profile keep the order they come in, since a byte and a microsecond cannot be weighed.
    """
    kinds = {profile: number for number, profile in enumerate(dict.fromkeys(f.profile for f in findings))}
    return sorted(
        findings,
        key=lambda f: (not f.certain, f.direction != "worse", kinds[f.profile], -abs(f.change.difference)),
    )


def told(findings: Sequence[Finding], comparison: KindComparison) -> list[Finding]:
    """The findings worth telling, ranked; the total stands for them when no part explains its change."""
    total = _total_finding(comparison)
    direction = total.direction if total is not None else None
    if total is not None and all(finding.direction != direction for finding in findings):
        findings = [*findings, total]
    if not findings:
        return []
    largest = max(abs(finding.change.difference) for finding in findings)
    kept = [f for f in findings if abs(f.change.difference) >= WORTH_A_LINE * largest]
    return ranked(kept)[: comparison.thresholds.most_findings]


def _total_finding(comparison: KindComparison) -> Finding | None:
    """The change of the total, if it is significant on its own."""
    subjects = comparison.categories
    row = subjects.index(TOTAL)
    estimates, factor = subjects.estimates, comparison.basis.factor
    if not whole_changed(comparison, comparison.basis, estimates, row):
        return None
    change = change_of(comparison, subjects, row)
    base, candidate = float(estimates.base[row]) * factor, float(estimates.candidate[row]) * factor
    text = TEXTS[TOTAL]
    title = "The whole process" if comparison.kind == "cpu" else f"The {comparison.kind} profile as a whole"
    said = wording.change_sentence(
        title, comparison.kind, base=base, candidate=candidate, unit=comparison.basis.unit, change=change
    )
    return Finding(
        kind="profile.category",
        profile=comparison.kind,
        subject=TOTAL,
        direction="worse" if change.difference > 0 else "better",
        base=base,
        candidate=candidate,
        unit=comparison.basis.unit,
        change=change,
        basis=comparison.basis.id,
        q_value=float(estimates.p_value[row]),
        payers=(),
        by=(),
        certain=comparison.certain,
        more_profiles=more_profiles(comparison, subjects, row),
        mechanism=text.mechanism if comparison.kind == "cpu" else "",
        advice=text.advice,
        sentence=f"{said}.",
    )


def verdict_of(comparison: KindComparison, findings: Sequence[Finding], detectable: Sequence[Detectable]) -> Verdict:
    """Regressed or improved by what is certain; unchanged only where a change of 10 % would have been seen.

    Where costs went both ways, the total decides if it can; else what got worse does, since it is what to look at.
    """
    certain = {finding.direction for finding in findings if finding.certain}
    if certain == {"worse", "better"}:
        estimates = comparison.categories.estimates
        fell = comparison.basis.id != "share" and float(estimates.high[-1]) < 1
        return "improved" if fell else "regressed"
    if certain:
        return "regressed" if certain == {"worse"} else "improved"
    whole = next((each.ratio for each in detectable if each.subject == TOTAL), None)
    silent = not findings and comparison.certain and comparison.basis.id != "share"
    return (
        "unchanged"
        if silent and whole is not None and whole <= comparison.thresholds.unchanged_within
        else "inconclusive"
    )


def detectable_effects(comparison: KindComparison) -> list[Detectable]:
    """The smallest ratios that would have been found: of the total, each category present, and the largest functions."""
    thresholds = comparison.thresholds
    categories, functions = comparison.categories, comparison.functions
    found: list[Detectable] = []
    of_category = detectable_ratio(categories.tested, alpha=thresholds.alpha_categories / 4, power=thresholds.power)
    of_total = detectable_ratio(categories.tested, alpha=thresholds.alpha_total, power=thresholds.power)
    if comparison.basis.id != "share":
        found.append(Detectable("profile.category", TOTAL, _plain(of_total[categories.index(TOTAL)])))
    present = np.argsort(-categories.rows.sum(axis=1), kind="stable")
    telling = [row for row in present.tolist() if categories.names[row] not in {TOTAL, "app"}]
    found += [
        Detectable("profile.category", categories.names[row], _plain(of_category[row]))
        for row in telling
        if comparison.kind == "cpu" and categories.rows[row].sum() > 0
    ]
    of_function = detectable_of_functions(comparison)
    own = comparison.largest_functions(DETECTABLE_FUNCTIONS)
    found += [Detectable("profile.function", functions.names[row], _plain(of_function[row])) for row in own]
    return found


def detectable_of_functions(comparison: KindComparison) -> F64:
    """Of each function, the smallest ratio above 1 that would have been found (see `Thresholds.power`)."""
    thresholds = comparison.thresholds
    return detectable_ratio(comparison.functions.tested, alpha=thresholds.alpha_functions / 20, power=thresholds.power)


def _plain(ratio: float) -> float | None:
    """A ratio that can be written as JSON; None where nothing could have been found."""
    return float(ratio) if np.isfinite(ratio) and ratio < 1e6 else None
