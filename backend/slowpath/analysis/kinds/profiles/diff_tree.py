"""The merged tree of a view: its nodes, their names, and the columns that a page draws.

It is sent in two parts: the largest nodes first, then the rest.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import Array, pack_strings, write_columns
from slowpath.analysis.kinds.profiles.diff_header import DiffTreeHeader, Part
from slowpath.analysis.kinds.profiles.diff_view_inputs import DiffViewInputs
from slowpath.analysis.kinds.profiles.group_sums import sum_by
from slowpath.analysis.kinds.profiles.node_sums import NodeSums, node_sums
from slowpath.analysis.kinds.profiles.profile_table import NO_NODE
from slowpath.analysis.kinds.profiles.row_significance import RowSignificance, node_changes
from slowpath.analysis.kinds.profiles.runtime_category_rules import runtime_rules
from slowpath.analysis.kinds.profiles.stack_attribution import categories_of
from slowpath.analysis.kinds.profiles.stack_frames import Index
from slowpath.analysis.kinds.profiles.stack_trie import StackTrie, build_stack_trie, propagate_up

F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]

FIRST_NODES = 8_192
MOST_NODES = 500_000
# Up to this many frames the complete tree is built, above it only nodes heavy enough to be drawn.
MOST_FRAMES = 6_000_000
ROOT_NAME = "root"


@dataclass(frozen=True)
class DiffTree:
    """The tree of one view with its sums and tests; nodes are in preorder, heaviest child first."""

    ground: DiffViewInputs

    @cached_property
    def trie(self) -> StackTrie:
        """Return the complete tree or, if that is too large, all nodes heavy enough to be drawn."""
        ground = self.ground
        base, candidate = ground.scale(ground.default)
        weight = ground.measured.weighted(np.where(ground.sets.is_base, base, candidate))
        frames = ground.stacks.frames
        if len(frames.label) <= MOST_FRAMES:
            return build_stack_trie(frames, weight)
        least = float(np.abs(weight).sum()) / MOST_NODES
        tree = build_stack_trie(frames, weight, least)
        while tree.count < MOST_NODES // 2:
            least /= 4
            tree = build_stack_trie(frames, weight, least)
        return tree

    @cached_property
    def sums(self) -> NodeSums:
        """Return the values of every node on both sides."""
        return node_sums(self.ground.measured, self.trie, self.ground.sets, self.ground.bases)

    @cached_property
    def weight(self) -> F64:
        """Return the width of every node in the merged graph."""
        return self.sums.weight(self.ground.scale(self.ground.default))

    @cached_property
    def _size(self) -> Index:
        """Return the nodes of each subtree; below a node that was not expanded, the number of stacks."""
        return self.trie.size + self.trie.totals(self.trie.unseen.astype(np.float64)).astype(np.int64)

    @cached_property
    def _stacks(self) -> F64:
        """Return on how many distinct stacks with a value each node is."""
        measured = self.ground.measured
        seen = np.zeros(measured.stacks.frames.count)
        for stacks, _ in measured.own:
            seen[stacks] = 1
        return self.trie.totals(sum_by(self.trie.node_of_stack, seen, self.trie.count))

    @cached_property
    def _changes(self) -> dict[str, RowSignificance]:
        return {
            basis.id: node_changes(self.ground, *self.sums.moments(number), basis)
            for number, basis in enumerate(self.ground.bases)
        }

    def part(self, part: Part) -> bytes:
        """`slowpath.diff` columns of `all` nodes, the `first` 8,192, or the `rest` of the 500,000 largest."""
        return self._columns(_node_ids(self.weight, part), part)

    def _columns(self, chosen: Index, part: Part) -> bytes:
        trie, sums = self.trie, self.sums
        category, runtime = self.kinds
        names, texts = self._names(chosen)
        arrays: dict[str, Array] = {
            "node_id": chosen.astype(np.uint32),
            "node_parent": np.where(chosen == 0, NO_NODE, trie.parent[chosen]).astype(np.uint32),
            "node_name": names,
            "node_category": category[chosen],
            "node_runtime": runtime[chosen].astype(np.uint8),
            "base_self": sums.own_base[chosen],
            "base_total": sums.base[chosen],
            "candidate_self": sums.own_candidate[chosen],
            "candidate_total": sums.candidate[chosen],
            "node_size": self._size[chosen].astype(np.uint32),
            "node_stacks": self._stacks[chosen].astype(np.uint32),
            **self._hidden(chosen),
        }
        for basis, changes in self._changes.items():
            arrays[f"state_{basis}"] = changes.state[chosen]
            arrays[f"low_{basis}"] = changes.low[chosen]
            arrays[f"high_{basis}"] = changes.high[chosen]
            arrays[f"q_{basis}"] = changes.q[chosen]
        header = DiffTreeHeader(
            **{**vars(self.ground.header), "format": "slowpath.diff"},
            part=part,
            nodes_total=int(trie.count + trie.unseen.sum()),
            nodes_sent=len(chosen),
        )
        return write_columns(header, {**arrays, **pack_strings(texts)})

    @cached_property
    def kinds(self) -> tuple[U8, NDArray[np.bool_]]:
        """Return (category of a stack that would end at each node, whether its frame is of the runtime)."""
        rules, labels = runtime_rules(), self.ground.stacks.labels
        if self.ground.granularity == "package":
            is_runtime = np.array([bool(rules.runtime_prefix.match(f"{label.key}.")) for label in labels])[
                self.trie.label
            ]
            return self._package_categories(), is_runtime
        is_runtime = np.zeros(len(labels), dtype=np.bool_)
        of_label = np.zeros((3, len(labels)), dtype=np.uint64)
        for row in np.flatnonzero(~labels.numbers.of_modules()).tolist():
            bits = rules.bits(labels.keys[row])
            is_runtime[row], of_label[:, row] = bits.is_runtime, (bits.any, bits.unless, bits.leaf)
        runtime = is_runtime[self.trie.label]
        runtime[0] = False
        matched, unless, leaf = (each[self.trie.label] for each in of_label)
        parent, where = self.trie.parent, np.flatnonzero(runtime)
        category = np.zeros(self.trie.count, dtype=np.uint8)
        category[where] = categories_of(
            propagate_up(parent, matched, runtime)[where],
            propagate_up(parent, unless, runtime)[where],
            leaf[where],
            len(rules.rules),
        )
        return category, runtime

    def _package_categories(self) -> U8:
        """Return for each package the category of its heaviest stack."""
        values = self.ground.values
        category = np.zeros(self.trie.count, dtype=np.uint8)
        for functions, packages in zip(values.measured.stacks.of_row, self.ground.stacks.of_row, strict=True):
            category[self.trie.node_of_stack[packages]] = values.attribution.category[functions]
        return category

    def _names(self, chosen: Index) -> tuple[Array, list[str]]:
        labels, trie = self.ground.stacks.labels, self.trie
        if self.ground.granularity != "line":
            is_used = np.zeros(len(labels), dtype=np.bool_)
            is_used[trie.label[chosen]] = True
            number = np.cumsum(is_used)  # from 1 on, in the order of the labels
            texts = [labels[row].name or ROOT_NAME for row in np.flatnonzero(is_used).tolist()]
            return number[trie.label[chosen]].astype(np.uint32), ["", *texts]
        pairs = np.stack([trie.label[chosen], trie.line[chosen]], axis=1)
        unique, inverse = np.unique(pairs, axis=0, return_inverse=True)
        texts = [f"{labels[row].name}:{number}" if row else ROOT_NAME for row, number in unique.tolist()]
        return (inverse.reshape(-1) + 1).astype(np.uint32), ["", *texts]

    def _hidden(self, chosen: Index) -> dict[str, Array]:
        """Return what is not sent below each node: values of direct children, and the number of nodes."""
        trie, sums = self.trie, self.sums
        sent = np.zeros(trie.count, dtype=np.bool_)
        sent[chosen] = True
        sent[0] = False
        children = np.flatnonzero(sent)
        above = trie.parent[children]
        shown_base = sum_by(above, sums.base[children], trie.count)
        shown_candidate = sum_by(above, sums.candidate[children], trie.count)
        shown_nodes = sum_by(above, self._size[children], trie.count)
        nodes = np.maximum(self._size - 1 - shown_nodes.astype(np.int64), 0)
        hides = nodes > 0
        return {
            "hidden_base": np.where(hides, sums.base - sums.own_base - shown_base, 0.0)[chosen],
            "hidden_candidate": np.where(hides, sums.candidate - sums.own_candidate - shown_candidate, 0.0)[chosen],
            "hidden_nodes": nodes[chosen].astype(np.uint32),
        }


def _node_ids(weight: F64, part: Part) -> Index:
    """Return the ids of the nodes to send, ascending.

    A parent is at least as large as its child, so they connect.
    """
    count = len(weight)
    if part == "all":
        return np.arange(count)
    is_first = are_largest(weight, FIRST_NODES)
    return np.flatnonzero(is_first if part == "first" else are_largest(weight, MOST_NODES) & ~is_first)


def are_largest(weight: F64, most: int) -> NDArray[np.bool_]:
    """Return which nodes are the `most` largest. Ties are broken by preorder, so that a parent precedes a child of the same size."""
    if len(weight) <= most:
        return np.ones(len(weight), dtype=np.bool_)
    least = np.partition(weight, len(weight) - most)[len(weight) - most]
    are_largest: NDArray[np.bool_] = weight > least
    ties = np.flatnonzero(weight == least)
    are_largest[ties[: most - int(are_largest.sum())]] = True
    return are_largest
