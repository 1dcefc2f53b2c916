"""Rank findings, report an otherwise unexplained total, and compute the minimum detectable effects."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.combined_verdict import leading_direction
from slowpath.analysis.findings.findings import Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.profiles.categories.category_advice import TEXTS
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import TOTAL, ProfileKindComparison
from slowpath.analysis.kinds.profiles.comparison.significance import (
    LIKELY,
    WEIGHT_POWER,
    change_of,
    is_total_changed,
    profiles_needed,
)
from slowpath.analysis.kinds.profiles.estimates.rate_estimates import detectable_ratio
from slowpath.analysis.kinds.profiles.findings.function_findings import FEWEST_COUNTS
from slowpath.analysis.kinds.profiles.findings.largest_part import describe_total_change

# A finding with less than this share of the largest change is a negligible side effect.
WORTH_A_LINE = 0.03
DETECTABLE_FUNCTIONS = 5


def ranked(findings: Sequence[Finding], verdict: Verdict | None) -> list[Finding]:
    """Rank by what each finding alone explains: the direction of the verdict first, tentative ones last.

    Kinds of profile stay in their order, since bytes and microseconds are not comparable.
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
    """Return the findings to report, ranked.

    The largest in either direction, so swapped sides report the same.
    """
    largest = max((abs(finding.change.difference) for finding in findings), default=0.0)
    selected = [f for f in findings if abs(f.change.difference) >= WORTH_A_LINE * largest]
    selected.sort(key=lambda f: (not f.is_significant, -abs(f.change.difference)))
    return ranked(selected[: comparison.thresholds.most_findings], verdict)


def _total_finding(comparison: ProfileKindComparison) -> Finding | None:
    """Return the change of the total, if it is significant alone."""
    subjects = comparison.categories
    row = subjects.index(TOTAL)
    estimates, factor = subjects.estimates, comparison.basis.factor
    if not is_total_changed(comparison, comparison.basis, estimates, row):
        return None
    change = change_of(comparison, subjects, row)
    base, candidate = float(estimates.base[row]) * factor, float(estimates.candidate[row]) * factor
    text = TEXTS[TOTAL]
    title = "The process" if comparison.kind == "cpu" else f"The {comparison.kind} profile in total"
    described = wording.change_sentence(
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
        mechanism=describe_total_change(comparison) if comparison.kind == "cpu" else "",
        advice=text.advice if change.difference > 0 else "",
        sentence=f"{described}.",
    )


def detectable_effects(comparison: ProfileKindComparison) -> list[MinimumDetectableEffect]:
    """Return the minimum detectable ratios of the total, each present category, and the largest functions."""
    thresholds = comparison.thresholds
    categories, functions = comparison.categories, comparison.functions
    effects: list[MinimumDetectableEffect] = []
    of_category = detectable_ratio(categories.tested, alpha=thresholds.alpha_categories / 4, power=thresholds.power)
    of_total = detectable_ratio(categories.tested, alpha=thresholds.alpha_total, power=thresholds.power)
    if comparison.basis.id != "share":
        effects.append(
            MinimumDetectableEffect("profile.category", TOTAL, _finite_ratio(of_total[categories.index(TOTAL)]))
        )
    present = np.argsort(-categories.rows.sum(axis=1), kind="stable")
    with_time = [row for row in present.tolist() if categories.names[row] not in {TOTAL, "app"}]
    effects += [
        MinimumDetectableEffect("profile.category", categories.names[row], _finite_ratio(of_category[row]))
        for row in with_time
        if comparison.kind == "cpu" and categories.rows[row].sum() > 0
    ]
    largest = comparison.largest_functions(DETECTABLE_FUNCTIONS)
    effects += [
        MinimumDetectableEffect("profile.function", functions.names[row], _finite_ratio(ratio))
        for row, ratio in zip(largest, detectable_of_functions(comparison, largest), strict=True)
    ]
    return effects


def detectable_of_functions(comparison: ProfileKindComparison, rows: Sequence[int]) -> list[float]:
    """Return the minimum detectable ratio above 1 of each of these functions (see `ProfileThresholds.power`).

    At the level that the function would be tested at if it alone changed: its weight among all tested functions. The displayed
    estimate must be improbable too (`compare_rows`).
    """
    thresholds, functions = comparison.thresholds, comparison.functions
    counts = np.abs(functions.rows).sum(axis=1) / comparison.quantum
    weights = np.power(counts + 1, WEIGHT_POWER)
    total_weight = float(weights[(counts >= FEWEST_COUNTS) & comparison.tellable].sum())
    ratios = []
    contrasts = {row: comparison.contrast(functions, row) if comparison.consecutive else None for row in rows}
    across = functions
    if comparison.consecutive and None in contrasts.values():
        across = comparison.estimator.across_blocks(functions)
    for row, contrast in contrasts.items():
        tested = (functions if contrast is not None else across).tested.only(row)
        alpha = thresholds.alpha_functions * min(1.0, float(weights[row]) / max(total_weight, 1.0))
        ratio = float(detectable_ratio(tested, alpha=alpha, power=thresholds.power)[0])
        displayed = functions.estimates.only(row)
        ratio = max(ratio, float(detectable_ratio(displayed, alpha=LIKELY, power=thresholds.power)[0]))
        if contrast is not None:
            error = (tested.base + tested.candidate) / 2 * np.sqrt(contrast.sampling + contrast.state)
            with_state = replace(tested, error=error, df=np.array([contrast.df(float(tested.df[0]))]))
            ratio = max(ratio, float(detectable_ratio(with_state, alpha=alpha, power=thresholds.power)[0]))
        ratios.append(ratio)
    return ratios


def _finite_ratio(ratio: float) -> float | None:
    """Return a ratio that JSON can represent; None if nothing is detectable."""
    return float(ratio) if np.isfinite(ratio) and ratio < 1e6 else None
