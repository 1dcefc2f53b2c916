"""How unlikely it is that builds at the old level would rank as the new ones do: whatever shape the noise has."""

from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


def surprise(before: F64, after: F64, *, up: bool) -> float:
    """Return -log10 of the probability that so many builds of the old level lie as far out as those after the change.

    Each new build has the share of old ones that lie at least as far as its own p-value; together by Fisher's method: the sum
    of their negative logarithms is of a gamma distribution. Spikes that the series has had before surprise little.
    """
    sign = 1.0 if up else -1.0
    ordered = np.sort(sign * before)
    beyond = len(ordered) - np.searchsorted(ordered, sign * after, side="left")
    total = float(-np.sum(np.log((beyond + 0.5) / (len(ordered) + 1))))
    return -log_gamma_tail(total, len(after)) / log(10)


def most_surprise(before: int, after: int) -> float:
    """The most that so many builds could surprise: all of them beyond all of the old ones."""
    return -log_gamma_tail(after * log((before + 1) / 0.5), after) / log(10)


def log_gamma_tail(total: float, shape: int) -> float:
    """Logarithm of P(X >= total), X gamma distributed with a whole `shape` and scale 1, a sum of Poisson terms (Abramowitz and Stegun 26.4.21)."""
    if total <= 0:
        return 0.0
    terms = [index * log(total) - lgamma(index + 1) for index in range(shape)]
    most = max(terms)
    return min(0.0, most + log(sum(np.exp(term - most) for term in terms)) - total)
