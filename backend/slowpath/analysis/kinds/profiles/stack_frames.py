"""Stacks end to end in one array, and what can be asked of all of them at once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]
I32 = NDArray[np.int32]
U64 = NDArray[np.uint64]

_ODD = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class StackFrames:
    """Stacks end to end: stack s is `label[start[s]:start[s + 1]]`, root first; `line` likewise, or None."""

    start: Index
    label: I32
    line: I32 | None = None

    @property
    def count(self) -> int:
        """Number of stacks."""
        return len(self.start) - 1

    @cached_property
    def depth(self) -> Index:
        """Number of frames of each stack. Not to be written to."""
        return np.diff(self.start)

    def owner(self) -> I32:
        """The stack that each frame belongs to."""
        return np.repeat(np.arange(self.count, dtype=np.int32), self.depth)

    def owner_of(self, frames: Index) -> Index:
        """The stacks that these frames (positions, ascending or not) belong to."""
        return np.searchsorted(self.start, frames, side="right") - 1

    def of(self, stacks: Index) -> Index:
        """Positions of all frames of these stacks, stack after stack."""
        depth = self.depth[stacks]
        ends = np.cumsum(depth)
        return np.repeat(self.start[stacks] - (ends - depth), depth) + np.arange(int(ends[-1]) if len(ends) else 0)


def number_equal(hashed: U64) -> tuple[Index, Index]:
    """Number equal values alike, in order of first appearance: (number of each, first appearance of each number).

    That order keeps what was near in a file near in memory, which is worth half of the time of a walk.
    """
    if len(hashed) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    order = np.argsort(hashed)
    ordered = hashed[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    first = np.minimum.reduceat(order, starts)
    by_appearance = np.argsort(first)
    rank = np.empty(len(first), dtype=np.int64)
    rank[by_appearance] = np.arange(len(first))
    ids = np.empty(len(hashed), dtype=np.int64)
    ids[order] = np.repeat(rank, np.diff(np.concatenate([starts, [len(hashed)]])))
    return ids, first[by_appearance]


def path_hash(frames: StackFrames) -> U64:
    """A 64-bit hash of each stack's frames (and lines)."""
    running = _running(frames)
    return running[frames.start[1:]] - running[frames.start[:-1]]


def prefix_hashes(frames: StackFrames) -> U64:
    """Of each frame, a hash of what lies above it in its stack (0 at the root)."""
    running = _running(frames)
    prefix: U64 = running[:-1] - np.repeat(running[frames.start[:-1]], frames.depth)
    return prefix


def _running(frames: StackFrames) -> U64:
    """Running sum of mixed frames, each times a power of an odd constant by its distance from the root."""
    key = frames.label.astype(np.uint64) + np.uint64(1)
    if frames.line is not None:
        key |= frames.line.astype(np.uint32).astype(np.uint64) << np.uint64(32)
    within = np.arange(len(key)) - np.repeat(frames.start[:-1], frames.depth)
    terms = mixed(key) * _powers(int(frames.depth.max(initial=0)))[within]
    return np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)])


def _powers(count: int) -> U64:
    powers = np.full(count + 1, _ODD, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


def mixed(key: U64) -> U64:
    """Finaliser of splitmix64 (Steele, Lea, Flood 2014): near keys become far hashes."""
    z = key + np.uint64(_ODD)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    spread: U64 = z ^ (z >> np.uint64(31))
    return spread


def merged(frames: StackFrames) -> tuple[Index, StackFrames]:
    """(number of each stack after equal ones became one, the remaining stacks)."""
    ids, first = number_equal(path_hash(frames))
    return ids, taken(frames, first)


def taken(frames: StackFrames, stacks: Index) -> StackFrames:
    """Only these stacks, in this order."""
    where = frames.of(stacks)
    return StackFrames(
        start=np.concatenate([[0], np.cumsum(frames.depth[stacks])]),
        label=frames.label[where],
        line=None if frames.line is None else frames.line[where],
    )
