"""Name the part with most of a change of the total, where no finding explains it."""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings import wording
from slowpath.analysis.kinds.profiles.categories.category_advice import text_for
from slowpath.analysis.kinds.profiles.categories.stack_attribution import GROUPS
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import (
    TOTAL,
    ProfileKindComparison,
    SubjectEstimates,
)

# A part dominates a change if it has at least this share of it, and this much more of it than of the program: main has
# all of a change, and tells nothing.
DOMINATES, EXCESS = 0.5, 0.2
# Neither is a part of the program: the total, and the remainder of what the runtime takes.
NO_PARTS = frozenset({TOTAL, "app"})


def describe_total_change(comparison: ProfileKindComparison) -> str:
    """Return what is known about a change of the total CPU that no finding explains.

    A category of the runtime or a function with most of it is named, although it is not significant alone.
    """
    estimates = comparison.categories.estimates
    difference = float(estimates.difference[comparison.categories.index(TOTAL)])
    uses = f"The process uses {'more' if difference > 0 else 'less'} CPU"
    part = _largest_category(comparison, difference) or _largest_function(comparison, difference)
    if part is None:
        return f"{uses}, and no single part dominates."
    return f"{uses}. Most of the change is in {part}, which is not significant alone."


def _largest_category(comparison: ProfileKindComparison, difference: float) -> str | None:
    categories = comparison.categories
    is_part = np.array([name not in NO_PARTS for name in categories.names])
    rows = _dominating(comparison, categories, is_part, difference)
    if not rows:
        return None
    change = np.abs(categories.estimates.difference)
    row = min(rows, key=lambda each: (float(change[each]), categories.names[each] in GROUPS))
    title = text_for(categories.names[row]).title
    return f"{title[0].lower()}{title[1:]} ({_pair(comparison, categories, row)})"


def _largest_function(comparison: ProfileKindComparison, difference: float) -> str | None:
    functions = comparison.functions
    rows = _dominating(comparison, functions, comparison.tellable, difference)
    if not rows:
        return None
    size = comparison.occurrences.sums(np.abs(comparison.weight))
    row = min(rows, key=lambda each: (float(size[each]), comparison.labels[each].key))
    return f"{wording.function(functions.names[row])} ({_pair(comparison, functions, row)})"


def _dominating(
    comparison: ProfileKindComparison, subjects: SubjectEstimates, is_part: NDArray[np.bool_], difference: float
) -> list[int]:
    total = comparison.categories.estimates
    both = float(total.base[-1] + total.candidate[-1])
    share = subjects.estimates.difference / difference
    size = (subjects.estimates.base + subjects.estimates.candidate) / both
    rows: list[int] = np.flatnonzero(is_part & (share >= DOMINATES) & (share - size >= EXCESS)).tolist()
    return rows


def _pair(comparison: ProfileKindComparison, subjects: SubjectEstimates, row: int) -> str:
    estimates, factor = subjects.estimates, comparison.basis.factor
    base, candidate = float(estimates.base[row]) * factor, float(estimates.candidate[row]) * factor
    return wording.format_pair(candidate, base, comparison.basis.unit)
