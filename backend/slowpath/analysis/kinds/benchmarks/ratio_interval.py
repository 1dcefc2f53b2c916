"""Compute an interval for the ratio of two samples that matches the Mann-Whitney test.

It contains 1 if that is not significant. The bounds are order statistics of all ratios candidate / base of single
values, at the distance from either end that the test's distribution allows (Moses 1952; Hollander and Wolfe 1999, 4.3).
The only assumption is that the candidate's distribution is the base's times a factor.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from statistics import NormalDist

import numpy as np

# Above this many values per side the normal approximation of the distribution is within 0.1%.
EXACT_UP_TO = 20
MOST_VALUES = 200


def ratio_interval(
    base: Sequence[float], candidate: Sequence[float], confidence: float
) -> tuple[float, float, float] | None:
    """Return (low, high, confidence reached), less than `confidence` with very few values.

    None with values <= 0. More than 200 values per side are thinned to 200, evenly chosen.
    """
    left, right = (_thin(np.sort(np.asarray(side, dtype=np.float64))) for side in (base, candidate))
    if len(left) == 0 or len(right) == 0 or left[0] <= 0 or right[0] <= 0:
        return None
    ratios = np.sort((right[:, None] / left[None, :]).ravel())
    cut, reached = _cut(len(left), len(right), confidence)
    return float(ratios[cut]), float(ratios[-1 - cut]), reached


def _thin(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    if len(values) <= MOST_VALUES:
        return values
    return values[np.linspace(0, len(values) - 1, MOST_VALUES).round().astype(np.int64)]


@lru_cache(maxsize=1_024)
def _cut(base: int, candidate: int, confidence: float) -> tuple[int, float]:
    """Return (how many ratios are outside at each end, confidence of the interval)."""
    tail = (1 - confidence) / 2
    if max(base, candidate) > EXACT_UP_TO:
        spread = (base * candidate * (base + candidate + 1) / 12) ** 0.5
        cut = int(base * candidate / 2 + NormalDist().inv_cdf(tail) * spread)
        return max(0, min(cut, (base * candidate - 1) // 2)), confidence
    orders, below, cut = _count_orders(base, candidate), 0, 0
    all_orders = comb(base + candidate, base)
    while (below + orders[cut]) / all_orders <= tail:
        below += orders[cut]
        cut += 1
    if cut == 0:  # too few values: the full range, with less confidence
        return 0, max(0.0, 1 - 2 / all_orders)
    return cut - 1, 1 - 2 * below / all_orders


def _count_orders(base: int, candidate: int) -> list[int]:
    """Count the orders of all values for each U.

    Coefficients of the Gaussian binomial (Mann and Whitney 1947).
    """
    orders = [1]
    for step in range(1, base + 1):
        extended = orders + [0] * (candidate + step)
        for i in range(len(orders)):
            extended[i + candidate + step] -= orders[i]
        for i in range(step, len(extended)):
            extended[i] += extended[i - step]
        orders = extended[: step * candidate + 1]
    return orders
