"""Who pays for a change in a category: user functions, with the runtime function they entered and their path."""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.attribution import Attribution
from slowpath.analysis.findings import Part, Payer
from slowpath.analysis.measure import Measured

F64 = NDArray[np.float64]

MOST_PAYERS = 5
SMALLEST_SHARE = 0.03
MOST_OF_IT = 0.6


def payers_of(
    measured: Measured, attribution: Attribution, change: F64, among: NDArray[np.bool_]
) -> tuple[Payer, ...]:
    """The functions that pay most of the change, by the change of own values at the nodes `among`.

    `change` is per node, in preorder, in display units. Payers without a user frame (background work) are left out.
    """
    order = measured.tree.order
    payer_node = attribution.payer[order]
    payer = np.where(payer_node >= 0, measured.forest.label[np.maximum(payer_node, 0)], 0)
    entry = attribution.entry[order]
    mine = np.flatnonzero(among & (payer > 0) & (change != 0))
    if len(mine) == 0:
        return ()
    whole = float(change[mine].sum())
    by_payer = np.bincount(payer[mine], weights=change[mine], minlength=len(measured.forest.labels))
    sign = 1.0 if whole >= 0 else -1.0
    chosen = np.argsort(-sign * by_payer, kind="stable")[:MOST_PAYERS]
    found = []
    for label in chosen.tolist():
        if sign * by_payer[label] <= SMALLEST_SHARE * abs(whole):
            break
        inside = mine[payer[mine] == label]
        by_entry = np.bincount(entry[inside] + 1, weights=change[inside])
        best_entry = int(np.argmax(sign * by_entry)) - 1
        of_entry = inside[entry[inside] == best_entry]
        leaf = int(of_entry[np.argmax(sign * change[of_entry])])
        found.append(
            Payer(
                function=measured.forest.labels[label].name,
                entry=measured.forest.labels[best_entry].name if best_entry > 0 else None,
                path=path_of(measured, leaf),
                difference=float(by_payer[label]),
            )
        )
    return tuple(found)


def entries_of(
    measured: Measured, attribution: Attribution, change: F64, among: NDArray[np.bool_]
) -> tuple[Part, ...]:
    """The runtime functions through which the change was entered, with their shares of it."""
    entry = attribution.entry[measured.tree.order]
    mine = np.flatnonzero(among & (entry > 0) & (change != 0))
    whole = float(change[among].sum())
    if len(mine) == 0 or whole == 0:
        return ()
    shares = np.bincount(entry[mine], weights=change[mine]) / whole
    chosen = np.argsort(-shares, kind="stable")[:MOST_PAYERS]
    return tuple(
        Part(subject=measured.forest.labels[label].name, share=float(shares[label]))
        for label in chosen.tolist()
        if shares[label] > SMALLEST_SHARE
    )


def leading_entry_category(
    measured: Measured, attribution: Attribution, change: F64, among: NDArray[np.bool_]
) -> str | None:
    """The category of the runtime functions that most of the change was entered through; None if none leads."""
    order = measured.tree.order
    mine = np.flatnonzero(among & (attribution.entry[order] > 0))
    whole = float(change[among].sum())
    if len(mine) == 0 or whole == 0:
        return None
    shares = np.bincount(attribution.entry_category[order][mine], weights=change[mine]) / whole
    best = int(np.argmax(shares))
    return attribution.categories[best] if shares[best] >= MOST_OF_IT else None


def path_of(measured: Measured, node: int) -> tuple[str, ...]:
    """The frames from the root to a node."""
    path: list[str] = []
    while node != 0:
        path.append(measured.forest.labels[int(measured.label[node])].name)
        node = int(measured.tree.parent[node])
    return tuple(reversed(path))
