"""Costs that changed their place and not their size: helpers extracted, inlining, renames.

If a function takes more and one of its callers, apart from it, takes about that much less, then the cost moved
inside that caller. Then the caller is what changed, by what is left over, or nothing did.
"""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis import wording
from slowpath.analysis.findings import Move
from slowpath.analysis.functions import FunctionIndex
from slowpath.analysis.kind_comparison import KindComparison, estimate_rows

F64 = NDArray[np.float64]

# A caller is a common caller if this much of the function's total lies beneath it.
DOMINATES = 0.95
# What the rest of the caller lost must be of the size of what was gained: a small function that went away beside a
# large one that came is no move.
LEAST_COMPENSATED, MOST_COMPENSATED = 0.15, 3.0


def compensating_caller(comparison: KindComparison, index: FunctionIndex, row: int) -> int | None:
    """The nearest caller in which much of what this function gained was lost elsewhere (or the reverse)."""
    if comparison.basis.id == "share":  # shares sum to one: everything that grows takes from everything else
        return None
    gained = float(comparison.functions.estimates.difference[row])
    for caller in _dominators(comparison, index, row):
        rest = comparison.functions.rows[caller] - comparison.functions.rows[row]
        estimates = estimate_rows(
            rest[np.newaxis, :], comparison.sets, comparison.basis, comparison.quantum, comparison.thresholds
        )
        part = -float(estimates.difference[0]) / gained
        significant = float(estimates.p_value[0]) < comparison.thresholds.alpha_moves
        if significant and LEAST_COMPENSATED <= part <= MOST_COMPENSATED:
            return caller
    return None


def _dominators(comparison: KindComparison, index: FunctionIndex, row: int) -> list[int]:
    """Tellable functions beneath which nearly all of this function lies, nearest first."""
    measured = comparison.measured
    tops = index.tops_of(row)
    weight = _summed_totals(comparison)
    heaviest = int(tops[np.argmax(weight[tops])])
    whole = float(weight[tops].sum())
    found: list[int] = []
    node = int(measured.tree.parent[heaviest])
    while node != 0 and whole > 0:
        label = int(measured.label[node])
        if index.tellable[label] and label != row and label not in found:
            inside = index.beneath(label)[tops]
            if float(weight[tops[inside]].sum()) >= DOMINATES * whole:
                found.append(label)
        node = int(measured.tree.parent[node])
    return found


def _summed_totals(comparison: KindComparison) -> F64:
    """Total of each node over both sides, each side to its own scale."""
    base, candidate = comparison.scale(comparison.basis)
    own = np.zeros(comparison.measured.nodes)
    for number, (where, values) in enumerate(comparison.measured.own):
        own[where] += values * (base if number < comparison.sets.base_count else candidate)
    return comparison.measured.tree.totals(own)


def move_of(comparison: KindComparison, index: FunctionIndex, row: int, caller: int) -> Move:
    """The move between this function and that under the caller which changed the other way most."""
    inside = index.beneath(caller) & ~index.beneath(row)
    value = index.sums_within(comparison.node_change(), inside)
    full = float(comparison.functions.estimates.difference[row]) * comparison.basis.factor
    against = np.where(index.tellable, -np.sign(full) * value, 0.0)
    against[caller] = 0.0
    other = int(np.argmax(against))
    if against[other] <= 0:
        other = caller
    amount = min(abs(full), float(against[other])) if other != caller else abs(full)
    labels = comparison.measured.forest.labels
    source, target = (other, row) if full > 0 else (row, other)
    text, words = wording.quantity(amount, comparison.basis.unit)
    return Move(
        profile=comparison.kind,
        from_function=labels[source].name,
        to_function=labels[target].name,
        under=labels[caller].name,
        amount=amount,
        unit=comparison.basis.unit,
        sentence=(
            f"{text} {words} moved from {wording.function(labels[source].name)} to "
            f"{wording.function(labels[target].name)} under {wording.function(labels[caller].name)}: "
            "moved, not changed."
        ),
    )
