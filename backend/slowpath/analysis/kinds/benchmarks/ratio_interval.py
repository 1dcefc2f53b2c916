"""An interval for the ratio of two samples that belongs to the Mann-Whitney test: it holds 1 where the test is silent.

All ratios candidate / base of single values, sorted; the bounds are as many from either end as the test's
distribution allows (Moses 1952; Hollander and Wolfe 1999, 4.3). No distribution is assumed but that the candidate's
is the base's times a factor.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from statistics import NormalDist

import numpy as np

# Beyond so many values a side, the normal approximation of the distribution is within 0.1 %.
EXACT_UP_TO = 20
MOST_VALUES = 200


def ratio_interval(
    base: Sequence[float], candidate: Sequence[float], confidence: float
) -> tuple[float, float, float] | None:
    """(low, high, confidence reached); with very few values less than `confidence` is reached. None with values <= 0.

    Of more than 200 values a side, 200 evenly chosen ones speak for all.
    """
    left, right = (_thinned(np.sort(np.asarray(side, dtype=np.float64))) for side in (base, candidate))
    if len(left) == 0 or len(right) == 0 or left[0] <= 0 or right[0] <= 0:
        return None
    ratios = np.sort((right[:, None] / left[None, :]).ravel())
    cut, reached = _cut(len(left), len(right), confidence)
    return float(ratios[cut]), float(ratios[-1 - cut]), reached


def _thinned(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    if len(values) <= MOST_VALUES:
        return values
    return values[np.linspace(0, len(values) - 1, MOST_VALUES).round().astype(np.int64)]


@lru_cache(maxsize=1_024)
def _cut(base: int, candidate: int, confidence: float) -> tuple[int, float]:
    """(how many ratios lie outside at each end, confidence of what lies between)."""
    tail = (1 - confidence) / 2
    if max(base, candidate) > EXACT_UP_TO:
        spread = (base * candidate * (base + candidate + 1) / 12) ** 0.5
        cut = int(base * candidate / 2 + NormalDist().inv_cdf(tail) * spread)
        return max(0, min(cut, (base * candidate - 1) // 2)), confidence
    ways, below, cut = _ways(base, candidate), 0, 0
    whole = comb(base + candidate, base)
    while (below + ways[cut]) / whole <= tail:
        below += ways[cut]
        cut += 1
    if cut == 0:  # too few values: the whole range, and less sure of it
        return 0, max(0.0, 1 - 2 / whole)
    return cut - 1, 1 - 2 * below / whole


def _ways(base: int, candidate: int) -> list[int]:
    """How many orders of all values give each U: coefficients of the Gaussian binomial (Mann and Whitney 1947)."""
    ways = [1]
    for step in range(1, base + 1):
        grown = ways + [0] * (candidate + step)
        for i in range(len(ways)):
            grown[i + candidate + step] -= ways[i]
        for i in range(step, len(grown)):
            grown[i] += grown[i - step]
        ways = grown[: step * candidate + 1]
    return ways
