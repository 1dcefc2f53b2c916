"""Divide a change between runtime categories and the functions that enter them.

A function with most of its change in one runtime category is explained by it ("stack growth, attributed to F"). A function
that changed in several, or does more work itself, is the cause: its runtime calls are part of its change, and the
categories explain only the rest. Garbage collection explains no function: it follows from allocations, wherever the
collector was entered.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison

Mask = NDArray[np.bool_]

# A category explains its attributed caller if it has at least this share of the caller's change.
EXPLAINS_CALLER = 0.5
# Categories attributed to what allocates, which may differ from what enters them.
PAID_BY_ALLOCATION = frozenset({"gc", "gc-mark", "gc-assist", "gc-sweep", "gc-scavenge"})


def explained_by_category(comparison: ProfileKindComparison, subject: str) -> Mask:
    """Return the stacks of a category whose change the category explains, not the function that entered it."""
    attribution, change = comparison.attribution, comparison.change
    among = attribution.of(subject)
    if subject in PAID_BY_ALLOCATION:
        background: Mask = among & (attribution.attributed_caller == 0)
        return background
    labels = len(comparison.labels)
    of_caller = np.bincount(attribution.attributed_caller, weights=change, minlength=labels)
    in_category = np.bincount(attribution.attributed_caller[among], weights=change[among], minlength=labels)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = in_category / of_caller
    by_function = (share >= 0) & (share < EXPLAINS_CALLER)
    by_function[0] = False  # background work has no attributed caller
    explained: Mask = among & ~by_function[attribution.attributed_caller]
    return explained


def with_exclusive(
    comparison: ProfileKindComparison, categories: Sequence[Finding], functions: Sequence[Finding]
) -> list[Finding]:
    """Return findings on categories with the part of their change that no finding on a function explains.

    Background work is explained as far as it is attributed to those functions (see `attributed_callers`).
    """
    if not categories:
        return []
    reported = {finding.subject for finding in functions}
    covered = np.zeros(len(comparison.change), dtype=np.bool_)
    for row in [number for number, name in enumerate(comparison.functions.names) if name in reported]:
        covered |= comparison.occurrences.holding(row)
    return [replace(each, exclusive_difference=_exclusive(comparison, each, covered, reported)) for each in categories]


def _exclusive(comparison: ProfileKindComparison, category: Finding, covered: Mask, reported: set[str]) -> float:
    attribution, change = comparison.attribution, comparison.change
    among = attribution.of(category.subject)
    by_category = explained_by_category(comparison, category.subject)
    background = among & (attribution.attributed_caller == 0)
    unexplained = float(change[among & ~background & (by_category | ~covered)].sum())
    attributed = sum(abs(caller.difference) for caller in category.attributed_callers)
    to_reported = sum(abs(caller.difference) for caller in category.attributed_callers if caller.function in reported)
    unexplained += float(change[background].sum()) * (1 - to_reported / attributed if attributed else 1.0)
    return unexplained
