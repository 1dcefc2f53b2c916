"""Functions on the tree: where each stands first on a path, what lies beneath it, and sums over that."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.attribution import GROUPS
from slowpath.analysis.kind_comparison import KindComparison
from slowpath.analysis.names import is_standard
from slowpath.analysis.tree import Index, outermost

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class FunctionIndex:
    """`tops` are the nodes whose function has not stood above them; recursion counts once.

    `tellable` rows are functions of users and libraries that can be named in a finding; `library` ones belong to the
    standard library.
    """

    comparison: KindComparison
    tops: Index
    ends: Index
    tellable: Mask
    library: Mask

    @classmethod
    def of(cls, comparison: KindComparison) -> "FunctionIndex":
        """The index of a comparison's functions."""
        measured = comparison.measured
        size, label = measured.tree.size, measured.label
        tops = np.flatnonzero(outermost(np.arange(measured.nodes) + size, label))
        labels = measured.forest.labels
        runtime = np.zeros(len(labels), dtype=np.bool_)
        runtime[label[comparison.attribution.is_runtime[measured.tree.order]]] = True
        named = np.array([bool(each.key) and not each.key.startswith("[") for each in labels])
        return cls(
            comparison=comparison,
            tops=tops,
            ends=tops + size[tops],
            tellable=named & ~runtime,
            library=np.array([is_standard(each.key) for each in labels]),
        )

    def sums(self, own: F64) -> F64:
        """Per function, the sum of `own` (per node) over all that lies beneath it."""
        running = np.concatenate([np.zeros(1), np.cumsum(own)])
        label = self.comparison.measured.label
        return np.bincount(
            label[self.tops],
            weights=running[self.ends] - running[self.tops],
            minlength=len(self.comparison.measured.forest.labels),
        )

    def sums_within(self, own: F64, inside: Mask) -> F64:
        """The same, of functions that stand inside a part of the tree (a union of subtrees) and of that part only."""
        running = np.concatenate([np.zeros(1), np.cumsum(np.where(inside, own, 0.0))])
        kept = inside[self.tops]
        label = self.comparison.measured.label
        return np.bincount(
            label[self.tops[kept]],
            weights=running[self.ends[kept]] - running[self.tops[kept]],
            minlength=len(self.comparison.measured.forest.labels),
        )

    def tops_of(self, row: int) -> Index:
        """The outermost nodes of one function."""
        return self.tops[self.comparison.measured.label[self.tops] == row]

    def beneath(self, row: int) -> Mask:
        """Which nodes lie beneath a function, its own included."""
        measured = self.comparison.measured
        tops = self.tops_of(row)
        edges = np.zeros(measured.nodes + 1, dtype=np.int64)
        edges[tops] += 1
        np.subtract.at(edges, tops + measured.tree.size[tops], 1)
        inside: Mask = np.cumsum(edges)[:-1] > 0
        return inside

    def of_category(self, subject: str) -> Mask:
        """Which nodes (in preorder) belong to a category or group."""
        attribution = self.comparison.attribution
        members = [attribution.categories.index(part) for part in GROUPS.get(subject, (subject,))]
        return np.isin(attribution.category[self.comparison.measured.tree.order], members)
