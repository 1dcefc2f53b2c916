"""The merged tree of a view: its nodes, their names, and the columns that a page draws.

It is sent in two parts: the largest nodes first, then the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import Array, pack_strings, write_columns
from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by
from slowpath.analysis.kinds.profiles.decoded.profile_trees import NO_NODE
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index
from slowpath.analysis.kinds.profiles.stacks.stack_order import pair_numbers, split_pairs
from slowpath.analysis.kinds.profiles.stacks.stack_segments import StackSegments, build_stack_segments
from slowpath.analysis.kinds.profiles.stacks.stack_trie import StackTrie, make_nodes
from slowpath.analysis.kinds.profiles.views.diff_header import DiffTreeHeader, Part
from slowpath.analysis.kinds.profiles.views.diff_view_inputs import DiffViewInputs
from slowpath.analysis.kinds.profiles.views.node_kinds import find_label_categories, find_node_kinds
from slowpath.analysis.kinds.profiles.views.node_sums import SegmentSums, sum_segments
from slowpath.analysis.kinds.profiles.views.row_significance import RowSignificance, node_changes

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
    def segments(self) -> StackSegments:
        """Return the segments of the complete tree or, if that is too large, of all nodes heavy enough to be drawn."""
        ground = self.ground
        complete = build_stack_segments(ground.stacks.frames, ground.stacks.order)
        if len(ground.stacks.frames.label) <= MOST_FRAMES:
            return complete
        scale = np.where(ground.sets.is_base, *ground.scale(ground.default))
        weight = ground.measured.weighted(scale)
        of_segment = complete.totals(weight)
        least = float(np.abs(weight).sum()) / MOST_NODES
        segments = complete.limited(of_segment, least)
        while segments.nodes < MOST_NODES // 2:
            least /= 4
            segments = complete.limited(of_segment, least)
        return segments

    @cached_property
    def sums(self) -> SegmentSums:
        """Return the values of every segment on both sides."""
        return sum_segments(self.ground.measured, self.segments, self.ground.sets, self.ground.bases)

    @cached_property
    def _estimated(self) -> tuple[SegmentSums, ...]:
        """Return the values of every segment by the replicates of each of `ProfileSets.estimated`."""
        ground = self.ground
        others = ground.sets.estimated[1:]
        return (self.sums, *(sum_segments(ground.measured, self.segments, each, ground.bases) for each in others))

    @cached_property
    def weight(self) -> F64:
        """Return the width of the nodes of every segment in the merged graph."""
        base, candidate = self.ground.scale(self.ground.default)
        return self.sums.base * base + self.sums.candidate * candidate

    @cached_property
    def _number(self) -> Index:
        return self.segments.number_nodes(self.weight)

    @cached_property
    def trie(self) -> StackTrie:
        """Return all nodes."""
        return make_nodes(self.segments, self._number)

    @cached_property
    def _large_nodes(self) -> StackTrie:
        """Return nodes among which are the first ones, with all their ancestors.

        The nodes of a segment have one weight. If none is negative, a node is at least as heavy as those beneath it. So the heaviest
        segments, of equal ones the first in preorder, have the heaviest nodes.
        """
        is_tested = self.ground.comparison is not None  # all nodes are one family
        if is_tested or self.segments.count <= FIRST_NODES or self._has_negative_values:
            return self.trie
        least = np.partition(self.weight, -FIRST_NODES)[-FIRST_NODES]
        heaviest = np.flatnonzero(self.weight >= least)
        heaviest = heaviest[np.lexsort((self._number[heaviest], -self.weight[heaviest]))]
        nodes = np.cumsum(self.segments.length[heaviest])
        chosen = np.zeros(self.segments.count, dtype=np.bool_)
        chosen[heaviest[: int(np.searchsorted(nodes, FIRST_NODES)) + 1]] = True
        return make_nodes(self.segments, self._number, self.segments.with_ancestors(chosen))

    @property
    def _has_negative_values(self) -> bool:
        return any(np.any(values < 0) for _, values in self.ground.measured.own)

    @cached_property
    def _unseen(self) -> Index:
        """Return the number of stacks at or beneath each segment that go on below a node that was not expanded."""
        return self.segments.add_up(self.segments.unseen)

    @cached_property
    def _stacks(self) -> F64:
        """Return how many distinct stacks with a value each segment has."""
        measured = self.ground.measured
        seen = np.zeros(measured.stacks.frames.count)
        for stacks, _ in measured.own:
            seen[stacks] = 1
        return self.segments.totals(seen)

    @cached_property
    def _changes(self) -> dict[str, RowSignificance]:
        """Return the tests of all nodes."""
        return self._test(self.trie)

    def _test(self, trie: StackTrie) -> dict[str, RowSignificance]:
        return {
            basis.id: node_changes(self.ground, [each.moments(number) for each in self._estimated], trie.segment, basis)
            for number, basis in enumerate(self.ground.bases)
        }

    def part(self, part: Part) -> bytes:
        """`slowpath.diff` columns of `all` nodes, the `first` 8,192, or the `rest` of the 500,000 largest.

        Columns `hidden_...` are of parts only: those of all nodes follow from the others.
        """
        trie = self._large_nodes if part == "first" else self.trie
        return self._columns(trie, _node_ids(self.weight[trie.segment], part), part)

    def _columns(self, trie: StackTrie, chosen: Index, part: Part) -> bytes:
        sums, segment = self.sums, trie.segment[chosen]
        ends = trie.is_last[chosen]
        category, runtime = self._kinds(trie)
        names, texts = self._names(trie, chosen)
        size = trie.size[chosen] + self._unseen[segment]
        arrays: dict[str, Array] = {
            "node_id": trie.number[chosen].astype(np.uint32),
            "node_parent": np.where(chosen == 0, NO_NODE, trie.number[trie.parent[chosen]]).astype(np.uint32),
            "node_name": names,
            "node_category": category[chosen],
            "node_runtime": runtime[chosen].astype(np.uint8),
            "base_self": sums.own_base[segment] * ends,
            "base_total": sums.base[segment],
            "candidate_self": sums.own_candidate[segment] * ends,
            "candidate_total": sums.candidate[segment],
            "node_size": size.astype(np.uint32),
            "node_stacks": self._stacks[segment].astype(np.uint32),
        }
        if part != "all":
            arrays |= _hidden(arrays, size, _rows_of_parents(trie, chosen))
        for basis, changes in (self._changes if trie.is_complete else self._test(trie)).items():
            arrays[f"state_{basis}"] = changes.state[chosen]
            arrays[f"low_{basis}"] = changes.low[chosen]
            arrays[f"high_{basis}"] = changes.high[chosen]
            arrays[f"q_{basis}"] = changes.q[chosen]
        header = DiffTreeHeader(
            **{**vars(self.ground.header), "format": "slowpath.diff"},
            part=part,
            nodes_total=self.segments.nodes + int(self.segments.unseen.sum()),
            nodes_sent=len(chosen),
        )
        return write_columns(header, {**arrays, **pack_strings(texts)})

    @cached_property
    def kinds(self) -> tuple[U8, NDArray[np.bool_]]:
        """Return (category of a stack that would end at each node, whether its frame is of the runtime)."""
        return find_node_kinds(self.ground, self.trie)

    def _kinds(self, trie: StackTrie) -> tuple[U8, NDArray[np.bool_]]:
        return self.kinds if trie.is_complete else find_node_kinds(self.ground, trie)

    def label_categories(self) -> U8:
        """Return for each label the category of its heaviest node."""
        return find_label_categories(self.ground, self.segments, self.weight, self._number)

    def _names(self, trie: StackTrie, chosen: Index) -> tuple[Array, list[str]]:
        labels, label = self.ground.stacks.labels, trie.label[chosen]
        if self.ground.granularity != "line":
            is_used = np.zeros(len(labels), dtype=np.bool_)
            is_used[label] = True
            number = np.cumsum(is_used)  # from 1 on, in the order of the labels
            texts = [labels.names[row] or ROOT_NAME for row in np.flatnonzero(is_used).tolist()]
            return number[label].astype(np.uint32), ["", *texts]
        unique, inverse = np.unique(pair_numbers(label, trie.line[chosen]), return_inverse=True)
        pairs = zip(*(each.tolist() for each in split_pairs(unique)), strict=True)
        texts = [f"{labels.names[row]}:{number}" if row else ROOT_NAME for row, number in pairs]
        return (inverse.reshape(-1) + 1).astype(np.uint32), ["", *texts]


def _rows_of_parents(trie: StackTrie, chosen: Index) -> Index:
    """Return for each chosen node the row of its parent among the chosen, or -1."""
    row = np.full(trie.count, -1, dtype=np.int64)
    row[chosen] = np.arange(len(chosen))
    rows = row[trie.parent[chosen]]
    rows[chosen == 0] = -1
    return rows


def _hidden(sent: Mapping[str, Array], size: Index, parent: Index) -> dict[str, Array]:
    """Return what is not sent below each node that is: values of direct children, and the number of nodes."""
    children = np.flatnonzero(parent >= 0)
    above = parent[children]
    shown = sum_by(above, size[children], len(size)).astype(np.int64)
    nodes = np.maximum(size - 1 - shown, 0)
    hidden: dict[str, Array] = {}
    for side in ("base", "candidate"):
        total, own = sent[f"{side}_total"], sent[f"{side}_self"]
        beneath = sum_by(above, total[children], len(size))
        hidden[f"hidden_{side}"] = np.where(nodes > 0, total - own - beneath, 0.0)
    return {**hidden, "hidden_nodes": nodes.astype(np.uint32)}


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
