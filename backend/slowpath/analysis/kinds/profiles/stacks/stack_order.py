"""Stacks sorted by their frames, and how many frames each shares with the one before: all that a tree of them needs."""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.profiles.stacks.stack_frames import I32, Index, StackFrames

ENDED = -1
"""Instead of a frame: the stack ended above. It sorts before all that go on."""


LINE_BITS = 32
LEAST_LINE = 1 << LINE_BITS - 1
"""Added to lines, which may be negative."""


@dataclass(frozen=True)
class StackOrder:
    """Sorted stacks: `stacks[p]` is the one at place p, `shared[p]` its frames in common with the one at p - 1 (0 for the first)."""

    stacks: Index
    shared: Index


def order_stacks(frames: StackFrames) -> StackOrder:
    """Sort stacks by label and line, one frame at a time; those that differ from both neighbors are in their place.

    A level is sorted only if it is not already: the stacks of one profile never are, and those of several rarely after the
    first levels.
    """
    order = np.arange(frames.count)
    shared = np.zeros(frames.count, dtype=np.int64)
    places, group = order.copy(), np.zeros(frames.count, dtype=np.int64)
    depth = 0
    while len(places) > 1:
        stacks = order[places]
        frame = _frames_at(frames, stacks, depth)
        starts_group = np.concatenate([[True], group[1:] != group[:-1]])
        if np.any((frame[1:] < frame[:-1]) & ~starts_group[1:]):
            by = np.lexsort((frame, group))
            frame = frame[by]
            order[places] = stacks[by]
        is_new = starts_group | (frame == ENDED)
        is_new[1:] |= frame[1:] != frame[:-1]
        shared[places[is_new & ~starts_group]] = depth
        is_alone = is_new & np.concatenate([is_new[1:], [True]])
        remaining = ~is_alone
        group = np.cumsum(is_new)[remaining]
        places = places[remaining]
        depth += 1
    return StackOrder(order, shared)


def _frames_at(frames: StackFrames, stacks: Index, depth: int) -> Index:
    """Return label and line of each stack's frame at a depth as one number, or `ENDED`."""
    frame = np.full(len(stacks), ENDED, dtype=np.int64)
    goes_on = np.flatnonzero(frames.depth[stacks] > depth)
    place = frames.start[stacks[goes_on]] + depth
    frame[goes_on] = frames.label[place]
    if frames.line is not None:
        frame[goes_on] = pair_numbers(frames.label[place], frames.line[place])
    return frame


def pair_numbers(label: I32, line: I32) -> Index:
    """Return label and line as one number that is not negative, in the order of both."""
    pair: Index = (label.astype(np.int64) << LINE_BITS) + line + LEAST_LINE
    return pair


def split_pairs(pair: Index) -> tuple[Index, Index]:
    """Return the label and the line of each number."""
    return pair >> LINE_BITS, (pair & (1 << LINE_BITS) - 1) - LEAST_LINE


def read_order(frames: StackFrames, nodes: Index) -> StackOrder | None:
    """Return the order of the stacks of one profile from the preorder numbers of their last nodes; None if they are not sorted.

    If every node is on a stack, those between the last nodes of two neighbors are the frames that they do not share. If some
    are on none, the neighbors would share more than that, and their next frames would not ascend.
    """
    if frames.count == 0:
        return None
    shared = frames.depth - np.diff(nodes, prepend=0)
    before, here = frames.depth[:-1], frames.depth[1:]
    least = shared[1:]
    if shared[0] != 0 or np.any((least < 0) | (least > before) | (least >= here)):
        return None
    goes_on = np.flatnonzero(least < before)
    label = frames.label
    if np.any(label[frames.start[goes_on] + least[goes_on]] >= label[frames.start[goes_on + 1] + least[goes_on]]):
        return None
    return StackOrder(np.arange(frames.count), shared)
