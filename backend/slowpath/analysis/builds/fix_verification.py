"""Whether a regression is over: later builds held against both the good and the bad ones.

Finding a change asks whether anything happened in any series; here it is known which series, and what both levels are. So
two builds can be enough where finding a change takes many.
"""

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
Proof = Literal["fixed", "improved", "still"]

FLOOR: Final = 0.02
"""So near to the good level is as good as it."""
LEAST_BUILDS: Final = 2
"""On either side: one build may be luck."""
SURE: Final = 4.5
"""Standard errors between the bad level and the new one: every build since is tried as its first."""
AGREE: Final = 2.5
"""Standard deviations that a new build may lie from the middle of them."""
REACH: Final = 1.96
HALF_WAY: Final = 0.5
"""Of the way from good to bad (in logarithms): what may reach so far up is not fixed for certain."""
MAD: Final = 1.4826
LEAST_NOISE: Final = 0.005
MOST_GOOD: Final = 60
MEMORY: Final = 1.25
"""Neighbouring builds are more alike than chance: errors are taken for so much larger."""


@dataclass(frozen=True)
class RecoveryEvidence:
    """A new level from the build `index` on: against the good level (`ratio` with its interval), all in the series' unit."""

    proof: Proof
    index: int
    good: float
    bad: float
    now: float
    ratio: float
    low: float
    high: float


def evaluate_recovery(
    values: F64, good_until: int, bad_from: int, *, higher_is_worse: bool = True
) -> RecoveryEvidence | None:
    """Return how the newest builds stand between both levels; None while they are as bad, or nothing is sure.

    `values` [builds] in order, NaN where unknown; builds before `good_until` are good, those from `bad_from` on bad until
    shown otherwise. "improved": better than good for certain; "fixed": as good, and not half as bad, for all that can be
    seen; "still": better than bad, yet worse than good, for certain.
    """
    sign = 1.0 if higher_is_worse else -1.0
    good = _logs(values[max(0, good_until - MOST_GOOD) : good_until], sign)
    places = bad_from + np.flatnonzero(np.isfinite(values[bad_from:]) & (values[bad_from:] > 0))
    later = sign * np.log(values[places])
    if len(good) < LEAST_BUILDS or len(later) < 2 * LEAST_BUILDS:
        return None
    noise = _noise(good)
    cuts = range(LEAST_BUILDS, len(later) - LEAST_BUILDS + 1)
    at = min(cuts, key=lambda cut: float(later[:cut].var() * cut + later[cut:].var() * (len(later) - cut)))
    bad, new = later[:at], later[at:]
    if float(bad.mean() - new.mean()) < SURE * noise * sqrt(1 / len(bad) + 1 / len(new)):
        return None
    if float(np.abs(new - np.median(new)).max()) > AGREE * noise:
        return None  # they are not of one level yet
    return _held_against(good, later, at, index=int(places[at]), noise=noise, sign=sign)


def _held_against(good: F64, later: F64, at: int, *, index: int, noise: float, sign: float) -> RecoveryEvidence | None:
    base, bad, new = float(good.mean()), float(later[:at].mean()), float(later[at:].mean())
    reach = REACH * noise * sqrt(1 / len(good) + 1 / (len(later) - at))
    against, low, high = new - base, new - base - reach, new - base + reach
    proof: Proof | None = None
    if bad - new < log(1 + FLOOR) or bad <= base:
        return None
    if high < -log(1 + FLOOR):
        proof = "improved"
    elif low > log(1 + FLOOR):
        proof = "still"
    elif high <= max(HALF_WAY * (bad - base), log(1 + FLOOR)):
        proof = "fixed"
    if proof is None:
        return None
    return RecoveryEvidence(
        proof=proof,
        index=index,
        good=exp(sign * base),
        bad=exp(sign * bad),
        now=exp(sign * new),
        ratio=exp(against),
        low=exp(low),
        high=exp(high),
    )


def _logs(values: F64, sign: float) -> F64:
    known = values[np.isfinite(values) & (values > 0)]
    logs: F64 = sign * np.log(known)
    return logs


def _noise(good: F64) -> float:
    """Standard deviation between builds of one level, robust: an outlier among the good ones is no noise."""
    return MEMORY * max(MAD * float(np.median(np.abs(good - np.median(good)))), LEAST_NOISE)
