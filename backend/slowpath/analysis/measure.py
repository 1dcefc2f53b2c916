"""What every profile says of every subject: rows are subjects, columns profiles, values raw (ns, bytes, counts)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.frames import I32, Frames, Index
from slowpath.analysis.sets import Sets
from slowpath.analysis.stacks import Stacks

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Measured:
    """Stacks with the values of each profile on them: `own[p]` is (stacks, values), snapshots taken away negative."""

    stacks: Stacks
    own: tuple[tuple[Index, F64], ...]

    def by_group(self, group: Index, groups: int) -> F64:
        """Values summed by a number given to each stack: (groups x profiles)."""
        rows = [np.bincount(group[where], weights=values, minlength=groups) for where, values in self.own]
        return np.stack(rows, axis=1)

    def weighted(self, scale: F64) -> F64:
        """Per stack, the sum over profiles of value times the profile's scale."""
        total = np.zeros(self.stacks.frames.count)
        for (where, values), factor in zip(self.own, scale, strict=True):
            total[where] += values * factor
        return total


def measure(stacks: Stacks, sets: Sets) -> Measured:
    """Lay the profiles of `sets` on their stacks."""
    found = stacks.values([artifact.table for artifact in sets.artifacts], sets.sample_type_of)
    own = tuple((where, values * sign) for (where, values), sign in zip(found, sets.sign, strict=True))
    return Measured(stacks, own)


@dataclass(frozen=True)
class Occurrences:
    """Which functions stand on which stacks, each once per stack: the outermost occurrence.

    `owner` and `label` are of all frames; `first` leaves out repeated ones (None: no stack repeats a function).
    """

    frames: Frames
    owner: I32
    label: I32
    first: Mask | None
    labels: int

    @classmethod
    def of(cls, frames: Frames, labels: int) -> "Occurrences":
        """Find recursion and mark what it repeats."""
        owner = frames.owner()
        return cls(frames, owner, frames.label, _first_of_each(frames, owner, frames.label, labels), labels)

    def sums(self, value: F64) -> F64:
        """Per function, the sum of `value` (per stack) over the stacks it stands on."""
        weight = value[self.owner]
        if self.first is not None:
            weight *= self.first
        return np.bincount(self.label, weights=weight, minlength=self.labels)

    def rows(self, measured: Measured) -> F64:
        """Totals with all that is called: (functions x profiles)."""
        rows = []
        for where, values in measured.own:
            if 3 * len(where) > self.frames.count:
                dense = np.zeros(self.frames.count)
                dense[where] = values
                rows.append(self.sums(dense))
                continue
            frames = self.frames.of(where)
            weight = np.repeat(values, self.frames.depth[where])
            if self.first is not None:
                weight *= self.first[frames]
            rows.append(np.bincount(self.label[frames], weights=weight, minlength=self.labels))
        return np.stack(rows, axis=1)

    def holding(self, label: int) -> Mask:
        """Which stacks hold a function."""
        mask = np.zeros(self.frames.count, dtype=np.bool_)
        mask[self.owner[self.label == label]] = True
        return mask


def _first_of_each(frames: Frames, owner: I32, group: I32, groups: int) -> Mask | None:
    """Per frame, whether no frame above it in the stack has the same group; None if that is so of all.

    Sorting (stack, group) pairs finds the stacks that repeat anything; only those are looked at again.
    """
    room = groups * frames.count
    kind = np.uint32 if room < 2**32 else np.uint64
    pair = owner.astype(kind) * kind(groups) + group.astype(kind)
    ordered = np.sort(pair)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(repeated) == 0:
        return None
    suspects = np.zeros(frames.count, dtype=np.bool_)
    suspects[np.unique(repeated // kind(groups)).astype(np.int64)] = True
    where = frames.of(np.flatnonzero(suspects))
    order = np.argsort(pair[where], kind="stable")
    again = np.concatenate([[False], pair[where][order][1:] == pair[where][order][:-1]])
    first = np.ones(len(owner), dtype=np.bool_)
    first[where[order[again]]] = False
    return first


def own_rows(measured: Measured, frames: Frames, labels: int) -> F64:
    """Values of stacks that end in each function: (functions x profiles)."""
    leaf = np.zeros(frames.count, dtype=np.int64)
    filled = frames.depth > 0
    leaf[filled] = frames.label[frames.start[1:][filled] - 1]
    return measured.by_group(leaf, labels)
