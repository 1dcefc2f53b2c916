"""Model the serial dependence of captures, and its effect on the difference between two sets of captures.

Neighboring captures share the state of the machine and of the process, so half the mean squared difference of two captures
(the semivariogram) grows with the time between them. It adds variance to sides captured one after the other, but not to
sides captured alternately. The shape of the semivariogram cannot be learned from one comparison: it was learned on A/A
captures. Its scale is always estimated within the sides of the comparison itself.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

# More captures per side are thinned evenly, which does not change the mean over pairs of times.
MOST_TIMES = 200
# Time resolution in seconds, so that simultaneous captures have a distance.
RESOLUTION = 1e-3


@dataclass(frozen=True)
class Semivariogram:
    """Relative growth of the difference with the time between two captures: (h / (h + reach))^exponent.

    A power of time at first, level after some times `reach` seconds: beyond that, captures are independent.
    """

    exponent: float
    reach: float

    def at(self, seconds: F64) -> F64:
        """Return the growth for each distance in time."""
        return np.power(seconds / (seconds + self.reach), self.exponent)

    def mean(self, a: F64, b: F64) -> float:
        """Return the mean over all pairs of a capture of `a` and one of `b`; 0 for a capture with itself."""
        return float(self.at(np.abs(_thin(a)[:, np.newaxis] - _thin(b)[np.newaxis, :])).mean())

    def of_difference(self, a: F64, b: F64) -> float:
        """Return the variance of the difference of the means of two sets of captures."""
        return max(0.0, 2 * self.mean(a, b) - self.mean(a, a) - self.mean(b, b))

    def within(self, times: F64) -> float:
        """Return the mean over pairs of different captures: what the sample variance of one set estimates."""
        count = len(_thin(times))
        return self.mean(times, times) * count / (count - 1) if count > 1 else 0.0

    def inflation(self, base: F64, candidate: F64) -> float:
        """Return how much the variance of the difference exceeds the one computed from the variation within the sides.

        At least 1: alternating captures differ by less, but part of all variation is not serial.
        """
        from_within = self.within(base) / len(base) + self.within(candidate) / len(candidate)
        if min(len(base), len(candidate)) < 2 or from_within <= 0:
            return 1.0
        return max(1.0, self.of_difference(base, candidate) / from_within)


def _thin(times: F64) -> F64:
    if len(times) <= MOST_TIMES:
        return times
    return times[np.linspace(0, len(times) - 1, MOST_TIMES).astype(np.int64)]


def interleaved(base: F64, candidate: F64) -> bool:
    """Return whether the sides were captured alternately: neither is mostly outside the time of the other."""
    order = np.argsort(np.concatenate([base, candidate]), kind="stable")
    sides = (np.arange(len(order)) >= len(base))[order]
    changes = int(np.count_nonzero(sides[1:] != sides[:-1]))
    return changes >= min(len(base), len(candidate))


def gain_of_alternation(semivariogram: Semivariogram, base: F64, candidate: F64) -> float:
    """Return the factor by which the standard error would shrink with alternating captures."""
    both = np.sort(np.concatenate([base, candidate]))
    swapped = min(len(base), len(candidate)) * 2
    chosen = np.concatenate([both[:swapped:2], both[1:swapped:2], both[swapped:]])
    half = swapped // 2
    alternated = semivariogram.inflation(chosen[:half], chosen[half:])
    return float(np.sqrt(semivariogram.inflation(base, candidate) / alternated))
