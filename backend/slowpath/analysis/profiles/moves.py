"""Costs that changed their place and not their size: helpers extracted, inlining, renames.

If a function takes more and one of its callers, apart from it, takes about that much less, then the cost moved
inside that caller. Then the caller is what changed, by what is left over, or nothing did.
"""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis import wording
from slowpath.analysis.findings import Move
from slowpath.analysis.profiles.kind_comparison import KindComparison, estimate_rows
from slowpath.analysis.profiles.sums import sum_by

F64 = NDArray[np.float64]

# A caller is a common caller if this much of the function's total lies beneath it.
DOMINATES = 0.95
# What the rest of the caller lost must be of the size of what was gained: a small function that went away beside a
# large one that came is no move.
LEAST_COMPENSATED, MOST_COMPENSATED = 0.15, 3.0


def compensating_caller(comparison: KindComparison, row: int) -> int | None:
    """The nearest caller in which much of what this function gained was lost elsewhere (or the reverse)."""
    if comparison.basis.id == "share":  # shares sum to one: everything that grows takes from everything else
        return None
    gained = float(comparison.functions.estimates.difference[row])
    for caller in _common_callers(comparison, row):
        rest = comparison.functions.rows[caller] - comparison.functions.rows[row]
        estimates = estimate_rows(
            rest[np.newaxis, :], comparison.sets, comparison.basis, comparison.quantum, comparison.thresholds
        )
        part = -float(estimates.difference[0]) / gained
        significant = float(estimates.p_value[0]) < comparison.thresholds.alpha_moves
        if significant and LEAST_COMPENSATED <= part <= MOST_COMPENSATED:
            return caller
    return None


def _common_callers(comparison: KindComparison, row: int) -> list[int]:
    """Tellable functions beneath which nearly all of this function lies, nearest first."""
    frames, weight = comparison.measured.stacks.frames, np.abs(comparison.weight)
    holding = comparison.occurrences.holding(row)
    whole = float(weight[holding].sum())
    heaviest = int(np.argmax(np.where(holding, weight, -1.0)))
    path = frames.label[int(frames.start[heaviest]) : int(frames.start[heaviest + 1])].tolist()
    above = dict.fromkeys(reversed(path[: path.index(row)]))
    return [
        caller
        for caller in above
        if comparison.tellable[caller]
        and float(weight[holding & comparison.occurrences.holding(caller)].sum()) >= DOMINATES * whole
    ]


def move_of(comparison: KindComparison, row: int, caller: int) -> Move:
    """The move between this function and that under the caller which changed the other way most."""
    full = float(comparison.functions.estimates.difference[row]) * comparison.basis.factor
    against = -np.sign(full) * _changes_under(comparison, row, caller)
    against[~comparison.tellable] = 0.0
    other = int(np.argmax(against)) if against.max() > 0 else caller
    amount = min(abs(full), float(against[other])) if other != caller else abs(full)
    labels = comparison.labels
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


def _changes_under(comparison: KindComparison, row: int, caller: int) -> F64:
    """Per function, the change of what stands beneath the caller and not beneath `row`."""
    occurrences, frames = comparison.occurrences, comparison.measured.stacks.frames
    stacks = np.flatnonzero(occurrences.holding(caller) & ~occurrences.holding(row))
    where = frames.of(stacks)
    owner = np.repeat(stacks, frames.depth[stacks])
    reached = np.full(frames.count, len(frames.label))
    is_caller = frames.label[where] == caller
    np.minimum.at(reached, owner[is_caller], where[is_caller])
    beneath = where > reached[owner]
    if occurrences.first is not None:
        beneath &= occurrences.first[where]
    return sum_by(frames.label[where[beneath]], comparison.change[owner[beneath]], len(comparison.labels))
