"""What every profile says of every subject: one pass over the profiles, arrays out.

A subject is a category, a function (with all it calls, or alone) or a node of the forest. Rows are subjects, columns
profiles, values raw (nanoseconds, bytes, counts).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.forest import Forest
from slowpath.analysis.sets import Sets
from slowpath.analysis.tree import Index, Preorder, outermost, preorder

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """A forest in preorder, heaviest child first, with each profile's own values on it.

    `label` is the forest's in preorder; `own[p]` is (positions, values) of profile p's stacks.
    """

    forest: Forest
    tree: Preorder
    label: Index
    own: tuple[tuple[Index, F64], ...]

    @property
    def nodes(self) -> int:
        """Number of nodes, root included."""
        return len(self.label)

    def own_dense(self, profile: int) -> F64:
        """Own value of every node in one profile, in preorder."""
        where, values = self.own[profile]
        return np.bincount(where, weights=values, minlength=self.nodes)

    def by_group(self, group: Index, groups: int) -> F64:
        """Own values summed by a number given to each node: (groups x profiles)."""
        return np.stack(
            [np.bincount(group[where], weights=values, minlength=groups) for where, values in self.own], axis=1
        )

    def inclusive(self, group: Index, groups: int) -> F64:
        """Totals by group without counting recursion twice: (groups x profiles)."""
        top = np.flatnonzero(outermost(np.arange(self.nodes) + self.tree.size, group))
        end = top + self.tree.size[top]
        rows = []
        for profile in range(len(self.own)):
            running = np.concatenate([np.zeros(1), np.cumsum(self.own_dense(profile))])
            rows.append(np.bincount(group[top], weights=running[end] - running[top], minlength=groups))
        return np.stack(rows, axis=1)


def measure(forest: Forest, sets: Sets, scale: F64) -> Measured:
    """Lay the profiles of `sets` on the forest; children are ordered by values times each profile's `scale`."""
    count = len(forest.parent)
    own: list[tuple[Index, F64]] = []
    weight = np.zeros(count)
    for number, artifact in enumerate(sets.artifacts):
        values = artifact.table.self_by_line_node(sets.sample_type_of[number])
        by_node = np.bincount(forest.placed[number], weights=values, minlength=count)
        where = np.flatnonzero(by_node)
        own.append((where, by_node[where] * sets.sign[number]))
        weight[where] += own[-1][1] * scale[number]
    tree = preorder(forest.parent, weight)
    return Measured(
        forest=forest,
        tree=tree,
        label=forest.label[tree.order],
        own=tuple((tree.position[where], values) for where, values in own),
    )
