"""Decide whether a regression is fixed: compare later builds with the good and the bad level.

Detection tests whether any of many series changed. Here the series and both levels are known, so two builds can be enough
where detection needs many.
"""

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
Proof = Literal["fixed", "improved", "still-slower"]

FLOOR: Final = 0.02
"""A level this close to the good level counts as equal."""
LEAST_BUILDS: Final = 2
"""On either side: one build may be chance."""
CLEAR_ERRORS: Final = 4.5
"""Standard errors between the bad level and the new one; strict, because every build since is tried as the first."""
SAME_LEVEL_DEVIATIONS: Final = 2.5
"""Standard deviations that a new build may be from their median."""
REACH: Final = 1.96
HALF_WAY: Final = 0.5
"""Part of the way from good to bad (in logarithms): a level that may be higher than this is not certainly fixed."""
MAD: Final = 1.4826
LEAST_NOISE: Final = 0.005
MAX_GOOD_BUILDS: Final = 60
AUTOCORRELATION_FACTOR: Final = 1.25
"""Autocorrelation: neighboring builds are more alike than chance, so standard errors are multiplied by this."""


@dataclass(frozen=True)
class RecoveryEvidence:
    """A new level from build `index` on, compared with the good level (`ratio` with its interval), in the series' unit."""

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
    """Compare the newest builds with both levels; None while they are as bad, or nothing is certain.

    `values` [builds] in order, NaN where unknown. Builds before `good_until` are good, those from `bad_from` on are bad until
    shown otherwise. "improved": certainly better than good. "fixed": as good, and certainly less than half as bad. "still-slower":
    certainly better than bad and certainly worse than good.
    """
    sign = 1.0 if higher_is_worse else -1.0
    good = _signed_logs(values[max(0, good_until - MAX_GOOD_BUILDS) : good_until], sign)
    positions = bad_from + np.flatnonzero(np.isfinite(values[bad_from:]) & (values[bad_from:] > 0))
    later = sign * np.log(values[positions])
    if len(good) < LEAST_BUILDS or len(later) < 2 * LEAST_BUILDS:
        return None
    noise = _noise(good)
    cuts = range(LEAST_BUILDS, len(later) - LEAST_BUILDS + 1)
    at = min(cuts, key=lambda cut: float(later[:cut].var() * cut + later[cut:].var() * (len(later) - cut)))
    bad, new = later[:at], later[at:]
    if float(bad.mean() - new.mean()) < CLEAR_ERRORS * noise * sqrt(1 / len(bad) + 1 / len(new)):
        return None
    if float(np.abs(new - np.median(new)).max()) > SAME_LEVEL_DEVIATIONS * noise:
        return None  # they are not at one level yet
    return _compare_with_good(good, later, at, index=int(positions[at]), noise=noise, sign=sign)


def _compare_with_good(
    good: F64, later: F64, at: int, *, index: int, noise: float, sign: float
) -> RecoveryEvidence | None:
    base, bad, new = float(good.mean()), float(later[:at].mean()), float(later[at:].mean())
    reach = REACH * noise * sqrt(1 / len(good) + 1 / (len(later) - at))
    change, low, high = new - base, new - base - reach, new - base + reach
    proof: Proof | None = None
    if bad - new < log(1 + FLOOR) or bad <= base:
        return None
    if high < -log(1 + FLOOR):
        proof = "improved"
    elif low > log(1 + FLOOR):
        proof = "still-slower"
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
        ratio=exp(change),
        low=exp(low),
        high=exp(high),
    )


def _signed_logs(values: F64, sign: float) -> F64:
    known = values[np.isfinite(values) & (values > 0)]
    logs: F64 = sign * np.log(known)
    return logs


def _noise(good: F64) -> float:
    """Return the standard deviation between builds of one level, robust against outliers."""
    return AUTOCORRELATION_FACTOR * max(MAD * float(np.median(np.abs(good - np.median(good)))), LEAST_NOISE)
