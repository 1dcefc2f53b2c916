"""Few functions that explain a change: the causes, and not every frame above them.

Totals include what a function calls, so one cause shows in every frame above it. Significant functions are taken
one by one, the most telling first; what lies beneath a chosen one, or belongs to a category that is told already, is
explained, and a function is told only if much of its own change remains.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import CostShift, Finding
from slowpath.analysis.kinds.profiles.category_parts import explained_by_category
from slowpath.analysis.kinds.profiles.cost_shifts import compensating_caller, find_cost_shift
from slowpath.analysis.kinds.profiles.descent import NEW, descended, values_before
from slowpath.analysis.kinds.profiles.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.stack_frames import Index

F64 = NDArray[np.float64]

# A library function explains a change less well than the user function that calls it.
LIBRARY_DISCOUNT = 0.8
# An ancestor is told beside its descendants only if this much of its own change is still unexplained.
UNEXPLAINED = 0.4
# A change is concentrated if a part holds this much more of the change than of the size (both as fractions).
CONCENTRATION = 0.2
# What is looked at beneath a function: changes mostly its own, of at least this part of it, and not too many.
MOSTLY, PART_OF_IT, MOST_PARTS = 0.9, 0.1, 4
# Functions that tell as much as the most telling one but for rounding stand on the same stacks.
SAME = 1 - 1e-9


@dataclass(frozen=True)
class Cause:
    """A function that explains a change, and how much of its own change nothing else explains."""

    row: int
    exclusive: float


@dataclass
class ExplanatoryFunctions:
    """What explains the change so far."""

    found: list[Cause]
    moves: list[CostShift]


def select_explanatory_functions(
    comparison: ProfileKindComparison, changed: NDArray[np.bool_], categories: list[Finding]
) -> ExplanatoryFunctions:
    """The functions that explain the change, most telling first, and the moves among them.

    The most telling is the most significant one, by what is left of its change: of a chain of callers that is the one
    in which the change is least drowned by other work. From there the change is followed down (`descent`). Where a
    cost moved inside a caller, the net change of the caller is followed.
    """
    estimates, factor = comparison.functions.estimates, comparison.basis.factor
    full = np.where(changed, estimates.difference * factor, 1.0)
    statistic = np.abs(comparison.functions.tested.statistic)
    discount = np.where(comparison.attribution.is_library, LIBRARY_DISCOUNT, 1.0)
    total = comparison.categories.estimates
    floor = comparison.floors[1] * float(max(total.base[-1], total.candidate[-1])) * factor
    remaining = comparison.change.copy()
    for finding in categories:
        remaining[explained_by_category(comparison, finding.subject)] = 0
    still_open = changed.copy()
    found = ExplanatoryFunctions([], [])
    while len(found.found) < comparison.thresholds.most_findings:
        value = comparison.occurrences.sums(remaining)
        unexplained = np.abs(value) >= np.maximum(floor, UNEXPLAINED * np.abs(full))
        unexplained &= np.sign(value) == np.sign(full)
        still_open &= unexplained
        if not still_open.any():
            break
        telling = np.where(still_open, np.abs(value / full) * statistic * discount, -1.0)
        best = _innermost(comparison, np.flatnonzero(telling >= SAME * telling.max()))
        best = _concentrated(comparison, best, remaining, np.where(still_open, telling, -1.0))
        best = descended(comparison, best, remaining, still_open)
        still_open[best] = False
        caller = compensating_caller(comparison, best)
        if caller is not None:
            _add_move(found.moves, find_cost_shift(comparison, best, caller))
            if not (still_open[caller] and unexplained[caller]):
                continue
            still_open[caller] = False
            best = descended(comparison, caller, remaining, still_open)
            still_open[best] = False
        found.found.append(Cause(best, float(comparison.occurrences.sums(remaining)[best])))
        remaining[comparison.occurrences.holding(best)] = 0
    return found


def _concentrated(comparison: ProfileKindComparison, best: int, remaining: F64, telling: F64) -> int:
    """The function, or if its change is concentrated in some of what it calls, the most telling of those.

    Two causes under one caller are more significant together than each alone, and yet they are the answer. A change
    is concentrated if a few functions beneath hold most of it and clearly less of what was there before: where all
    that a function calls grew alike, the function is called more often, and is the answer itself. So is one that was
    not there before, and a user's function whose change lies in the library.
    """
    occurrences = comparison.occurrences
    while True:
        beneath = occurrences.holding(best)
        own = np.where(beneath, remaining, 0.0)
        before = np.where(beneath, values_before(comparison, float(own.sum())), 0.0)
        whole, size = float(own.sum()), occurrences.sums(np.abs(comparison.weight))
        inside = (telling > 0) & (size < size[best] * (1 - 1e-9))
        inside &= ~comparison.attribution.is_library | bool(comparison.attribution.is_library[best])
        inside &= np.abs(occurrences.sums(own)) >= MOSTLY * np.abs(occurrences.sums(remaining))
        left = own.copy()
        parts: list[int] = []
        while len(parts) < MOST_PARTS:
            value = occurrences.sums(left)
            large = inside & (value * np.sign(whole) >= PART_OF_IT * abs(whole))
            if not large.any():
                break
            parts.append(_innermost(comparison, np.flatnonzero(large & (telling >= SAME * telling[large].max()))))
            left[occurrences.holding(parts[-1])] = 0
        held = np.any([occurrences.holding(part) for part in parts], axis=0) if parts else np.zeros_like(beneath)
        of_change = 1 - float(left.sum()) / whole
        of_size = float(before[held].sum()) / max(float(before.sum()), 1e-300)
        new = float(before.sum()) < NEW * abs(whole)
        if new or of_change < 1 - UNEXPLAINED or of_change - of_size < CONCENTRATION:
            return best
        best = parts[0]


def _innermost(comparison: ProfileKindComparison, rows: Index) -> int:
    """Of functions that tell the same, the one furthest from the root on the heaviest stack that holds the first."""
    frames = comparison.measured.stacks.frames
    holding = comparison.occurrences.holding(int(rows[0]))
    stack = int(np.argmax(np.where(holding, np.abs(comparison.weight), -1.0)))
    path: list[int] = frames.label[int(frames.start[stack]) : int(frames.start[stack + 1])].tolist()
    told: list[int] = rows.tolist()
    return max(told, key=lambda row: path.index(row) if row in path else -1)


def _add_move(moves: list[CostShift], move: CostShift) -> None:
    """Each pair of functions moves once, whichever of the two was looked at first."""
    if all({move.from_function, move.to_function} != {each.from_function, each.to_function} for each in moves):
        moves.append(move)
