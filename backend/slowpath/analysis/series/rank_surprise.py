"""Compute how unlikely the ranks of new builds are at the old level, whatever the distribution of the noise."""

from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

MAD = 1.4826
# Beyond all values of a young series, the tail is assumed to be that of Student's t with 3 degrees of freedom, the
# heaviest expected noise: from its furthest build (or two deviations) on it falls with the third power, up to this
# distance.
WIDTHS, TAIL, FURTHEST = 2.0, 3.0, 3.0


def rank_surprise(before: F64, after: F64, *, up: bool, is_young: bool = False) -> float:
    """Return -log10 of the probability that builds of the old level are as far out as those after the change.

    The p-value of each new build is the share of old ones at least as far out; they are combined by Fisher's method: the sum of
    their negative logarithms has a gamma distribution. Spikes like earlier ones of the series have little weight. `is_young`: with
    few old builds the distance beyond them counts too; never for fewer than three.
    """
    sign = 1.0 if up else -1.0
    ordered = np.sort(sign * before)
    beyond = len(ordered) - np.searchsorted(ordered, sign * after, side="left")
    chance = (beyond + 0.5) / (len(ordered) + 1)
    if is_young and len(after) > 2:
        chance = np.where(beyond > 0, chance, chance * _further(ordered, sign * after) ** -TAIL)
    return -log_gamma_tail(float(-np.sum(np.log(chance))), len(after)) / log(10)


def _further(before: F64, after: F64) -> F64:
    """[after] Return the distance of each from the median, relative to the furthest of the old ones."""
    middle = float(np.median(before))
    away = np.abs(before - middle)
    reach = max(float(away.max()), WIDTHS * MAD * float(np.median(away)), 1e-9)
    out: F64 = np.clip((after - middle) / reach, 1.0, FURTHEST)
    return out


def most_surprise(before: int, after: int, *, is_young: bool = False) -> float:
    """Return the maximum for that many builds: all of them beyond all of the old ones."""
    further = FURTHEST**TAIL if is_young and after > 2 else 1.0
    return -log_gamma_tail(after * log((before + 1) / 0.5 * further), after) / log(10)


def log_gamma_tail(total: float, shape: int) -> float:
    """Return log P(X >= total) of a gamma X (integer `shape`, scale 1) by Poisson terms (Abramowitz, Stegun 26.4.21)."""
    if total <= 0:
        return 0.0
    terms = [index * log(total) - lgamma(index + 1) for index in range(shape)]
    most = max(terms)
    return min(0.0, most + log(sum(np.exp(term - most) for term in terms)) - total)
