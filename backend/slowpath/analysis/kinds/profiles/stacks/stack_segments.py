"""The tree of stacks as segments: one for each node that several stacks pass, and one for the rest of a stack that no other shares.

Most nodes of a large tree are in the rest of one stack, and have its values. So there are far fewer segments than nodes, and
whatever is added up, tested or sorted is so by segment; nodes are made of the segments that are shown (see `stack_trie`). No
step is a loop over levels: between stacks in order, the shared frames say where each node begins and ends.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index, StackFrames
from slowpath.analysis.kinds.profiles.stacks.stack_order import StackOrder

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

RADIX_LIMIT = 1 << 16
"""Smaller numbers are sorted in linear time as 16-bit ones."""


@dataclass(frozen=True)
class StackSegments:
    """Segments in the order of the sorted stacks, each before those beneath it; segment 0 is the root.

    Segment i has the stacks at the places `first[i]` to `last[i]`, `length[i]` nodes from `depth[i]` down, and beneath it the
    segments up to `end[i]`. `unseen[i]`: stacks that go on below it where the tree was limited. `of_stack`: the segment in which
    each stack ends, or at which the tree stops.
    """

    frames: StackFrames
    order: StackOrder
    first: Index
    last: Index
    depth: Index
    length: Index
    parent: Index
    end: Index
    unseen: Index
    of_stack: Index

    @property
    def count(self) -> int:
        """Return the number of segments, root included."""
        return len(self.first)

    @cached_property
    def nodes(self) -> int:
        """Return the number of nodes, root included."""
        return int(self.length.sum())

    @cached_property
    def size(self) -> Index:
        """Return the number of nodes of each segment and of those beneath it."""
        return self.add_up(self.length)

    @cached_property
    def stops_whole(self) -> Mask:
        """Return which stacks end in their segment: not those that go on below it."""
        ends: Mask = self.frames.depth == (self.depth + self.length - 1)[self.of_stack]
        return ends

    def add_up(self, own: Index) -> Index:
        """Return the sum of whole numbers of segments over each segment and those beneath it."""
        running = np.concatenate([[0], np.cumsum(own)])
        total: Index = running[self.end] - running[: self.count]
        return total

    def totals(self, value: F64) -> F64:
        """Return the sum of `value` (per stack) over the stacks of each segment."""
        running = np.concatenate([np.zeros(1), np.cumsum(value[self.order.stacks])])
        total: F64 = running[self.last + 1] - running[self.first]
        return total

    def own(self, stacks: Index, values: F64) -> F64:
        """Return the sum of the values of these stacks by the segment in which they end."""
        return sum_by(self.of_stack[stacks], values * self.stops_whole[stacks], self.count)

    def with_ancestors(self, chosen: Mask) -> Mask:
        """Return the chosen segments and all above them."""
        above: Mask = self.add_up(chosen.astype(np.int64)) > 0
        return above

    def find_nodes(self, searched: Mask) -> tuple[Index, Index, Index]:
        """Return (segment, number within it, label) of all nodes whose label is searched for, except the root."""
        frames, order = self.frames, self.order
        if not searched.any():
            return (np.zeros(0, dtype=np.int64),) * 3
        found = np.flatnonzero(searched[frames.label])
        stack = frames.owner_of(found)
        depth = found - frames.start[stack] + 1
        place = np.empty(frames.count, dtype=np.int64)
        place[order.stacks] = np.arange(frames.count)
        is_new = depth > order.shared[place[stack]]  # the stack before in the order has it otherwise
        found, stack, depth = found[is_new], stack[is_new], depth[is_new]
        begins = np.searchsorted(self.first[1:], place[stack]) + 1
        ends = np.searchsorted(self.first[1:], place[stack], side="right")
        segment = np.minimum(begins + depth - order.shared[place[stack]] - 1, ends)
        within = depth - self.depth[np.minimum(segment, self.count - 1)]
        exists = (segment >= begins) & (within < self.length[np.minimum(segment, self.count - 1)])
        return segment[exists], within[exists], frames.label[found[exists]].astype(np.int64)

    def limited(self, weight: F64, least: float) -> "StackSegments":
        """Return the segments without those beneath one that is lighter than `least`; of a light one only the first node remains."""
        light = np.abs(weight) < least
        change = np.bincount(np.flatnonzero(light) + 1, minlength=self.count + 1)
        change -= np.bincount(self.end[light], minlength=self.count + 1)
        remains = np.cumsum(change)[:-1] == 0
        stops = np.flatnonzero(remains & light)
        stacks = self.last[stops] - self.first[stops] + 1
        of_stack = self.of_stack.copy()
        places = np.repeat(self.last[stops] + 1 - np.cumsum(stacks), stacks) + np.arange(int(stacks.sum()))
        of_stack[self.order.stacks[places]] = np.repeat(stops, stacks)
        whole = self.frames.depth == self.depth[of_stack] + np.where(light, 1, self.length)[of_stack] - 1
        before = np.concatenate([[0], np.cumsum(remains)])
        unseen = np.bincount(of_stack[~whole], minlength=self.count)
        return replace(
            self,
            first=self.first[remains],
            last=self.last[remains],
            depth=self.depth[remains],
            length=np.where(light, 1, self.length)[remains],
            parent=before[self.parent[remains]],
            end=before[self.end[remains]],
            unseen=unseen[remains],
            of_stack=before[of_stack],
        )

    def number_nodes(self, weight: F64) -> Index:
        """Return the number of the first node of each segment in preorder, the heaviest child first.

        Equal children are in the order of their labels. A node comes after its parent and the siblings before it, with all
        that is beneath these: the sum of that over a node's ancestors is its number.
        """
        rank = np.empty(self.count, dtype=np.int64)
        rank[np.argsort(-weight, kind="stable")] = np.arange(self.count)
        children = np.argsort((self.parent * self.count + rank)[1:]) + 1
        size, parent = self.size[children], self.parent[children]
        before = np.cumsum(size) - size
        is_first = np.concatenate([[True], parent[1:] != parent[:-1]])[: len(children)]
        before -= np.repeat(before[is_first], np.diff(np.append(np.flatnonzero(is_first), len(children))))
        step = np.zeros(self.count, dtype=np.int64)
        step[children] = before + 1
        ended = sum_by(self.end, step, self.count + 1)[: self.count].astype(np.int64)
        number: Index = np.cumsum(step - ended)
        return number


def build_stack_segments(frames: StackFrames, order: StackOrder) -> StackSegments:
    """Return the segments of the complete tree of all frames."""
    shared, depth = order.shared, frames.depth[order.stacks]
    shared_after = np.concatenate([shared[1:], np.zeros(min(len(shared), 1), dtype=np.int64)])
    branches = np.maximum(shared_after - shared, 0)  # nodes that begin here and are shared with the next stack
    longest = np.maximum(shared_after, shared)
    counts = branches + (depth > longest)
    starts = np.concatenate([[0], np.cumsum(counts)]) + 1
    place = np.repeat(np.arange(len(depth)), counts)
    within = np.arange(1, len(place) + 1) - starts[place]
    begins = shared[place] + 1 + within
    is_rest = within >= branches[place]
    branch = np.flatnonzero(~is_rest)
    branch = branch[_by_number(begins[branch])]
    last = place.copy()
    last[branch] = _last_places(shared, shared_after)
    above = _nodes_above(shared, place[branch], begins[branch], branch + 1)
    parent = np.arange(len(place))  # the segment before, as segment 0 is not among these
    parent[within == 0] = above[place[within == 0]]
    of_place = np.where(counts > 0, starts[1:] - 1, above)
    of_stack = np.zeros(frames.count, dtype=np.int64)
    of_stack[order.stacks] = of_place
    total = len(place) + 1
    return StackSegments(
        frames=frames,
        order=order,
        first=np.concatenate([[0], place]),
        last=np.concatenate([[frames.count - 1], last]),
        depth=np.concatenate([[0], begins]),
        length=np.concatenate([[1], np.where(is_rest, (depth - longest)[place], 1)]),
        parent=np.concatenate([[0], parent]),
        end=np.concatenate([[total], starts[last + 1]]),
        unseen=np.zeros(total, dtype=np.int64),
        of_stack=of_stack,
    )


def _by_number(numbers: Index) -> Index:
    """Return the stable order of whole numbers."""
    small = int(numbers.max(initial=0)) < RADIX_LIMIT
    return np.argsort(numbers.astype(np.uint16) if small else numbers, kind="stable")


def _last_places(shared: Index, shared_after: Index) -> Index:
    """Return the last place of each shared node, by depth and place.

    Nodes of one depth follow each other, so the nth that begins is the nth that ends.
    """
    ends = np.maximum(shared - shared_after, 0)
    place = np.repeat(np.arange(len(shared)), ends)
    within = np.arange(len(place)) - np.repeat(np.cumsum(ends) - ends, ends)
    last: Index = place[_by_number(shared_after[place] + 1 + within)]
    return last


def _nodes_above(shared: Index, place: Index, depth: Index, number: Index) -> Index:
    """Return for each place the number of the last shared node that its stack has in common with the one before, else the root.

    Shared nodes are given by depth and place: it is the last one at that depth that began before.
    """
    above = np.zeros(len(shared), dtype=np.int64)
    queries = _by_number(shared)
    queries = queries[shared[queries] > 0]
    room = len(shared) + 1
    found = np.searchsorted(depth * room + place, shared[queries] * room + queries, side="right") - 1
    above[queries] = number[found]
    return above
