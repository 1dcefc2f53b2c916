"""How unlikely it is that builds at the old level would rank as the new ones do: whatever shape the noise has."""

from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

MAD = 1.4826
# Beyond all that a young series has shown, the tail is taken for that of Student's t with 3 degrees of freedom, the heaviest
# noise that is reckoned with: from its furthest build (or two deviations) on it falls with the third power, no further than this.
WIDTHS, TAIL, FURTHEST = 2.0, 3.0, 3.0


def rank_surprise(before: F64, after: F64, *, up: bool, is_young: bool = False) -> float:
    """Return -log10 of the probability that so many builds of the old level lie as far out as those after the change.

    Each new build has the share of old ones that lie at least as far as its own p-value; together by Fisher's method: the sum
    of their negative logarithms is of a gamma distribution. Spikes that the series has had before surprise little.
    `is_young`: there are few old builds, so that how far beyond them a new one lies counts too; never of fewer than three.
    """
    sign = 1.0 if up else -1.0
    ordered = np.sort(sign * before)
    beyond = len(ordered) - np.searchsorted(ordered, sign * after, side="left")
    chance = (beyond + 0.5) / (len(ordered) + 1)
    if is_young and len(after) > 2:
        chance = np.where(beyond > 0, chance, chance * _further(ordered, sign * after) ** -TAIL)
    return -log_gamma_tail(float(-np.sum(np.log(chance))), len(after)) / log(10)


def _further(before: F64, after: F64) -> F64:
    """[after] How many times as far from the middle each lies as the furthest of the old ones."""
    middle = float(np.median(before))
    away = np.abs(before - middle)
    reach = max(float(away.max()), WIDTHS * MAD * float(np.median(away)), 1e-9)
    out: F64 = np.clip((after - middle) / reach, 1.0, FURTHEST)
    return out


def most_surprise(before: int, after: int, *, is_young: bool = False) -> float:
    """The most that so many builds could surprise: all of them beyond all of the old ones."""
    further = FURTHEST**TAIL if is_young and after > 2 else 1.0
    return -log_gamma_tail(after * log((before + 1) / 0.5 * further), after) / log(10)


def log_gamma_tail(total: float, shape: int) -> float:
    """Logarithm of P(X >= total), X gamma distributed with a whole `shape` and scale 1, a sum of Poisson terms (Abramowitz and Stegun 26.4.21)."""
    if total <= 0:
        return 0.0
    terms = [index * log(total) - lgamma(index + 1) for index in range(shape)]
    most = max(terms)
    return min(0.0, most + log(sum(np.exp(term - most) for term in terms)) - total)
