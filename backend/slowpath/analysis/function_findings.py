"""Which functions changed, told by as few of them as explain it.

Totals include what a function calls, so one cause shows in every frame above it. Significant functions are taken
one by one, the most telling first; what lies beneath a chosen one is explained, and an ancestor is told only if
much of its own change remains. A cost that merely moved under a common caller is a move, not a finding.
"""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.advice import TEXTS
from slowpath.analysis.category_findings import change_of, judge, sentence
from slowpath.analysis.findings import Finding, Move, Payer
from slowpath.analysis.kind_comparison import KindComparison
from slowpath.analysis.names import is_standard
from slowpath.analysis.payers import path_of
from slowpath.analysis.tree import outermost
from slowpath.analysis.wording import function

F64 = NDArray[np.float64]

# A library function explains a change less well than the user function that calls it.
LIBRARY_DISCOUNT = 0.7
# An ancestor is told beside its descendants only if this much of its own change is still unexplained.
UNEXPLAINED = 0.4
FEWEST_COUNTS = 10


def function_findings(comparison: KindComparison) -> tuple[list[Finding], list[Move]]:
    """(findings, moves) on functions of users and libraries; the runtime's are told by category."""
    subjects = comparison.functions
    estimates = subjects.estimates
    labels = comparison.measured.forest.labels
    counts = subjects.rows.sum(axis=1) / comparison.quantum
    runtime = np.zeros(len(labels), dtype=np.bool_)
    order = comparison.measured.tree.order
    runtime[comparison.measured.label[comparison.attribution.is_runtime[order]]] = True
    named = np.array([bool(label.key) and not label.key.startswith("[") for label in labels])
    tested = (counts >= FEWEST_COUNTS) & ~runtime & named
    if not tested.any():
        return [], []
    judged = judge(comparison, subjects, tested, np.sqrt(counts + 1), comparison.thresholds.alpha_functions)
    chosen = _causes(comparison, judged.changed)
    certain = min(comparison.sets.replicates()) >= comparison.thresholds.fewest_replicates
    findings = []
    factor, unit = comparison.basis.factor, comparison.basis.unit
    for row in chosen:
        change = change_of(comparison, subjects, row)
        base, candidate = float(estimates.base[row]) * factor, float(estimates.candidate[row]) * factor
        node = _heaviest_node(comparison, row)
        findings.append(
            Finding(
                kind="profile.function",
                profile=comparison.kind,
                subject=labels[row].name,
                direction="worse" if change.difference > 0 else "better",
                base=base,
                candidate=candidate,
                unit=unit,
                change=change,
                basis=comparison.basis.id,
                q_value=float(judged.q[row]),
                payers=(Payer(labels[row].name, None, path_of(comparison.measured, node), change.difference),),
                by=(),
                certain=certain,
                more_profiles=None,
                mechanism=TEXTS["app"].mechanism,
                advice=TEXTS["app"].advice,
                sentence=sentence(function(labels[row].name), base, candidate, unit, change, ()),
            )
        )
    return findings, []


def _heaviest_node(comparison: KindComparison, row: int) -> int:
    return int(np.flatnonzero(comparison.measured.label == row)[0])


def _causes(comparison: KindComparison, changed: NDArray[np.bool_]) -> list[int]:
    """Rows of the functions that explain the change, most telling first."""
    measured, estimates = comparison.measured, comparison.functions.estimates
    remaining = comparison.node_change()
    label, size = measured.label, measured.tree.size
    top = np.flatnonzero(outermost(np.arange(measured.nodes) + size, label))
    end = top + size[top]
    full = estimates.difference * comparison.basis.factor
    larger = np.maximum(np.maximum(estimates.base, estimates.candidate) * comparison.basis.factor, 1e-300)
    library = np.array([is_standard(each.key) for each in measured.forest.labels])
    discount = np.where(library, LIBRARY_DISCOUNT, 1.0)
    total = comparison.categories.estimates
    floor = comparison.thresholds.least_of_total * float(max(total.base[-1], total.candidate[-1])) * comparison.basis.factor
    open_rows = changed.copy()
    chosen: list[int] = []
    while open_rows.any() and len(chosen) < comparison.thresholds.most_findings:
        running = np.concatenate([np.zeros(1), np.cumsum(remaining)])
        value = np.bincount(label[top], weights=running[end] - running[top], minlength=len(full))
        open_rows &= (np.sign(value) == np.sign(full)) & (np.abs(value) >= np.maximum(floor, UNEXPLAINED * np.abs(full)))
        if not open_rows.any():
            break
        telling = np.where(open_rows, np.square(value) / larger * discount, -1.0)
        best = int(np.argmax(telling))
        chosen.append(best)
        open_rows[best] = False
        edges = np.zeros(measured.nodes + 1)
        mine = top[label[top] == best]
        edges[mine] += 1
        np.add.at(edges, mine + size[mine], -1)
        remaining[np.cumsum(edges)[:-1] > 0] = 0
    return chosen
