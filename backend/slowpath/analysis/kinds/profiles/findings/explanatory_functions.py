"""Select the few functions that explain a change: the causes, not every frame above them.

Totals include what a function calls, so one cause shows in every frame above it. Significant functions are taken one by
one, the most explanatory first; what is below a chosen one, or belongs to a reported category, is explained, and a
function is reported only if much of its change remains.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.kinds.profiles.comparison.descent import NEW, descended, values_before
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.comparison.shift_group import ShiftGroup
from slowpath.analysis.kinds.profiles.findings.category_parts import explained_by_category
from slowpath.analysis.kinds.profiles.findings.cost_shifts import find_cost_shift, shifted_of_rows
from slowpath.analysis.kinds.profiles.findings.shift_groups import ShiftGroups
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index

F64 = NDArray[np.float64]

# A library function explains a change less well than the user function that calls it.
LIBRARY_DISCOUNT = 0.8
# An ancestor is reported next to its descendants only if this share of its change is still unexplained.
UNEXPLAINED = 0.4
# A change is concentrated if a part has this much more of the change than of the size (both as fractions).
CONCENTRATION = 0.2
# Parts examined below a function: mostly their own change, at least this share of it, and at most so many.
OWN_CHANGE, MIN_PART_SHARE, MOST_PARTS = 0.9, 0.1, 4
# Functions with equal scores except for rounding are on the same stacks.
EQUAL_SCORE = 1 - 1e-9


@dataclass(frozen=True)
class Cause:
    """A function that explains a change, and how much of its change nothing else explains."""

    row: int
    exclusive: float


@dataclass
class ExplanatoryFunctions:
    """The explanation of the change so far."""

    found: list[Cause]
    shift_groups: list[ShiftGroup]


def select_explanatory_functions(
    comparison: ProfileKindComparison, changed: NDArray[np.bool_], categories: list[Finding]
) -> ExplanatoryFunctions:
    """Return the functions that explain the change, most explanatory first, and the shifts among them.

    The first is the most significant one, weighted by the rest of its change: in a chain of callers that is the one in which
    the change is least diluted by other work. From there the change is followed down (`descent`). Where a cost shifted inside
    a caller, the net change of the caller is followed.
    """
    estimates, factor = comparison.functions.estimates, comparison.basis.factor
    full_change = np.where(changed, estimates.difference * factor, 1.0)
    statistic = np.abs(comparison.functions.tested.statistic)
    discount = np.where(comparison.attribution.is_library, LIBRARY_DISCOUNT, 1.0)
    total = comparison.categories.estimates
    floor = comparison.floors[1] * float(max(total.base[-1], total.candidate[-1])) * factor
    remaining = comparison.change.copy()
    for finding in categories:
        remaining[explained_by_category(comparison, finding.subject)] = 0
    still_open = changed.copy()
    shifted = np.zeros(len(changed))
    shifts = ShiftGroups(comparison)
    explanation = ExplanatoryFunctions([], shifts.groups)
    while len(explanation.found) < comparison.thresholds.most_findings:
        value = comparison.occurrences.sums(remaining) - shifted
        unexplained = np.abs(value) >= np.maximum(floor, UNEXPLAINED * np.abs(full_change))
        unexplained &= np.sign(value) == np.sign(full_change)
        still_open &= unexplained
        if not still_open.any():
            break
        score = np.where(still_open, np.abs(value / full_change) * statistic * discount, -1.0)
        best = _innermost(comparison, np.flatnonzero(score >= EQUAL_SCORE * score.max()))
        best = _concentrated(comparison, best, remaining, np.where(still_open, score, -1.0))
        best = descended(comparison, best, remaining, still_open)
        still_open[best] = False
        shift = find_cost_shift(comparison, best)
        if shift is not None:
            shifts.add(shift)
            shifted += shifted_of_rows(comparison, shift)
            if not (still_open[shift.caller] and unexplained[shift.caller]):
                continue
            still_open[shift.caller] = False
            best = descended(comparison, shift.caller, remaining, still_open)
            still_open[best] = False
        explanation.found.append(Cause(best, float(comparison.occurrences.sums(remaining)[best])))
        remaining[comparison.occurrences.holding(best)] = 0
    return explanation


def _concentrated(comparison: ProfileKindComparison, best: int, remaining: F64, score: F64) -> int:
    """Return the function or, if its change is concentrated in some callees, the most explanatory of those.

    Two causes under one caller are more significant together than each alone, and yet they are the answer. A change is
    concentrated if a few functions below have most of it and clearly less of the size before: if all callees grew alike, the
    function is called more often, and is the answer itself. So is a new function, and a user function whose change is in the
    library.
    """
    occurrences = comparison.occurrences
    while True:
        beneath = occurrences.holding(best)
        own_change = np.where(beneath, remaining, 0.0)
        before = np.where(beneath, values_before(comparison, float(own_change.sum())), 0.0)
        total_change, size = float(own_change.sum()), occurrences.sums(np.abs(comparison.weight))
        inside = (score > 0) & (size < size[best] * (1 - 1e-9))
        inside &= ~comparison.attribution.is_library | bool(comparison.attribution.is_library[best])
        inside &= np.abs(occurrences.sums(own_change)) >= OWN_CHANGE * np.abs(occurrences.sums(remaining))
        unassigned = own_change.copy()
        parts: list[int] = []
        while len(parts) < MOST_PARTS:
            value = occurrences.sums(unassigned)
            large = inside & (value * np.sign(total_change) >= MIN_PART_SHARE * abs(total_change))
            if not large.any():
                break
            parts.append(_innermost(comparison, np.flatnonzero(large & (score >= EQUAL_SCORE * score[large].max()))))
            unassigned[occurrences.holding(parts[-1])] = 0
        covered = np.any([occurrences.holding(part) for part in parts], axis=0) if parts else np.zeros_like(beneath)
        of_change = 1 - float(unassigned.sum()) / total_change
        of_size = float(before[covered].sum()) / max(float(before.sum()), 1e-300)
        new = float(before.sum()) < NEW * abs(total_change)
        if new or of_change < 1 - UNEXPLAINED or of_change - of_size < CONCENTRATION:
            return best
        best = parts[0]


def _innermost(comparison: ProfileKindComparison, rows: Index) -> int:
    """Return the function furthest from the root on the heaviest stack, of functions with equal scores."""
    frames = comparison.measured.stacks.frames
    holding = comparison.occurrences.holding(int(rows[0]))
    stack = int(np.argmax(np.where(holding, np.abs(comparison.weight), -1.0)))
    path: list[int] = frames.label[int(frames.start[stack]) : int(frames.start[stack + 1])].tolist()
    candidates: list[int] = rows.tolist()
    return max(candidates, key=lambda row: path.index(row) if row in path else -1)
