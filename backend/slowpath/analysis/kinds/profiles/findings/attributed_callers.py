"""Find the attributed callers of a change in a category.

User functions, their runtime entry and their path.
"""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import AttributedCaller, Contribution
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison

Mask = NDArray[np.bool_]

MAX_CALLERS = 5
SMALLEST_SHARE = 0.03
# The category of an entry leads if at least this share of the change was entered through it.
LEADING_SHARE = 0.6


def top_attributed_callers(comparison: ProfileKindComparison, among: Mask) -> tuple[AttributedCaller, ...]:
    """Return the callers with most of the change of the stacks `among`, in display units, most first.

    Stacks without a user frame (background work) have no attributed caller and are omitted.
    """
    attribution, labels = comparison.attribution, comparison.labels
    stacks_with_caller = np.flatnonzero(among & (attribution.attributed_caller > 0) & (comparison.change != 0))
    if len(stacks_with_caller) == 0:
        return ()
    change, caller, entry = (
        comparison.change[stacks_with_caller],
        attribution.attributed_caller[stacks_with_caller],
        attribution.entry[stacks_with_caller],
    )
    sign = 1.0 if change.sum() >= 0 else -1.0
    by_caller = sign * np.bincount(caller, weights=change, minlength=len(labels))
    floor = SMALLEST_SHARE * abs(float(change.sum()))
    callers = []
    for label in np.argsort(-by_caller, kind="stable")[:MAX_CALLERS].tolist():
        if by_caller[label] <= floor:
            break
        of_caller = caller == label
        best = int(np.argmax(sign * np.bincount(entry[of_caller], weights=change[of_caller])))
        stack = stacks_with_caller[of_caller & (entry == best)]
        stack = stack[np.argmax(sign * comparison.change[stack])]
        callers.append(
            AttributedCaller(
                function=labels[label].name,
                entry=labels[best].name if best > 0 else None,
                path=path_of(comparison, int(stack)),
                difference=sign * float(by_caller[label]),
            )
        )
    return tuple(callers)


def entries_of(comparison: ProfileKindComparison, among: Mask) -> tuple[Contribution, ...]:
    """Return the runtime functions through which the change was entered, with their shares of it."""
    entry = comparison.attribution.entry
    total_change = float(comparison.change[among].sum())
    if total_change == 0:
        return ()
    with_entry = among & (entry > 0)
    shares = np.bincount(entry[with_entry], weights=comparison.change[with_entry], minlength=1) / total_change
    return tuple(
        Contribution(subject=comparison.labels[label].name, share=float(shares[label]))
        for label in np.argsort(-shares, kind="stable")[:MAX_CALLERS].tolist()
        if shares[label] > SMALLEST_SHARE
    )


def leading_entry_category(comparison: ProfileKindComparison, among: Mask) -> str | None:
    """Return the category of the entries of most of the change; None if no category leads."""
    attribution = comparison.attribution
    total_change = float(comparison.change[among].sum())
    if total_change == 0:
        return None
    with_entry = among & (attribution.entry > 0)
    shares = (
        np.bincount(attribution.entry_category[with_entry], weights=comparison.change[with_entry], minlength=1)
        / total_change
    )
    best = int(np.argmax(shares))
    return attribution.categories[best] if shares[best] >= LEADING_SHARE else None


def path_of(comparison: ProfileKindComparison, stack: int, last: int | None = None) -> tuple[str, ...]:
    """Return the frames of a stack from the root, up to the first frame of function `last` if it is given."""
    frames = comparison.measured.stacks.frames
    path = frames.label[int(frames.start[stack]) : int(frames.start[stack + 1])].tolist()
    if last is not None:
        path = path[: path.index(last) + 1]
    return tuple(comparison.labels[label].name for label in path)
