"""The distinct stacks of many profiles: equal ones become one, and every sample knows on which it lies.

A stack is a slice of one long array of frames, root first. All that is said of functions and categories is read
from these slices; trees are made from them only when a picture is wanted (see `trie`). There is no Python loop over
stacks: profiles are walked from the leaves to the root, all stacks one frame at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.columns import ColumnsError
from slowpath.analysis.frames import I32, Frames, Index, merged, number_equal
from slowpath.analysis.labels import Label, label_nodes
from slowpath.analysis.profile_table import ProfileTable
from slowpath.analysis.regraft import regrafted
from slowpath.analysis.sums import sum_by

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Stacks:
    """Distinct stacks, and for profile p the stack of each of its samples: `of_sample[p]`.

    `labels[0]` is nobody's: it stands for the root.
    """

    labels: tuple[Label, ...]
    frames: Frames
    of_sample: tuple[Index, ...]

    def values(self, tables: Sequence[ProfileTable], sample_types: Sequence[int]) -> tuple[tuple[Index, F64], ...]:
        """Per profile (stacks, values): the stacks that have a value other than zero, and it."""
        found = []
        for table, sample_type, stacks in zip(tables, sample_types, self.of_sample, strict=True):
            summed = sum_by(stacks, table.values[sample_type], self.frames.count)
            where = np.flatnonzero(summed)
            found.append((where, summed[where]))
        return tuple(found)


def stack_up(tables: Sequence[ProfileTable]) -> Stacks:
    """The distinct stacks of functions of all tables, those cut off at the root put back where they fit."""
    labels, label_of_string = label_nodes(tables)
    leaves, hashes, of_sample = [], [], []
    for table in tables:
        leaf = table.line_node_node[table.sample_line_node]
        distinct, inverse = np.unique(leaf, return_inverse=True)
        hashed = table.node_hash[distinct].copy()
        hashed[distinct == 0] = 0
        leaves.append(distinct)
        hashes.append(hashed)
        of_sample.append(inverse)
    ends = np.cumsum([0, *(len(each) for each in leaves)])
    ids, first = number_equal(np.concatenate(hashes))
    owner = np.searchsorted(ends, first, side="right") - 1
    walks = []
    for number, table in enumerate(tables):
        mine = np.flatnonzero(owner == number)
        nodes = leaves[number][first[mine] - ends[number]].astype(np.int64)
        walks.append(
            _Walk(mine, nodes, table.node_depths(nodes), table.node_parent, label_of_string[number][table.node_key])
        )
    moved, frames = regrafted(_walked(walks, len(first)), labels)
    return Stacks(
        labels=labels,
        frames=frames,
        of_sample=tuple(moved[ids[start + each]] for start, each in zip(ends[:-1], of_sample, strict=True)),
    )


def stack_up_lines(tables: Sequence[ProfileTable]) -> Stacks:
    """The same with line numbers: stacks differ when any line on them does."""
    labels, label_of_string = label_nodes(tables)
    walks, of_sample, count = [], [], 0
    for number, table in enumerate(tables):
        distinct, inverse = np.unique(table.sample_line_node, return_inverse=True)
        nodes, stacks = distinct.astype(np.int64), np.arange(count, count + len(distinct))
        of_label = label_of_string[number][table.node_key[table.line_node_node]]
        depths = table.node_depths(table.line_node_node[nodes].astype(np.int64))
        walks.append(_Walk(stacks, nodes, depths, table.line_node_parent, of_label, table.line_node_line))
        of_sample.append(count + inverse)
        count += len(distinct)
    moved, frames = regrafted(_walked(walks, count), labels)
    ids, kept = merged(frames)
    return Stacks(labels=labels, frames=kept, of_sample=tuple(ids[moved[each]] for each in of_sample))


@dataclass(frozen=True)
class _Walk:
    """Stacks of one table, to be read from their leaf nodes to the root; `depths` says how many frames each has."""

    stacks: Index
    nodes: Index
    depths: Index
    parent: NDArray[np.uint32]
    label: I32
    line: NDArray[np.int32] | None = None


def _walked(walks: Sequence[_Walk], count: int) -> Frames:
    """Read the stacks of all tables, all stacks of one table one frame at a time, and put them end to end."""
    depth = np.zeros(count, dtype=np.int64)
    for walk in walks:
        depth[walk.stacks] = walk.depths
    start = np.concatenate([[0], np.cumsum(depth)])
    label = np.zeros(int(start[-1]), dtype=np.int32)
    line = np.zeros(int(start[-1]), dtype=np.int32) if any(walk.line is not None for walk in walks) else None
    for walk in walks:
        node, where, first = walk.nodes, start[walk.stacks + 1] - 1, start[walk.stacks]
        while len(node):
            standing = node > 0
            if not standing.all():
                node, where, first = node[standing], where[standing], first[standing]
            if np.any(where < first):
                raise ColumnsError("tree-damaged", "a stack has more frames than its node's depth")
            label[where] = walk.label[node]
            if line is not None and walk.line is not None:
                line[where] = walk.line[node]
            node, where = walk.parent[node].astype(np.int64), where - 1
    return Frames(start, label, line)
