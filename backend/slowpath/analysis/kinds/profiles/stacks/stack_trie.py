"""The nodes of a tree of stacks, made of its segments: frames that share all frames above them are one node."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index
from slowpath.analysis.kinds.profiles.stacks.stack_segments import StackSegments

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class StackTrie:
    """Nodes in preorder, heaviest child first: all, or those of some segments with all their ancestors. Node 0 is the root.

    `number` is the node's among all nodes, `parent` its parent among these; `within` counts the nodes above it in its segment.
    `begins` is the first of these nodes of each segment (unspecified of others).
    """

    segments: StackSegments
    segment: Index
    within: Index
    number: Index
    parent: Index
    begins: Index

    @property
    def count(self) -> int:
        """Return the number of these nodes, root included."""
        return len(self.segment)

    @property
    def is_complete(self) -> bool:
        """Return whether these are all nodes."""
        return self.count == self.segments.nodes

    @cached_property
    def depth(self) -> Index:
        """Return the depth of each node; the root's is 0."""
        depth: Index = self.segments.depth[self.segment] + self.within
        return depth

    @cached_property
    def size(self) -> Index:
        """Return the number of nodes of each subtree."""
        size: Index = self.segments.size[self.segment] - self.within
        return size

    @cached_property
    def label(self) -> NDArray[np.int32]:
        """Return the label of each node, 0 for the root."""
        label = np.zeros(self.count, dtype=np.int32)
        label[1:] = self.segments.frames.label[self._frame]
        return label

    @cached_property
    def line(self) -> NDArray[np.int32]:
        """Return the line of each node, 0 without lines."""
        line = np.zeros(self.count, dtype=np.int32)
        if self.segments.frames.line is not None:
            line[1:] = self.segments.frames.line[self._frame]
        return line

    @property
    def _frame(self) -> Index:
        """Return a frame of each node but the root."""
        segments = self.segments
        first = segments.frames.start[segments.order.stacks[segments.first[1:]]] + segments.depth[1:] - 1
        frame: Index = first[self.segment[1:] - 1] + self.within[1:]
        return frame

    @cached_property
    def is_last(self) -> Mask:
        """Return which nodes are the last ones of their segment: stacks end there."""
        is_last: Mask = self.within == self.segments.length[self.segment] - 1
        return is_last

    @property
    def node_of_stack(self) -> Index:
        """Return where each stack ends, or the node at which the tree stops; of a complete tree only."""
        nodes: Index = (self.begins + self.segments.length - 1)[self.segments.of_stack]
        return nodes

    def totals(self, own: F64) -> F64:
        """Return the sum over each subtree of `own` (per node); of a complete tree only."""
        running = np.concatenate([np.zeros(1), np.cumsum(own)])
        total: F64 = running[np.arange(self.count) + self.size] - running[: self.count]
        return total


def make_nodes(segments: StackSegments, number: Index, chosen: Mask | None = None) -> StackTrie:
    """Return the nodes of the chosen segments (all if None), which have all their ancestors.

    `number` is that of the first node of each segment (see `StackSegments.number_nodes`).
    """
    which = np.arange(segments.count) if chosen is None else np.flatnonzero(chosen)
    which = which[np.argsort(number[which])]
    length = segments.length[which]
    first = np.cumsum(length) - length
    begins = np.zeros(segments.count, dtype=np.int64)
    begins[which] = first
    here = np.arange(int(length.sum()))
    parent = here - 1
    parent[first] = begins[segments.parent[which]]  # a segment that has children consists of one node
    return StackTrie(
        segments=segments,
        segment=np.repeat(which, length),
        within=here - np.repeat(first, length),
        number=here if chosen is None else here + np.repeat(number[which] - first, length),
        parent=parent,
        begins=begins,
    )


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
