"""Follow a change down: from a function to the function beneath it that holds most of the change.

Every caller of a slow function is slower, too. The caller says little; the innermost function that still holds nearly
all of the change says where to look. The descent ends where the change spreads: a function all of whose callees grew
alike is called more often, and is the answer itself.
"""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.profile_kind_comparison import ProfileKindComparison, estimate_rows

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

# A part concentrates a change if it holds this much of it; with more than the inverse, something beside it went down
# in return, and the function above is what tells of both.
HOLDS_MOST = 0.8
# The rest of a function grew like a part if it grew by this much of the part's relative growth.
ALIKE = 0.5
# A function that had less than this part of its change before is new.
NEW = 0.1


def values_before(comparison: ProfileKindComparison, direction: float) -> F64:
    """Per stack, the value on the side that has less of what changed: the base where it grew."""
    before: F64 = np.maximum((comparison.weight - np.sign(direction) * comparison.change) / 2, 0.0)
    return before


def is_new(comparison: ProfileKindComparison, row: int) -> bool:
    """Whether a function was hardly there on the side that has less of it."""
    held = comparison.occurrences.holding(row)
    change = float(comparison.change[held].sum())
    return float(values_before(comparison, change)[held].sum()) < NEW * abs(change)


def descended(comparison: ProfileKindComparison, row: int, remaining: F64, eligible: Mask) -> int:
    """Follow the change of `row` down as far as it goes: of what holds most of it, on to what holds most of that."""
    seen = set[int]()
    while row not in seen:  # recursive functions are beneath each other
        seen.add(row)
        row = _step_down(comparison, row, remaining, eligible)
    return row


def _step_down(comparison: ProfileKindComparison, row: int, remaining: F64, eligible: Mask) -> int:
    """The innermost eligible function beneath `row` that holds most of its change, or `row` itself.

    `remaining` is the change per stack that nothing explains yet. A user function is never left for the library that
    it calls, nor a new function for an old one: the call is what is new.
    """
    occurrences, is_library = comparison.occurrences, comparison.attribution.is_library
    held = occurrences.holding(row) & (remaining == comparison.change)
    change = np.where(held, remaining, 0.0)
    whole = float(change.sum())
    if whole == 0:
        return row
    part = occurrences.sums_beneath(row, change) / whole
    everywhere = occurrences.sums(remaining) / whole
    inside = eligible & (part >= HOLDS_MOST) & (part <= 1 / HOLDS_MOST) & (everywhere >= HOLDS_MOST * part)
    inside &= ~is_library | bool(is_library[row])
    inside[row] = False
    starts_new = is_new(comparison, row)
    for candidate in _innermost_first(comparison, row, change, inside):
        if starts_new and not is_new(comparison, candidate):
            continue
        if not _grew_alike(comparison, held, held & occurrences.holding(candidate), whole):
            return candidate
    return row


def _innermost_first(comparison: ProfileKindComparison, row: int, change: F64, inside: Mask) -> list[int]:
    """The functions `inside`, the smallest first; of equal ones that which is furthest from the root."""
    frames = comparison.measured.stacks.frames
    stack = int(np.argmax(np.abs(change)))
    path = frames.label[int(frames.start[stack]) : int(frames.start[stack + 1])].tolist()
    size = comparison.occurrences.sums_beneath(row, comparison.weight)
    place = {label: number for number, label in enumerate(path)}
    return sorted(np.flatnonzero(inside).tolist(), key=lambda each: (size[each], -place.get(each, -1)))


def _grew_alike(comparison: ProfileKindComparison, held: Mask, part: Mask, whole: float) -> bool:
    """Whether what a function does beside a part of it changed as well, and about as much in relation to its size."""
    rest = held & ~part
    change = float(comparison.change[rest].sum())
    if change * whole <= 0:
        return False
    before = values_before(comparison, whole)
    if float(before[held].sum()) < NEW * abs(whole):
        return False  # all of it is new: nothing grew, and the part that holds most of it is the cause
    of_part = abs(float(comparison.change[part].sum())) * float(before[rest].sum())
    of_rest = abs(change) * float(before[part].sum())
    if of_rest < ALIKE * of_part:
        return False
    row = comparison.measured.by_group(rest.astype(np.int64), 2)[1:]
    estimates = estimate_rows(row, comparison.sets, comparison.basis, comparison.quantum, comparison.thresholds)
    return bool(estimates.p_value[0] < comparison.thresholds.alpha_functions)
