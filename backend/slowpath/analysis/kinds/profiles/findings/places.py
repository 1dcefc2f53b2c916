"""Describe where a function's change is: the caller it explains, and its main part."""

import numpy as np

from slowpath.analysis.findings import wording
from slowpath.analysis.kinds.profiles.categories.category_advice import TEXTS
from slowpath.analysis.kinds.profiles.comparison.descent import HOLDS_MOST, is_new
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison

# A part of a function is mentioned if it has at least this share of the function's change.
WORTH_A_WORD = 0.5


def place_of(comparison: ProfileKindComparison, row: int, path: tuple[str, ...]) -> str:
    """Return the addition to a function's sentence; `path` are the functions above it and itself."""
    caller, part = _above(comparison, row, path), _part_inside(comparison, row)
    return "".join(f"; {words}" for words in (caller, part) if words)


def _above(comparison: ProfileKindComparison, row: int, path: tuple[str, ...]) -> str:
    """Write whether the function is new, and the nearest existing user caller whose change it explains."""
    difference = comparison.functions.estimates.difference
    new = _word_for_new(comparison, row)
    callers = _user_callers(comparison, row, path)
    old = next((caller for caller in callers if not is_new(comparison, caller)), None)
    share = float(difference[row] / difference[old]) if old is not None and difference[old] else 0.0
    if old is not None and HOLDS_MOST <= share <= 1 / HOLDS_MOST:
        name = wording.function(comparison.labels[old].name)
        return f"{f'it is {new}, and ' if new else ''}{_percent(share)} of the change of {name}"
    if new and callers:
        return f"it is {new}, called by {wording.function(comparison.labels[callers[0]].name)}"
    return f"it is {new}" if new else ""


def _word_for_new(comparison: ProfileKindComparison, row: int) -> str:
    """Return the word for a function that the base lacks.

    Only CPU profiles contain every relevant function.
    """
    if comparison.functions.estimates.base[row] != 0 or comparison.functions.estimates.difference[row] <= 0:
        return ""
    return "new" if comparison.kind == "cpu" else "not in the base"


def _user_callers(comparison: ProfileKindComparison, row: int, path: tuple[str, ...]) -> list[int]:
    """Return the user functions above, nearest first."""
    numbers = {name: number for number, name in enumerate(comparison.labels.names)}
    callers = dict.fromkeys(numbers[name] for name in reversed(path[:-1]))
    is_library = comparison.attribution.is_library
    return [each for each in callers if each != row and comparison.tellable[each] and not is_library[each]]


def _part_inside(comparison: ProfileKindComparison, row: int) -> str:
    """Write the runtime category, else the callee, with most of the change."""
    stacks = comparison.occurrences.holding(row)
    change = np.where(stacks, comparison.change, 0.0)
    total_change = float(change.sum())
    if total_change == 0:
        return ""
    attribution = comparison.attribution
    by_category = (
        np.bincount(attribution.category, weights=change, minlength=len(attribution.categories)) / total_change
    )
    by_category[0] = 0.0
    leading = int(np.argmax(by_category))
    if comparison.kind == "cpu" and WORTH_A_WORD <= by_category[leading] <= 1 / HOLDS_MOST:
        title = TEXTS[attribution.categories[leading]].title
        return f"{_percent(float(by_category[leading]))} of it in {title[0].lower()}{title[1:]}"
    beneath = comparison.occurrences.sums_beneath(row, change) / total_change
    beneath[~comparison.tellable] = 0.0
    beneath[row] = 0.0
    beneath[beneath > 1 / HOLDS_MOST] = 0.0
    most = float(beneath.max())
    if most < WORTH_A_WORD:
        return ""
    inner = int(np.flatnonzero(beneath >= most * (1 - 1e-9))[0])
    new = "" if is_new(comparison, row) else _word_for_new(comparison, inner)
    name = wording.function(comparison.labels[inner].name)
    return f"{_percent(most)} of it in {name}{f', which is {new}' if new else ''}"


def _percent(share: float) -> str:
    """Format a share of a change in percent, at most 100: something else may have decreased."""
    return f"{100 * min(share, 1.0):.0f}%"
