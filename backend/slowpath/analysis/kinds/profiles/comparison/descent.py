"""Follow a change down: from a function to the callee that has most of the change.

Every caller of a slower function is slower, too. The innermost function with nearly all of the change is where to look. The
descent ends where the change spreads: a function whose callees all grew alike is called more often, and is the answer.
"""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison, estimate_rows

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

# A part concentrates a change if it has at least this share of it; with more than the inverse, something next to it
# decreased, and the function above represents both.
HOLDS_MOST = 0.8
# The rest of a function grew like a part if it grew by at least this share of the part's relative growth.
ALIKE = 0.5
# A function is new if it had less than this share of its change before.
NEW = 0.1


def values_before(comparison: ProfileKindComparison, direction: float) -> F64:
    """Return per stack the value on the side with less of what changed: the base for growth."""
    before: F64 = np.maximum((comparison.weight - np.sign(direction) * comparison.change) / 2, 0.0)
    return before


def is_new(comparison: ProfileKindComparison, row: int) -> bool:
    """Return whether a function was almost absent on the side with less of it."""
    stacks = comparison.occurrences.holding(row)
    change = float(comparison.change[stacks].sum())
    return float(values_before(comparison, change)[stacks].sum()) < NEW * abs(change)


def descended(comparison: ProfileKindComparison, row: int, remaining: F64, eligible: Mask) -> int:
    """Follow the change of `row` down as far as one callee has most of it."""
    seen = set[int]()
    while row not in seen:  # recursive functions are below each other
        seen.add(row)
        row = _step_down(comparison, row, remaining, eligible)
    return row


def _step_down(comparison: ProfileKindComparison, row: int, remaining: F64, eligible: Mask) -> int:
    """Return the innermost eligible function below `row` with most of its change, or `row` itself.

    `remaining` is the unexplained change per stack. A user function is never replaced by a library function it calls, nor a new
    function by an old one: the call is what is new.
    """
    occurrences, is_library = comparison.occurrences, comparison.attribution.is_library
    stacks = occurrences.holding(row) & (remaining == comparison.change)
    change = np.where(stacks, remaining, 0.0)
    total_change = float(change.sum())
    if total_change == 0:
        return row
    part = occurrences.sums_beneath(row, change) / total_change
    everywhere = occurrences.sums(remaining) / total_change
    inside = eligible & (part >= HOLDS_MOST) & (part <= 1 / HOLDS_MOST) & (everywhere >= HOLDS_MOST * part)
    inside &= ~is_library | bool(is_library[row])
    inside[row] = False
    starts_new = is_new(comparison, row)
    for candidate in _innermost_first(comparison, row, change, inside):
        if starts_new and not is_new(comparison, candidate):
            continue
        if not _grew_alike(comparison, stacks, stacks & occurrences.holding(candidate), total_change):
            return candidate
    return row


def _innermost_first(comparison: ProfileKindComparison, row: int, change: F64, inside: Mask) -> list[int]:
    """Return the functions `inside`, the smallest first; of equal ones the one furthest from the root."""
    frames = comparison.measured.stacks.frames
    stack = int(np.argmax(np.abs(change)))
    path = frames.label[int(frames.start[stack]) : int(frames.start[stack + 1])].tolist()
    size = comparison.occurrences.sums_beneath(row, comparison.weight)
    place = {label: number for number, label in enumerate(path)}
    return sorted(np.flatnonzero(inside).tolist(), key=lambda each: (size[each], -place.get(each, -1)))


def _grew_alike(comparison: ProfileKindComparison, stacks: Mask, part: Mask, total_change: float) -> bool:
    """Return whether the rest of a function changed as well, and about as much relative to its size."""
    rest = stacks & ~part
    change = float(comparison.change[rest].sum())
    if change * total_change <= 0:
        return False
    before = values_before(comparison, total_change)
    if float(before[stacks].sum()) < NEW * abs(total_change):
        return False  # all of it is new: the part with most of it is the cause
    of_part = abs(float(comparison.change[part].sum())) * float(before[rest].sum())
    of_rest = abs(change) * float(before[part].sum())
    if of_rest < ALIKE * of_part:
        return False
    row = comparison.measured.by_group(rest.astype(np.int64), 2)[1:]
    estimates = estimate_rows(row, comparison.sets, comparison.basis, comparison.quantum, comparison.thresholds)
    return bool(estimates.p_value[0] < comparison.thresholds.alpha_functions)
