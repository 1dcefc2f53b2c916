"""Who pays for a change in a category: user functions, with the runtime function they entered and their path."""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import AttributedCaller, Contribution
from slowpath.analysis.kinds.profiles.profile_kind_comparison import ProfileKindComparison

Mask = NDArray[np.bool_]

MOST_PAYERS = 5
SMALLEST_SHARE = 0.03
# One entry's category leads if this much of the change was entered through it.
MOST_OF_IT = 0.6


def top_attributed_callers(comparison: ProfileKindComparison, among: Mask) -> tuple[AttributedCaller, ...]:
    """The functions that pay most of the change of the stacks `among`, in display units, most first.

    Stacks without a user frame (background work) have no payer and are left out.
    """
    attribution, labels = comparison.attribution, comparison.labels
    mine = np.flatnonzero(among & (attribution.payer > 0) & (comparison.change != 0))
    if len(mine) == 0:
        return ()
    change, payer, entry = comparison.change[mine], attribution.payer[mine], attribution.entry[mine]
    sign = 1.0 if change.sum() >= 0 else -1.0
    by_payer = sign * np.bincount(payer, weights=change, minlength=len(labels))
    floor = SMALLEST_SHARE * abs(float(change.sum()))
    found = []
    for label in np.argsort(-by_payer, kind="stable")[:MOST_PAYERS].tolist():
        if by_payer[label] <= floor:
            break
        inside = payer == label
        best = int(np.argmax(sign * np.bincount(entry[inside], weights=change[inside])))
        stack = mine[inside & (entry == best)]
        stack = stack[np.argmax(sign * comparison.change[stack])]
        found.append(
            AttributedCaller(
                function=labels[label].name,
                entry=labels[best].name if best > 0 else None,
                path=path_of(comparison, int(stack)),
                difference=sign * float(by_payer[label]),
            )
        )
    return tuple(found)


def entries_of(comparison: ProfileKindComparison, among: Mask) -> tuple[Contribution, ...]:
    """The runtime functions through which the change was entered, with their shares of it."""
    entry = comparison.attribution.entry
    whole = float(comparison.change[among].sum())
    if whole == 0:
        return ()
    mine = among & (entry > 0)
    shares = np.bincount(entry[mine], weights=comparison.change[mine], minlength=1) / whole
    return tuple(
        Contribution(subject=comparison.labels[label].name, share=float(shares[label]))
        for label in np.argsort(-shares, kind="stable")[:MOST_PAYERS].tolist()
        if shares[label] > SMALLEST_SHARE
    )


def leading_entry_category(comparison: ProfileKindComparison, among: Mask) -> str | None:
    """The category of the runtime functions that most of the change was entered through; None if none leads."""
    attribution = comparison.attribution
    whole = float(comparison.change[among].sum())
    if whole == 0:
        return None
    mine = among & (attribution.entry > 0)
    shares = np.bincount(attribution.entry_category[mine], weights=comparison.change[mine], minlength=1) / whole
    best = int(np.argmax(shares))
    return attribution.categories[best] if shares[best] >= MOST_OF_IT else None


def path_of(comparison: ProfileKindComparison, stack: int, last: int | None = None) -> tuple[str, ...]:
    """The frames of a stack from the root; to the first frame of function `last` where that is given."""
    frames = comparison.measured.stacks.frames
    path = frames.label[int(frames.start[stack]) : int(frames.start[stack + 1])].tolist()
    if last is not None:
        path = path[: path.index(last) + 1]
    return tuple(comparison.labels[label].name for label in path)
