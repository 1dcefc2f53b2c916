"""Captures that are close in time are alike: what that does to the difference between two sets of captures.

Neighboring captures share the state of the machine and of the process, so half the mean squared difference of two
captures (the semivariogram) grows with the time between them. Sides captured one after the other pay for the gap
between them; sides captured alternately pay nothing. The shape of the semivariogram cannot be learned from one
comparison: it was learned on A/A captures. Its scale is always estimated within the sides of the comparison itself.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

# More captures a side than this are thinned out evenly: the mean over pairs of times does not change by it.
MOST_TIMES = 200
# Two captures at the same moment would have nothing between them; time is resolved to this many seconds.
RESOLUTION = 1e-3


@dataclass(frozen=True)
class Semivariogram:
    """Relative growth of the difference with the time between two captures: (h / (h + reach))^exponent.

    A power of time at first, level after some times `reach` seconds: beyond that, captures are independent.
    """

    exponent: float
    reach: float

    def at(self, seconds: F64) -> F64:
        """Of each distance in time."""
        return np.power(seconds / (seconds + self.reach), self.exponent)

    def mean(self, a: F64, b: F64) -> float:
        """Mean over all pairs of a capture of `a` and a capture of `b`; 0 of a capture with itself."""
        return float(self.at(np.abs(_thinned(a)[:, np.newaxis] - _thinned(b)[np.newaxis, :])).mean())

    def of_difference(self, a: F64, b: F64) -> float:
        """Variance of the difference of the means of two sets of captures."""
        return max(0.0, 2 * self.mean(a, b) - self.mean(a, a) - self.mean(b, b))

    def within(self, times: F64) -> float:
        """Mean over pairs of different captures: what the sample variance of one set estimates."""
        count = len(_thinned(times))
        return self.mean(times, times) * count / (count - 1) if count > 1 else 0.0

    def inflation(self, base: F64, candidate: F64) -> float:
        """By how much the variance of the difference exceeds the one computed from the spread within the sides.

        At least 1: captures taken alternately differ by less than that, but a share of every spread is not serial.
        """
        counted = self.within(base) / len(base) + self.within(candidate) / len(candidate)
        if min(len(base), len(candidate)) < 2 or counted <= 0:
            return 1.0
        return max(1.0, self.of_difference(base, candidate) / counted)


def _thinned(times: F64) -> F64:
    if len(times) <= MOST_TIMES:
        return times
    return times[np.linspace(0, len(times) - 1, MOST_TIMES).astype(np.int64)]


def interleaved(base: F64, candidate: F64) -> bool:
    """Whether the sides were captured in turns: neither lies outside the time of the other for the most part."""
    order = np.argsort(np.concatenate([base, candidate]), kind="stable")
    sides = (np.arange(len(order)) >= len(base))[order]
    changes = int(np.count_nonzero(sides[1:] != sides[:-1]))
    return changes >= min(len(base), len(candidate))


def gain_of_alternation(semivariogram: Semivariogram, base: F64, candidate: F64) -> float:
    """By which factor the standard error would shrink if the same captures had been taken alternately."""
    both = np.sort(np.concatenate([base, candidate]))
    swapped = min(len(base), len(candidate)) * 2
    chosen = np.concatenate([both[:swapped:2], both[1:swapped:2], both[swapped:]])
    half = swapped // 2
    alternated = semivariogram.inflation(chosen[:half], chosen[half:])
    return float(np.sqrt(semivariogram.inflation(base, candidate) / alternated))
