"""The tree of stacks, built level by level: frames that share all frames above them become one node.

It is built only as far as needed: a node lighter than `least` gets its weight but no children, so that a tree of millions of
nodes costs no more than the drawn part of it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.group_sums import sum_by
from slowpath.analysis.kinds.profiles.stack_frames import Index, StackFrames

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class StackTrie:
    """Nodes in preorder, heaviest child first; node 0 is the root.

    `example` is a stack through the node, `depth` the node's depth (so its frame is the stack's frame at `depth - 1`); `size`
    counts the subtree's nodes, `unseen` the stacks that continue below a node without children. `node_of_stack` is where each
    stack ends, or the node at which the tree stops.
    """

    parent: Index
    label: Index
    line: Index
    depth: Index
    size: Index
    example: Index
    unseen: Index
    node_of_stack: Index

    @property
    def count(self) -> int:
        """Return the number of nodes, root included."""
        return len(self.parent)

    def totals(self, own: F64) -> F64:
        """Return the sum over each subtree of `own` (per node)."""
        running = np.concatenate([np.zeros(1), np.cumsum(own)])
        here = np.arange(self.count)
        total: F64 = running[here + self.size] - running[here]
        return total


@dataclass(frozen=True)
class _TrieLevel:
    parent: Index
    label: Index
    line: Index
    weight: F64
    example: Index


def build_stack_trie(frames: StackFrames, weight: F64, least: float = 0.0) -> StackTrie:
    """Build the tree of all frames, without children of nodes lighter than `least`. `weight` is per stack."""
    node_of_stack = np.zeros(frames.count, dtype=np.int64)
    unseen_at: list[Index] = []
    levels = [_root(weight)]
    active = np.flatnonzero(frames.depth > 0)
    first_of_level = 0
    while len(active):
        above = levels[-1]
        is_expanded = np.abs(above.weight[node_of_stack[active] - first_of_level]) >= least
        unseen_at.append(node_of_stack[active[~is_expanded]])
        active = active[is_expanded]
        if len(active) == 0:
            break
        level, node = _next_level(frames, active, node_of_stack[active], len(levels) - 1, weight)
        first_of_level += len(above.parent)
        node_of_stack[active] = first_of_level + node
        levels.append(level)
        active = active[frames.depth[active] >= len(levels)]
    unseen = np.concatenate([*unseen_at, np.zeros(0, dtype=np.int64)])
    return _in_preorder(levels, node_of_stack, unseen, with_lines=frames.line is not None)


def _root(weight: F64) -> _TrieLevel:
    zero = np.zeros(1, dtype=np.int64)
    return _TrieLevel(zero, zero, zero, np.array([weight.sum()]), zero)


def _next_level(frames: StackFrames, stacks: Index, above: Index, depth: int, weight: F64) -> tuple[_TrieLevel, Index]:
    """Return the nodes one frame deeper, and the node of each of `stacks` within the level."""
    frame = frames.start[stacks] + depth
    label = frames.label[frame].astype(np.int64)
    line = np.zeros(len(stacks), dtype=np.int64) if frames.line is None else frames.line[frame].astype(np.int64)
    if frames.line is None:
        key = above * (int(label.max()) + 1) + label
        is_new = np.concatenate([[True], key[1:] != key[:-1]])
        if np.all(key[1:] >= key[:-1]):  # as the stacks of one profile
            first, node = np.flatnonzero(is_new), np.cumsum(is_new) - 1
        else:
            _, first, node = np.unique(key, return_index=True, return_inverse=True)
    else:
        order = np.lexsort((line, label, above))
        is_new = np.concatenate([[True], np.any([np.diff(each[order]) != 0 for each in (above, label, line)], axis=0)])
        node = np.empty(len(stacks), dtype=np.int64)
        node[order] = np.cumsum(is_new) - 1
        first = order[is_new]
    summed = sum_by(node, weight[stacks], len(first))
    return _TrieLevel(above[first], label[first], line[first], summed, stacks[first]), node


def _in_preorder(levels: list[_TrieLevel], node_of_stack: Index, unseen_at: Index, *, with_lines: bool) -> StackTrie:
    """Number the nodes so that each subtree is a slice, its heaviest child first."""
    starts = np.cumsum([0, *(len(level.parent) for level in levels)])
    count = int(starts[-1])
    size = np.ones(count, dtype=np.int64)
    for number in range(len(levels) - 1, 0, -1):
        one_up, here = slice(starts[number - 1], starts[number]), slice(starts[number], starts[number + 1])
        nearest = levels[number].parent - starts[number - 1]
        size[one_up] += np.bincount(nearest, weights=size[here], minlength=len(size[one_up])).astype(np.int64)
    position = np.zeros(count, dtype=np.int64)
    for number in range(1, len(levels)):
        level, nodes = levels[number], slice(starts[number], starts[number + 1])
        position[nodes] = position[level.parent] + 1
        siblings = _siblings(level.parent)
        if len(siblings) == 0:
            continue
        by = siblings[np.lexsort((-level.weight[siblings], level.parent[siblings]))]
        sizes = size[nodes][by]
        before = np.cumsum(sizes) - sizes
        first = np.concatenate([[True], level.parent[by][1:] != level.parent[by][:-1]])
        group = np.maximum.accumulate(np.where(first, np.arange(len(by)), 0))
        position[starts[number] + by] += before - before[group]
    order = np.empty(count, dtype=np.int64)
    order[position] = np.arange(count)
    return StackTrie(
        parent=position[np.concatenate([level.parent for level in levels])[order]],
        label=np.concatenate([level.label for level in levels])[order],
        line=np.concatenate([level.line for level in levels])[order] if with_lines else np.zeros(count, dtype=np.int64),
        depth=np.repeat(np.arange(len(levels)), np.diff(starts))[order],
        size=size[order],
        example=np.concatenate([level.example for level in levels])[order],
        unseen=np.bincount(position[unseen_at], minlength=count),
        node_of_stack=position[node_of_stack],
    )


def _siblings(parent: Index) -> Index:
    """Return the nodes of a level that are not the only child; `parent` ascends."""
    is_first = np.concatenate([[True], parent[1:] != parent[:-1]])
    return np.flatnonzero(~(is_first & np.concatenate([is_first[1:], [True]])))


# 2^20 is deeper than any stack that the decoder accepts.
_MOST_ROUNDS = 21


def propagate_up(parent: Index, own: NDArray[np.uint64], passes: Mask) -> NDArray[np.uint64]:
    """OR `own` from each node upwards along unbroken runs of nodes that pass; 0 for a node that does not.

    By pointer doubling: log2(depth) rounds over all nodes.
    """
    blank = len(parent)  # a node beyond the end, without bits
    gathered = np.concatenate([np.where(passes, own, np.uint64(0)), np.zeros(1, dtype=np.uint64)])
    jump = np.concatenate([np.where(passes & passes[parent], parent, blank), [blank]])
    jump[0] = blank
    for _ in range(_MOST_ROUNDS):
        if np.all(jump == blank):
            break
        gathered = gathered | gathered[jump]
        jump = jump[jump]
    inherited: NDArray[np.uint64] = gathered[:-1]
    return inherited
