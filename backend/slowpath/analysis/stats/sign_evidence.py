"""Evidence from the signs of paired differences, valid at every number of pairs.

If the order within a pair is drawn at random and both sides are equal, each sign is a fair coin, whatever the drift,
autocorrelation and outliers of the environment. A bet on the signs is then a nonnegative martingale (an e-process): the
probability that it ever reaches 1 / level is at most `level` (Ville's inequality), so that it may be read after each pair.
"""

import math
from collections.abc import Sequence
from typing import Final

BETS: Final = ((0.2, 0.15), (0.5, 0.2), (0.8, 0.2), (1.0, 0.45))
"""Share that is bet on the sign, and its weight: small bets survive more signs of the other kind."""


def log_evidence(positive: int, negative: int) -> float:
    """Return the natural logarithm of the e-value that positive signs are more likely than negative ones."""
    total = sum(weight * (1 + bet) ** positive * (1 - bet) ** negative for bet, weight in BETS)
    return math.log(total) if total > 0 else -math.inf


def lower_bound(differences: Sequence[float], level: float) -> float:
    """Return a lower bound of the shift of differences, which is wrong at any number of pairs with probability `level`.

    -inf while there are too few. The bound holds for differences that are symmetric about the shift.
    """
    ordered, required = sorted(differences), math.log(1 / level)
    bound = -math.inf
    for index, one in enumerate(ordered):
        if log_evidence(len(ordered) - index, index) < required:
            break
        bound = one
    return bound


def upper_bound(differences: Sequence[float], level: float) -> float:
    """Return the upper bound of the shift; see `lower_bound`."""
    return -lower_bound([-one for one in differences], level)
