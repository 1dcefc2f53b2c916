"""The distinct stacks of many profiles: equal ones become one, and every sample knows on which it lies.

A stack is a slice of one long array of frames, root first. All that is said of functions and categories is read
from these slices; trees are made from them only when a picture is wanted (see `trie`). There is no Python loop over
stacks: profiles are walked from the leaves to the root, thousands of stacks one frame at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import ColumnFileError
from slowpath.analysis.kinds.profiles.function_keys import Labels, label_nodes
from slowpath.analysis.kinds.profiles.group_sums import sum_by
from slowpath.analysis.kinds.profiles.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.stack_frames import I32, U64, Index, StackFrames, merged, number_equal
from slowpath.analysis.kinds.profiles.truncated_stacks import restore_truncated_stacks

F64 = NDArray[np.float64]

# Stacks are walked in parts of this many: what a part reads of the tree and what it writes stay in the cache.
PART_STACKS = 8192


@dataclass(frozen=True)
class DistinctStacks:
    """Distinct stacks, and for profile p which of them each row of its table of stacks is: `of_row[p]`.

    At the granularity of lines (`by_sample`) rows are samples. `labels[0]` is nobody's: it stands for the root.
    `label_of_string[p]` gives
    the label of each string of profile p that names a frame. `as_read`: no stack was put elsewhere, so that totals
    added up by the decoder hold.
    """

    labels: Labels
    frames: StackFrames
    of_row: tuple[Index, ...]
    label_of_string: tuple[I32, ...] = ()
    by_sample: bool = False
    as_read: bool = False

    def values(self, tables: Sequence[ProfileTable], sample_types: Sequence[int]) -> tuple[tuple[Index, F64], ...]:
        """Per profile (stacks, values): the stacks that have a value other than zero, and it."""
        found = []
        for table, sample_type, stacks in zip(tables, sample_types, self.of_row, strict=True):
            values = table.values if self.by_sample else table.stacks.values
            summed = sum_by(stacks, values[sample_type], self.frames.count)
            where = np.flatnonzero(summed)
            found.append((where, summed[where]))
        return tuple(found)


def unite_stacks(tables: Sequence[ProfileTable]) -> DistinctStacks:
    """The distinct stacks of functions of all tables, those cut off at the root put back where they fit."""
    labels, label_of_string = label_nodes(tables)
    alike, groups = _alike([table.stacks.hash for table in tables])
    ends = np.cumsum([0, *(len(tables[first].stacks.hash) for first in groups)])
    ids, example = number_equal(np.concatenate([tables[first].stacks.hash for first in groups]))
    owner = np.searchsorted(ends, example, side="right") - 1
    walks = []
    for group, number in enumerate(groups):
        mine = np.flatnonzero(owner == group)
        if len(mine):
            table, rows = tables[number], example[mine] - ends[group]
            stacks, label = table.stacks, label_of_string[number][table.node_key]
            walks.append(
                _LeafToRootWalk(mine, stacks.node[rows].astype(np.int64), stacks.depth[rows], table.node_parent, label)
            )
    read = _walked(walks, len(example))
    moved, frames = restore_truncated_stacks(read, labels)
    rows_of = [moved[ids[start:end]] for start, end in pairwise(ends.tolist())]
    return DistinctStacks(
        labels=labels,
        frames=frames,
        of_row=tuple(rows_of[each] for each in alike),
        label_of_string=label_of_string,
        as_read=frames is read,
    )


def _alike(hashes: Sequence[U64]) -> tuple[list[int], list[int]]:
    """(number of each profile's group, an example of each group): profiles of one group have the very same stacks.

    Long profiles of one service do, and then need to be looked at once only.
    """
    groups: list[int] = []
    numbers = []
    for number, mine in enumerate(hashes):
        same = (group for group, first in enumerate(groups) if np.array_equal(hashes[first], mine))
        group = next(same, len(groups))
        if group == len(groups):
            groups.append(number)
        numbers.append(group)
    return numbers, groups


def unite_line_stacks(tables: Sequence[ProfileTable]) -> DistinctStacks:
    """The same with line numbers: stacks differ when any line on them does."""
    labels, label_of_string = label_nodes(tables)
    walks, of_sample, count = [], [], 0
    for number, table in enumerate(tables):
        if len(table.line_node_parent) == 0:
            raise ColumnFileError("no-lines", "this profile was decoded without lines")
        distinct, inverse = np.unique(table.sample_line_node, return_inverse=True)
        nodes, stacks = distinct.astype(np.int64), np.arange(count, count + len(distinct))
        of_label = label_of_string[number][table.node_key[table.line_node_node]]
        depths = table.node_depths(table.line_node_node[nodes].astype(np.int64))
        walks.append(_LeafToRootWalk(stacks, nodes, depths, table.line_node_parent, of_label, table.line_node_line))
        of_sample.append(count + inverse)
        count += len(distinct)
    moved, frames = restore_truncated_stacks(_walked(walks, count), labels)
    ids, kept = merged(frames)
    of_row = tuple(ids[moved[each]] for each in of_sample)
    return DistinctStacks(labels=labels, frames=kept, of_row=of_row, by_sample=True)


@dataclass(frozen=True)
class _LeafToRootWalk:
    """Stacks of one table, to be read from their leaf nodes to the root; `depths` says how many frames each has."""

    stacks: Index
    nodes: Index
    depths: Index
    parent: NDArray[np.uint32]
    label: I32
    line: NDArray[np.int32] | None = None

    def parts(self) -> Iterator["_LeafToRootWalk"]:
        """The same in parts of PART_STACKS stacks."""
        for low in range(0, len(self.nodes), PART_STACKS):
            part = slice(low, low + PART_STACKS)
            yield replace(self, stacks=self.stacks[part], nodes=self.nodes[part], depths=self.depths[part])


def _walked(walks: Sequence[_LeafToRootWalk], count: int) -> StackFrames:
    """Read the stacks of all tables, many stacks of one table one frame at a time, and put them end to end."""
    depth = np.zeros(count, dtype=np.int64)
    for walk in walks:
        depth[walk.stacks] = walk.depths
    start = np.concatenate([[0], np.cumsum(depth)])
    label = np.zeros(int(start[-1]), dtype=np.int32)
    line = np.zeros(int(start[-1]), dtype=np.int32) if any(walk.line is not None for walk in walks) else None
    for walk in (part for each in walks for part in each.parts()):
        node, where, first = walk.nodes, start[walk.stacks + 1] - 1, start[walk.stacks]
        while len(node):
            standing = node > 0
            if not standing.all():
                node, where, first = node[standing], where[standing], first[standing]
            if np.any(where < first):
                raise ColumnFileError("tree-damaged", "a stack has more frames than its node's depth")
            label[where] = walk.label[node]
            if line is not None and walk.line is not None:
                line[where] = walk.line[node]
            node, where = walk.parent[node].astype(np.int64), where - 1
    return StackFrames(start, label, line)
