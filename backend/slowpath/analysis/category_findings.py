"""Which runtime categories changed, judged together; groups stand for parts that move together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.advice import text_for
from slowpath.analysis.attribution import GROUPS
from slowpath.analysis.findings import Change, Finding, Part, Payer
from slowpath.analysis.kind_comparison import TOTAL, KindComparison, Subjects
from slowpath.analysis.multiplicity import q_values
from slowpath.analysis.payers import entries_of, payers_of
from slowpath.analysis import wording

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """Rows of `Subjects` that changed: q-values of all, and whether each is significant and large enough."""

    q: F64
    changed: NDArray[np.bool_]


def judge(
    comparison: KindComparison, subjects: Subjects, among: NDArray[np.bool_], weights: F64, alpha: float
) -> Judged:
    """Weighted Benjamini-Hochberg over the rows `among`, then floors on relative and absolute effect."""
    thresholds, estimates = comparison.thresholds, subjects.estimates
    q = np.full(len(subjects.names), np.nan)
    chosen = np.flatnonzero(among)
    q[chosen] = q_values(estimates.p_value[chosen], weights[chosen])
    whole = comparison.categories.estimates
    total = max(whole.base[-1], whole.candidate[-1])
    large = np.abs(estimates.difference) >= thresholds.least_of_total * total
    with np.errstate(invalid="ignore"):
        relative = np.isnan(estimates.ratio) | (np.abs(estimates.ratio - 1) >= thresholds.least_relative)
        changed = (q <= alpha) & large & relative
    return Judged(q=q, changed=changed)


def change_of(comparison: KindComparison, subjects: Subjects, row: int) -> Change:
    """The effect on one row in display units."""
    estimates, factor = subjects.estimates, comparison.basis.factor
    ratio, low, high = (float(each[row]) for each in (estimates.ratio, estimates.low, estimates.high))
    difference = float(estimates.difference[row]) * factor
    confidence = comparison.thresholds.confidence
    if np.isfinite(low) and np.isfinite(high):
        return Change(ratio, difference, low, high, confidence, "ratio")
    return Change(
        None if not np.isfinite(ratio) else ratio,
        difference,
        float(estimates.difference_low[row]) * factor,
        float(estimates.difference_high[row]) * factor,
        confidence,
        "difference",
    )


def category_findings(comparison: KindComparison) -> list[Finding]:
    """Findings on categories and groups of categories, of both directions, in no particular order."""
    subjects = comparison.categories
    counts = subjects.rows.sum(axis=1) / comparison.quantum
    tested = (counts >= 5) & np.array([name not in {TOTAL, "app"} for name in subjects.names])
    judged = judge(comparison, subjects, tested, np.sqrt(counts + 1), comparison.thresholds.alpha_categories)
    reported = set(np.flatnonzero(judged.changed).tolist())
    for group, parts in GROUPS.items():
        row = subjects.index(group)
        members = [subjects.index(part) for part in parts]
        if row not in reported:
            continue
        sign = np.sign(subjects.estimates.difference[row])
        moving = [m for m in members if m in reported]
        together = all(np.sign(subjects.estimates.difference[m]) == sign for m in moving)
        if len(moving) == 1 or not together:
            reported.discard(row)
        else:
            reported -= set(members)
    change = comparison.node_change()
    return [_finding(comparison, row, judged, change) for row in sorted(reported)]


def rows_of(comparison: KindComparison, subject: str) -> NDArray[np.bool_]:
    """Which nodes (in preorder) belong to a category or group."""
    attribution = comparison.attribution
    members = [attribution.categories.index(part) for part in GROUPS.get(subject, (subject,))]
    return np.isin(attribution.category[comparison.measured.tree.order], members)


def _finding(comparison: KindComparison, row: int, judged: Judged, node_change: F64) -> Finding:
    subjects, estimates, factor = comparison.categories, comparison.categories.estimates, comparison.basis.factor
    subject = subjects.names[row]
    among = rows_of(comparison, subject)
    measured, attribution = comparison.measured, comparison.attribution
    paying = rows_of(comparison, "allocation") | rows_of(comparison, "gc-assist") if subject in {"gc", "gc-mark", "gc-sweep", "gc-scavenge"} else among
    payers = payers_of(measured, attribution, node_change, paying)
    by = _parts(subjects, row) if subject in GROUPS else entries_of(measured, attribution, node_change, among)
    text = text_for(subject)
    change = change_of(comparison, subjects, row)
    base, candidate = float(estimates.base[row]) * factor, float(estimates.candidate[row]) * factor
    return Finding(
        kind="profile.category",
        profile=comparison.kind,
        subject=subject,
        direction="worse" if change.difference > 0 else "better",
        base=base,
        candidate=candidate,
        unit=comparison.basis.unit,
        change=change,
        basis=comparison.basis.id,
        q_value=float(judged.q[row]),
        payers=payers,
        by=by,
        certain=min(comparison.sets.replicates()) >= comparison.thresholds.fewest_replicates,
        more_profiles=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=sentence(text.title, base, candidate, comparison.basis.unit, change, payers),
    )


def sentence(
    title: str, base: float, candidate: float, unit: str, change: Change, payers: tuple[Payer, ...]
) -> str:
    """What changed, by how much, and who pays, in one sentence."""
    verb = "takes more time" if change.difference > 0 else "takes less time"
    words = f"{title} {verb}: {wording.both(candidate, base, unit)}"
    if change.ratio is not None and change.of == "ratio":
        words += f" ({wording.ratio(change.ratio)}, {wording.interval(change.low, change.high)})"
    if payers:
        words += f", paid by {wording.function(payers[0].function)}"
    return words + "."


def _parts(subjects: Subjects, row: int) -> tuple[Part, ...]:
    parts = GROUPS[subjects.names[row]]
    whole = float(subjects.estimates.difference[row])
    shares = [(part, float(subjects.estimates.difference[subjects.index(part)]) / whole) for part in parts]
    return tuple(Part(subject=part, share=share) for part, share in sorted(shares, key=lambda each: -each[1]) if share)
