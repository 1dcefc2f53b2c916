"""The distinct stacks of many profiles, with the stack of every sample.

A stack is a slice of one long array of frames, root first. Functions and categories are computed from these slices; trees
are built only for display (see `stack_trie`). There is no Python loop over stacks: profiles are walked from the leaves to
the root, thousands of stacks one frame at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import ColumnFileError
from slowpath.analysis.kinds.profiles.decoded.function_keys import Labels, label_nodes
from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.stacks.renamed_functions import Renames, find_renames
from slowpath.analysis.kinds.profiles.stacks.stack_frames import I32, U64, Index, StackFrames, merged, number_equal
from slowpath.analysis.kinds.profiles.stacks.stack_order import StackOrder, order_stacks, read_order
from slowpath.analysis.kinds.profiles.stacks.truncated_stacks import restore_truncated_stacks

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Stacks are walked in parts of this many: the memory that a part reads and writes stays in the cache.
PART_STACKS = 8192


@dataclass(frozen=True)
class DistinctStacks:
    """Distinct stacks, and for profile p the stack of each row of its table of stacks: `of_row[p]`.

    At the granularity of lines (`by_sample`) rows are samples. `labels[0]` is the root. `label_of_string[p]` is the label of
    each string of profile p that names a frame. `as_read`: no stack was restored, so that totals from the decoder are valid.
    `order_as_read`: the order of the stacks, if the decoder sorted them. `renamed_packages` are pairs of paths, base and
    candidate, whose functions have one label (see `renamed_functions`).
    """

    labels: Labels
    frames: StackFrames
    of_row: tuple[Index, ...]
    label_of_string: tuple[I32, ...] = ()
    by_sample: bool = False
    as_read: bool = False
    order_as_read: StackOrder | None = None
    renamed_packages: tuple[tuple[str, str], ...] = ()

    @cached_property
    def order(self) -> StackOrder:
        """Return the sorted stacks."""
        return order_stacks(self.frames) if self.order_as_read is None else self.order_as_read

    def values(self, tables: Sequence[ProfileTable], sample_types: Sequence[int]) -> tuple[tuple[Index, F64], ...]:
        """Return (stacks, values) per profile: the stacks with a value other than zero, and the value."""
        by_profile = []
        for table, sample_type, stacks in zip(tables, sample_types, self.of_row, strict=True):
            values = table.values if self.by_sample else table.stacks.values
            summed = sum_by(stacks, values[sample_type], self.frames.count)
            where = np.flatnonzero(summed)
            by_profile.append((where, summed[where]))
        return tuple(by_profile)


def unite_stacks(tables: Sequence[ProfileTable], is_base: Mask | None = None) -> DistinctStacks:
    """Return the distinct stacks of functions of all tables, with truncated stacks restored where possible.

    `is_base`: which tables are of the base, to find functions that were renamed.
    """
    labels, label_of_string = label_nodes(tables)
    renames = _renames(labels, label_of_string, is_base)
    if renames is not None:
        label_of_string = tuple(renames.label_of[each] for each in label_of_string)
    alike, groups = _group_identical([table.stacks.hash for table in tables])
    ends = np.cumsum([0, *(len(tables[first].stacks.hash) for first in groups)])
    ids, example = number_equal(np.concatenate([tables[first].stacks.hash for first in groups]))
    owner = np.searchsorted(ends, example, side="right") - 1
    walks = []
    for group, number in enumerate(groups):
        of_group = np.flatnonzero(owner == group)
        if len(of_group):
            table, rows = tables[number], example[of_group] - ends[group]
            stacks, label = table.stacks, label_of_string[number][table.node_key]
            walks.append(
                _LeafToRootWalk(
                    of_group, stacks.node[rows].astype(np.int64), stacks.depth[rows], table.node_parent, label
                )
            )
    walked = _walk_all(walks, len(example))
    if renames is not None:
        under_one_name, walked = merged(walked)
        ids = under_one_name[ids]
    restored_ids, frames = restore_truncated_stacks(walked, labels)
    rows_of = [restored_ids[ids[start:end]] for start, end in pairwise(ends.tolist())]
    return DistinctStacks(
        labels=labels,
        frames=frames,
        of_row=tuple(rows_of[each] for each in alike),
        label_of_string=label_of_string,
        as_read=frames is walked,
        order_as_read=(
            read_order(frames, walks[0].nodes) if len(walks) == 1 and frames is walked and renames is None else None
        ),
        renamed_packages=() if renames is None else renames.packages,
    )


def _renames(labels: Labels, label_of_string: Sequence[I32], is_base: Mask | None) -> Renames | None:
    """Return which functions have another name on either side; None if the sides are unknown or have equal names."""
    if is_base is None:
        return None
    sides = np.zeros((2, len(labels)), dtype=np.bool_)
    for used, base in zip(label_of_string, is_base.tolist(), strict=True):
        sides[0 if base else 1, used] = True
    sides[:, 0] = False
    return find_renames(labels.keys, sides[0], sides[1])


def _group_identical(hashes: Sequence[U64]) -> tuple[list[int], list[int]]:
    """Return (group of each profile, first profile of each group).

    Profiles of one group have identical stacks. Long profiles of one service often do, and then are walked once.
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


def unite_line_stacks(tables: Sequence[ProfileTable], functions: DistinctStacks | None = None) -> DistinctStacks:
    """Return the same with line numbers, under the labels of `functions`: stacks differ if any line differs."""
    labels, label_of_string = (
        label_nodes(tables) if functions is None else (functions.labels, functions.label_of_string)
    )
    walks, of_sample, count = [], [], 0
    for number, table in enumerate(tables):
        if table.lines.count == 0:
            raise ColumnFileError("no-lines", "this profile was decoded without lines")
        distinct, sample, inverse = np.unique(table.sample_line_node, return_index=True, return_inverse=True)
        nodes, stacks, lines = distinct.astype(np.int64), np.arange(count, count + len(distinct)), table.lines.nodes
        depths = table.node_depths(table.sample_node[sample].astype(np.int64))
        of_label = label_of_string[number][lines.key]
        walks.append(_LeafToRootWalk(stacks, nodes, depths, lines.parent, of_label, lines.line))
        of_sample.append(count + inverse)
        count += len(distinct)
    restored_ids, frames = restore_truncated_stacks(_walk_all(walks, count), labels)
    ids, distinct_frames = merged(frames)
    of_row = tuple(ids[restored_ids[each]] for each in of_sample)
    return DistinctStacks(labels=labels, frames=distinct_frames, of_row=of_row, by_sample=True)


@dataclass(frozen=True)
class _LeafToRootWalk:
    """Stacks of one table, to be read from their leaf nodes to the root.

    `depths`: number of frames of each.
    """

    stacks: Index
    nodes: Index
    depths: Index
    parent: NDArray[np.uint32]
    label: I32
    line: NDArray[np.int32] | None = None

    def parts(self) -> Iterator["_LeafToRootWalk"]:
        """Yield the walk in parts of PART_STACKS stacks."""
        for low in range(0, len(self.nodes), PART_STACKS):
            part = slice(low, low + PART_STACKS)
            yield replace(self, stacks=self.stacks[part], nodes=self.nodes[part], depths=self.depths[part])


def _walk_all(walks: Sequence[_LeafToRootWalk], count: int) -> StackFrames:
    """Read the stacks of all tables, many stacks of one table one frame at a time, and concatenate them."""
    depth = np.zeros(count, dtype=np.int64)
    for walk in walks:
        depth[walk.stacks] = walk.depths
    start = np.concatenate([[0], np.cumsum(depth)])
    label = np.zeros(int(start[-1]), dtype=np.int32)
    line = np.zeros(int(start[-1]), dtype=np.int32) if any(walk.line is not None for walk in walks) else None
    for walk in (part for each in walks for part in each.parts()):
        node, where, first = walk.nodes, start[walk.stacks + 1] - 1, start[walk.stacks]
        while len(node):
            is_open = node > 0
            if not is_open.all():
                node, where, first = node[is_open], where[is_open], first[is_open]
            if np.any(where < first):
                raise ColumnFileError("tree-damaged", "a stack has more frames than its node's depth")
            label[where] = walk.label[node]
            if line is not None and walk.line is not None:
                line[where] = walk.line[node]
            node, where = walk.parent[node].astype(np.int64), where - 1
    return StackFrames(start, label, line)
