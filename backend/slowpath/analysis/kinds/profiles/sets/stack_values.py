"""The values of every profile by subject.

Rows are subjects, columns profiles, values raw (ns, bytes, counts).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by
from slowpath.analysis.kinds.profiles.sets.profile_sets import ProfileSets
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import DistinctStacks
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index, StackFrames

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class StackValues:
    """Stacks with the values of each profile: `own[p]` is (stacks, values), subtracted snapshots negative."""

    stacks: DistinctStacks
    own: tuple[tuple[Index, F64], ...]

    def by_group(self, group: Index, groups: int) -> F64:
        """Sum values by a number given to each stack: (groups x profiles)."""
        rows = [sum_by(group[where], values, groups) for where, values in self.own]
        return np.stack(rows, axis=1)

    def weighted(self, scale: F64) -> F64:
        """Return per stack the sum over profiles of value times the profile's scale."""
        total = np.zeros(self.stacks.frames.count)
        for (where, values), factor in zip(self.own, scale, strict=True):
            total[where] += values * factor
        return total


def lay_out_stack_values(stacks: DistinctStacks, sets: ProfileSets) -> StackValues:
    """Assign the values of the profiles of `sets` to their stacks."""
    by_profile = stacks.values([artifact.table for artifact in sets.artifacts], sets.sample_type_of)
    own = tuple((where, values * sign) for (where, values), sign in zip(by_profile, sets.sign, strict=True))
    return StackValues(stacks, own)


# Frames are processed in slices of about this many: temporary arrays stay small and in the cache.
SLICE_FRAMES = 262_144
# So few that the lookup table for repetitions stays in the cache, too.
LOOKED_UP_FRAMES = 32_768
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: the high bits of products are spread evenly


@dataclass(frozen=True)
class FunctionOccurrences:
    """Which functions occur on which stacks, each once per stack: `first` marks the outermost occurrence.

    `first` is None if no stack repeats a function. `groups` is the number of functions.
    """

    frames: StackFrames
    first: Mask | None
    groups: int

    @classmethod
    def of(cls, frames: StackFrames, groups: int, suspects: Mask | None = None) -> "FunctionOccurrences":
        """Find recursion and mark repeated frames; the frames' labels number the groups.

        `suspects`: which labels may occur on a stack more than once, if that is known.
        """
        return cls(frames, _first_of_each(frames, groups, suspects), groups)

    def sums(self, value: F64) -> F64:
        """Return per function the sum of `value` (per stack) over its stacks."""
        total = np.zeros(self.groups)
        for low, high in slices(self.frames):
            total += self._sums(
                np.arange(low, high), value[low:high], slice(self.frames.start[low], self.frames.start[high])
            )
        return total

    def _sums(self, stacks: Index, value: F64, where: slice | Index) -> F64:
        weight = np.repeat(value, self.frames.depth[stacks])
        if self.first is not None:
            weight *= self.first[where]
        return sum_by(self.frames.label[where], weight, self.groups)

    def rows(self, measured: StackValues) -> F64:
        """Return totals including callees: (functions x profiles)."""
        rows = []
        for stacks, values in measured.own:
            if 3 * len(stacks) > self.frames.count:
                dense = np.zeros(self.frames.count)
                dense[stacks] = values
                rows.append(self.sums(dense))
            else:
                rows.append(self._sums(stacks, values, self.frames.of(stacks)))
        return np.stack(rows, axis=1)

    def sums_beneath(self, label: int, value: F64) -> F64:
        """Return per function the sum of `value` over the stacks on which it is below the function `label`."""
        stacks = np.flatnonzero(self.holding(label) & (value != 0))
        where = self.frames.of(stacks)
        owner = np.repeat(np.arange(len(stacks)), self.frames.depth[stacks])
        found = np.flatnonzero(self.frames.label[where] == label)
        _, outermost = np.unique(owner[found], return_index=True)
        beneath = np.arange(len(where)) > found[outermost][owner]
        if self.first is not None:
            beneath &= self.first[where]
        return sum_by(self.frames.label[where[beneath]], value[stacks[owner[beneath]]], self.groups)

    def holding(self, label: int) -> Mask:
        """Return which stacks contain a function."""
        mask = np.zeros(self.frames.count, dtype=np.bool_)
        mask[self.frames.owner_of(np.flatnonzero(self.frames.label == label))] = True
        return mask


def slices(frames: StackFrames, most: int = SLICE_FRAMES) -> Iterator[tuple[int, int]]:
    """Yield ranges of stacks (low, high) with at most `most` frames, or one stack."""
    low = 0
    while low < frames.count:
        high = int(np.searchsorted(frames.start, frames.start[low] + most, side="right")) - 1
        high = min(max(high, low + 1), frames.count)
        yield low, high
        low = high


def _first_of_each(frames: StackFrames, groups: int, suspects: Mask | None) -> Mask | None:
    """Return per frame whether no frame above it in the stack has the same label.

    None if that holds for all. Each (stack, label) pair is looked up by hash in a small table that holds the outermost
    pair with this hash. A pair that finds an equal pair repeats it. A pair that finds a different one with the same
    hash is compared by sorting.
    """
    if suspects is not None and not suspects.any():
        return None
    first = np.ones(len(frames.label), dtype=np.bool_)
    repeats = False
    for low, high in slices(frames, LOOKED_UP_FRAMES):
        begin = int(frames.start[low])
        label = frames.label[begin : int(frames.start[high])]
        owner = np.repeat(np.arange(high - low, dtype=np.uint64), frames.depth[low:high])
        at = None if suspects is None else np.flatnonzero(suspects[label])
        if at is not None:
            label, owner = label[at], owner[at]
        repeated = _repeated(owner * np.uint64(groups) + label.astype(np.uint64))
        if len(repeated):
            repeats = True
            first[begin + (repeated if at is None else at[repeated])] = False
    return first if repeats else None


def _repeated(pairs: NDArray[np.uint64]) -> Index:
    """Return the positions of pairs that also occur at an earlier position."""
    bits = max(4, (4 * len(pairs)).bit_length())
    place = np.arange(len(pairs), dtype=np.int32)
    slot = (pairs * _ODD >> np.uint64(64 - bits)).view(np.int64)
    table = np.empty(1 << bits, dtype=np.int32)
    table[slot[::-1]] = place[::-1]  # of several pairs in one slot, the last write is the outermost
    holder = table[slot]
    not_first = np.flatnonzero(holder != place)
    same = pairs[holder[not_first]] == pairs[not_first]
    collisions = not_first[~same]
    order = collisions[np.argsort(pairs[collisions], kind="stable")]
    return np.concatenate([not_first[same], order[1:][pairs[order][1:] == pairs[order][:-1]]])


def own_rows(measured: StackValues, frames: StackFrames, labels: int) -> F64:
    """Return the values of stacks that end in each function: (functions x profiles)."""
    leaf = np.zeros(frames.count, dtype=np.int64)
    filled = frames.depth > 0
    leaf[filled] = frames.label[frames.start[1:][filled] - 1]
    return measured.by_group(leaf, max(labels, 1))[:labels]  # stacks may have no function
