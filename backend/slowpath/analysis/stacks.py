"""The distinct stacks of many profiles: equal ones become one, and every sample knows on which it lies.

A stack is a slice of one long array of frames, root first. All that is said of functions and categories is read
from these slices; trees are made from them only when a picture is wanted (see `trie`). There is no Python loop over
stacks: profiles are walked from the leaves to the root, all stacks one frame at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.frames import Frames, Index, I32, U64, merged, number_equal
from slowpath.analysis.labels import Label, label_nodes
from slowpath.analysis.profile_table import ProfileTable
from slowpath.analysis.regraft import regrafted

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
            summed = np.bincount(stacks, weights=table.values[sample_type], minlength=self.frames.count)
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
        nodes = leaves[number][first[mine] - ends[number]]
        walks.append(_walk(mine, nodes, table.node_parent, label_of_string[number][table.node_key]))
    frames = _assembled(walks, len(first))
    moved, frames = regrafted(frames, labels)
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
        of_label = label_of_string[number][table.node_key[table.line_node_node]]
        stacks = np.arange(count, count + len(distinct))
        walks.append(_walk(stacks, distinct, table.line_node_parent, of_label, table.line_node_line))
        of_sample.append(count + inverse)
        count += len(distinct)
    moved, frames = regrafted(_assembled(walks, count), labels)
    ids, kept = merged(frames)
    return Stacks(labels=labels, frames=kept, of_sample=tuple(ids[moved[each]] for each in of_sample))


@dataclass(frozen=True)
class _Steps:
    """Frames met while walking: at step i, `stacks[i]` had `labels[i]` (and `lines[i]`)."""

    stacks: list[Index]
    labels: list[I32]
    lines: list[I32]


def _walk(
    stacks: Index,
    nodes: NDArray[np.uint32],
    parent: NDArray[np.uint32],
    label: I32,
    line: NDArray[np.int32] | None = None,
) -> _Steps:
    """From the leaves to the root, all stacks one frame at a time; the root itself is not a frame."""
    steps = _Steps([], [], [])
    here = nodes.astype(np.int64)
    while True:
        standing = here > 0
        if not standing.all():
            stacks, here = stacks[standing], here[standing]
        if len(here) == 0:
            return steps
        steps.stacks.append(stacks)
        steps.labels.append(label[here])
        if line is not None:
            steps.lines.append(line[here])
        here = parent[here].astype(np.int64)


def _assembled(walks: Sequence[_Steps], count: int) -> Frames:
    """Put what the walks met end to end, root first."""
    depth = np.zeros(count, dtype=np.int64)
    for walk in walks:
        for stacks in walk.stacks:
            depth[stacks] += 1
    start = np.concatenate([[0], np.cumsum(depth)])
    label = np.empty(int(start[-1]), dtype=np.int32)
    with_lines = any(walk.lines for walk in walks)
    line = np.empty(int(start[-1]), dtype=np.int32) if with_lines else None
    for walk in walks:
        for step, stacks in enumerate(walk.stacks):
            where = start[stacks + 1] - 1 - step
            label[where] = walk.labels[step]
            if line is not None:
                line[where] = walk.lines[step]
    return Frames(start, label, line)
