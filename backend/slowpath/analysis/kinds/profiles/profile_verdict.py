"""Rank findings, report the total where no part explains it, and compute the smallest effects that would be found."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.combined_verdict import leading_direction
from slowpath.analysis.findings.findings import Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.profiles.category_advice import TEXTS
from slowpath.analysis.kinds.profiles.function_findings import FEWEST_COUNTS
from slowpath.analysis.kinds.profiles.profile_kind_comparison import TOTAL, ProfileKindComparison
from slowpath.analysis.kinds.profiles.rate_estimates import detectable_ratio
from slowpath.analysis.kinds.profiles.significance import (
    LIKELY,
    WEIGHT_POWER,
    change_of,
    is_total_changed,
    profiles_needed,
)

F64 = NDArray[np.float64]

# A finding that changes less than this part of what the largest one does is a side effect, not worth a line.
WORTH_A_LINE = 0.03
DETECTABLE_FUNCTIONS = 5


def ranked(findings: Sequence[Finding], verdict: Verdict | None) -> list[Finding]:
    """By what each explains that no other does: what went the way of the verdict first; the likely last.

    Kinds of profile keep the order they come in, since a byte and a microsecond cannot be weighed.
    """
    kinds = {profile: number for number, profile in enumerate(dict.fromkeys(f.profile_kind for f in findings))}
    first = leading_direction(verdict)
    return sorted(
        findings,
        key=lambda f: (not f.is_significant, f.direction != first, kinds[f.profile_kind], -abs(f.explained)),
    )


def with_total(findings: Sequence[Finding], comparison: ProfileKindComparison) -> list[Finding]:
    """Add the total as a finding if it changed significantly and no finding explains its direction."""
    total = _total_finding(comparison)
    if total is not None and all(finding.direction != total.direction for finding in findings):
        return [*findings, total]
    return list(findings)


def reportable_findings(
    findings: Sequence[Finding], comparison: ProfileKindComparison, verdict: Verdict | None
) -> list[Finding]:
    """The findings worth telling, ranked: the largest, whichever way they went, so swapped sides show the same ones."""
    largest = max((abs(finding.change.difference) for finding in findings), default=0.0)
    kept = [f for f in findings if abs(f.change.difference) >= WORTH_A_LINE * largest]
    kept.sort(key=lambda f: (not f.is_significant, -abs(f.change.difference)))
    return ranked(kept[: comparison.thresholds.most_findings], verdict)


def _total_finding(comparison: ProfileKindComparison) -> Finding | None:
    """The change of the total, if it is significant on its own."""
    subjects = comparison.categories
    row = subjects.index(TOTAL)
    estimates, factor = subjects.estimates, comparison.basis.factor
    if not is_total_changed(comparison, comparison.basis, estimates, row):
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
        profile_kind=comparison.kind,
        subject=TOTAL,
        direction="worse" if change.difference > 0 else "better",
        base=base,
        candidate=candidate,
        unit=comparison.basis.unit,
        change=change,
        normalization=comparison.basis.id,
        q_value=float(estimates.p_value[row]),
        attributed_callers=(),
        contributions=(),
        is_significant=comparison.significant,
        profiles_needed=profiles_needed(comparison, subjects, row),
        mechanism=text.mechanism if comparison.kind == "cpu" else "",
        advice=text.advice,
        sentence=f"{said}.",
    )


def detectable_effects(comparison: ProfileKindComparison) -> list[MinimumDetectableEffect]:
    """The smallest ratios that would have been found: of the total, each category present, and the largest functions."""
    thresholds = comparison.thresholds
    categories, functions = comparison.categories, comparison.functions
    found: list[MinimumDetectableEffect] = []
    of_category = detectable_ratio(categories.tested, alpha=thresholds.alpha_categories / 4, power=thresholds.power)
    of_total = detectable_ratio(categories.tested, alpha=thresholds.alpha_total, power=thresholds.power)
    if comparison.basis.id != "share":
        found.append(MinimumDetectableEffect("profile.category", TOTAL, _plain(of_total[categories.index(TOTAL)])))
    present = np.argsort(-categories.rows.sum(axis=1), kind="stable")
    telling = [row for row in present.tolist() if categories.names[row] not in {TOTAL, "app"}]
    found += [
        MinimumDetectableEffect("profile.category", categories.names[row], _plain(of_category[row]))
        for row in telling
        if comparison.kind == "cpu" and categories.rows[row].sum() > 0
    ]
    own = comparison.largest_functions(DETECTABLE_FUNCTIONS)
    found += [
        MinimumDetectableEffect("profile.function", functions.names[row], _plain(ratio))
        for row, ratio in zip(own, detectable_of_functions(comparison, own), strict=True)
    ]
    return found


def detectable_of_functions(comparison: ProfileKindComparison, rows: Sequence[int]) -> list[float]:
    """Of each of these functions, the smallest ratio above 1 that would have been found (see `Thresholds.power`).

    At the level that the function is tested at if it alone changed: its weight among all that are tested; the estimate
    that is displayed must be improbable too (`judge`).
    """
    thresholds, functions = comparison.thresholds, comparison.functions
    counts = np.abs(functions.rows).sum(axis=1) / comparison.quantum
    weights = np.power(counts + 1, WEIGHT_POWER)
    whole = float(weights[(counts >= FEWEST_COUNTS) & comparison.tellable].sum())
    found = []
    for row in rows:
        tested = functions.tested.only(row)
        alpha = thresholds.alpha_functions * min(1.0, float(weights[row]) / max(whole, 1.0))
        ratio = float(detectable_ratio(tested, alpha=alpha, power=thresholds.power)[0])
        shown = functions.estimates.only(row)
        ratio = max(ratio, float(detectable_ratio(shown, alpha=LIKELY, power=thresholds.power)[0]))
        contrast = comparison.contrast(functions, row) if comparison.consecutive else None
        if contrast is not None:
            error = (tested.base + tested.candidate) / 2 * np.sqrt(contrast.sampling + contrast.state)
            against = replace(tested, error=error, df=np.array([contrast.df(float(tested.df[0]))]))
            ratio = max(ratio, float(detectable_ratio(against, alpha=alpha, power=thresholds.power)[0]))
        found.append(ratio)
    return found


def _plain(ratio: float) -> float | None:
    """A ratio that can be written as JSON; None where nothing could have been found."""
    return float(ratio) if np.isfinite(ratio) and ratio < 1e6 else None
