"""Sums over profiles for every segment of a tree, and the moments for estimates."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.estimates.rate_estimates import ReplicateSums
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization, ProfileSets
from slowpath.analysis.kinds.profiles.sets.stack_values import StackValues
from slowpath.analysis.kinds.profiles.stacks.stack_segments import StackSegments
from slowpath.analysis.stats.distinct_values import distinct_values

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class SegmentSums:
    """Sums over profiles for every segment: all its nodes have these; `own_...` is of stacks that end at the last one.

    `squares[b]` is for basis b: (base, candidate).
    """

    own_base: F64
    own_candidate: F64
    base: F64
    candidate: F64
    squares: tuple[tuple[F64, F64], ...]
    weights: tuple[tuple[float, float], ...]
    replicates: tuple[int, int]

    def moments(self, basis: int) -> tuple[ReplicateSums, ReplicateSums]:
        """Return the moments for estimates on one basis."""
        return (
            ReplicateSums(self.replicates[0], self.weights[basis][0], self.base, self.squares[basis][0]),
            ReplicateSums(self.replicates[1], self.weights[basis][1], self.candidate, self.squares[basis][1]),
        )


def sum_segments(
    measured: StackValues, segments: StackSegments, sets: ProfileSets, bases: tuple[Normalization, ...]
) -> SegmentSums:
    """Sum in one pass over the replicates of both sides, with dense arrays of one replicate at a time."""
    own, total, squares, weights, replicates = [], [], [], [], []
    for side in (sets.is_base, ~sets.is_base):
        numbers = np.flatnonzero(side)
        side_own, side_total = np.zeros(segments.count), np.zeros(segments.count)
        side_squares = [np.zeros(segments.count) for _ in bases]
        runs = sets.replicate[numbers]
        for run in distinct_values(runs):
            members = numbers[runs == run]
            dense = np.zeros(segments.frames.count)
            for profile in members:
                where, values = measured.own[profile]
                dense[where] += values
                side_own += segments.own(where, values)
            here = segments.totals(dense)
            side_total += here
            square = np.square(here)
            for number, basis in enumerate(bases):
                weight = float(basis.weights[members].sum())
                if weight > 0:
                    side_squares[number] += square / weight
        own.append(side_own)
        total.append(side_total)
        squares.append(side_squares)
        weights.append([float(basis.weights[numbers].sum()) for basis in bases])
        replicates.append(len(distinct_values(runs)))
    return SegmentSums(
        own_base=own[0],
        own_candidate=own[1],
        base=total[0],
        candidate=total[1],
        squares=tuple(zip(squares[0], squares[1], strict=True)),
        weights=tuple(zip(weights[0], weights[1], strict=True)),
        replicates=(replicates[0], replicates[1]),
    )
