"""Divide a change between the categories of the runtime and the functions that enter them.

A function that spends most of its change in one corner of the runtime is explained by that corner ("stack growth,
attributed to F"). A function that changed in several, or does more work of its own, is itself the cause: its calls of the
runtime are then part of its change, and the categories explain only what is left. Garbage collection explains no function:
it follows from what was allocated, wherever the collector happened to be entered.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.kinds.profiles.profile_kind_comparison import ProfileKindComparison

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

# A category explains its payer if it holds this much of the payer's change.
EXPLAINS_PAYER = 0.5
# What is paid for by those who allocate, who need not be those who enter it.
PAID_BY_ALLOCATION = frozenset({"gc", "gc-mark", "gc-assist", "gc-sweep", "gc-scavenge"})


def explained_by_category(comparison: ProfileKindComparison, subject: str) -> Mask:
    """Return the stacks of a category whose change the category explains, and not the function that entered it."""
    attribution, change = comparison.attribution, comparison.change
    among = attribution.of(subject)
    if subject in PAID_BY_ALLOCATION:
        background: Mask = among & (attribution.payer == 0)
        return background
    labels = len(comparison.labels)
    of_payer = np.bincount(attribution.payer, weights=change, minlength=labels)
    inside = np.bincount(attribution.payer[among], weights=change[among], minlength=labels)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = inside / of_payer
    by_function = (share >= 0) & (share < EXPLAINS_PAYER)
    by_function[0] = False  # background work has no payer
    explained: Mask = among & ~by_function[attribution.payer]
    return explained


def with_exclusive(
    comparison: ProfileKindComparison, categories: Sequence[Finding], functions: Sequence[Finding]
) -> list[Finding]:
    """Return findings on categories with the part of their change that no finding on a function explains.

    Background work is explained as far as those functions pay for it (see `payers`).
    """
    if not categories:
        return []
    found = {finding.subject for finding in functions}
    held = np.zeros(len(comparison.change), dtype=np.bool_)
    for row in [number for number, name in enumerate(comparison.functions.names) if name in found]:
        held |= comparison.occurrences.holding(row)
    return [replace(each, exclusive_difference=_exclusive(comparison, each, held, found)) for each in categories]


def _exclusive(comparison: ProfileKindComparison, category: Finding, held: Mask, found: set[str]) -> float:
    attribution, change = comparison.attribution, comparison.change
    among = attribution.of(category.subject)
    own = explained_by_category(comparison, category.subject)
    background = among & (attribution.payer == 0)
    left = float(change[among & ~background & (own | ~held)].sum())
    paid = sum(abs(payer.difference) for payer in category.attributed_callers)
    by_found = sum(abs(payer.difference) for payer in category.attributed_callers if payer.function in found)
    left += float(change[background].sum()) * (1 - by_found / paid if paid else 1.0)
    return left
