"""Evidence that paired differences are shifted, from their signs and sizes, valid at every number of pairs.

If the order within a pair is drawn at random and both sides are equal, each sign is a fair coin whatever the sizes are, and
whatever the drift, autocorrelation and outliers of the environment. A bet on each sign that depends only on its size and on
former pairs is then a nonnegative martingale (an e-process): the probability that it ever reaches 1 / level is at most
`level` (Ville's inequality), so that it may be read after each pair.

The bet is the probability of the sign under a model: differences are shifted by a multiple of their spread, and have tails
of Student's t. It has the largest expected growth if the model is right; a wrong model costs power, not validity. The
posterior of shift, spread and tail follows from former pairs with their sizes, so that large differences of a noisy
environment have less weight than those of a quiet one, and outliers have almost none.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

F64 = NDArray[np.float64]

SHIFTS: Final = (0.5, 1.0, 2.0, 8.0)
"""In units of the spread. Smaller ones are not found with 40 pairs, larger ones have the same bets."""
SPREADS: Final = tuple(np.geomspace(0.002, 0.5, 12))
"""Of the logarithms of ratios: from 0.2% to 50%."""
TAILS: Final = (1.0, 4.0, 50.0)
"""Degrees of freedom: from outliers in many pairs to almost none."""
BLOCK: Final = 8
"""Shifts that are tested together."""
HALVINGS: Final = 8

_SHIFT, _SPREAD, _TAIL = (one.ravel() for one in np.meshgrid(SHIFTS, SPREADS, TAILS))
_CONSTANT = (
    gammaln((_TAIL + 1) / 2) - gammaln(_TAIL / 2) - 0.5 * np.log(_TAIL * math.pi) - np.log(_SPREAD) - math.log(_TAIL.size)
)  # fmt: skip


def log_evidence(differences: Sequence[float], shifts: Sequence[float] | F64) -> F64:
    """Return for each shift the natural logarithm of the e-value that the differences, in order of time, exceed it."""
    found: F64 = _log_factors(differences, shifts).sum(axis=1)
    return found


def log_evidence_path(differences: Sequence[float], shift: float) -> F64:
    """Return the evidence that differences exceed a shift after each of them."""
    return np.cumsum(_log_factors(differences, [shift])[0])


def lower_bound(differences: Sequence[float], level: float) -> float:
    """Return a lower bound of the shift of differences, which is wrong at any number of pairs with probability `level`.

    -inf while there are too few. The bound holds for differences that are symmetric about the shift.
    """
    ordered, required = np.sort(np.asarray(differences, float)), math.log(1 / level)
    below = _find_rejected(differences, float(ordered[0]), required)
    for start in range(0, len(ordered), BLOCK):
        block = ordered[start : start + BLOCK]
        accepted = np.flatnonzero(log_evidence(differences, block) < required)
        if accepted.size:
            at = int(accepted[0])
            return _refine(differences, float(block[at - 1]) if at else below, float(block[at]), required)
        below = float(block[-1])
    return below


def upper_bound(differences: Sequence[float], level: float) -> float:
    """Return the upper bound of the shift; see `lower_bound`."""
    return -lower_bound([-one for one in differences], level)


def _log_factors(differences: Sequence[float], shifts: Sequence[float] | F64) -> F64:
    """Return for each shift what each difference contributes: the logarithm of twice the probability of its sign."""
    moved = np.asarray(differences, float)[None, :] - np.asarray(shifts, float)[:, None]
    positive, negative = _log_densities(moved), _log_densities(-moved)
    former = np.cumsum(positive, axis=1) - positive
    posterior = np.exp(former - former.max(axis=2, keepdims=True))
    above, below = (np.sum(posterior * np.exp(one), axis=2) for one in (positive, negative))
    found: F64 = np.log(2 * above / (above + below))
    return found


def _find_rejected(differences: Sequence[float], smallest: float, required: float) -> float:
    """Return a shift below all differences that is rejected; -inf without one."""
    below = smallest - np.asarray(SPREADS) * SHIFTS[-1]
    rejected = below[log_evidence(differences, below) >= required]
    return float(rejected[0]) if rejected.size else -math.inf


def _refine(differences: Sequence[float], rejected: float, accepted: float, required: float) -> float:
    """Return the largest shift found between both that is rejected."""
    if math.isinf(rejected):
        return rejected
    for _ in range(HALVINGS):
        middle = (rejected + accepted) / 2
        if log_evidence(differences, [middle])[0] >= required:
            rejected = middle
        else:
            accepted = middle
    return rejected


def _log_densities(values: F64) -> F64:
    """Return the logarithms of prior weight times density, on a new last axis of shift, spread and tail."""
    scaled = (values[..., None] - _SHIFT * _SPREAD) / _SPREAD
    found: F64 = _CONSTANT - (_TAIL + 1) / 2 * np.log1p(scaled * scaled / _TAIL)
    return found
