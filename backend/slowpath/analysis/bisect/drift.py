"""Drift of the environment, seen by a control that stays deployed while others come and go.

The control's level is a random walk seen through noise (a local level model, Harvey 1989, 2.3). Only where it explains the control's numbers clearly
better than a constant is the walk's smoothed course taken off everything that was measured at the same time.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from slowpath.analysis.bisect.evidence import F64

LEAST_ROUNDS: Final = 4
CLEARLY: Final = 3.3
"""Gain in log likelihood: one constant control in a hundred gains as much (half a chi-squared of one degree)."""
WALKS: Final = np.array([0.0, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0])
"""Variance of a step of the walk over that of a window."""


def course(readings: Mapping[int, Sequence[float]]) -> dict[int, float]:
    """Return how far the environment lay off at each round; empty where it stayed as it was.

    `readings` are the control's windows by round. Rounds between two are in between as well.
    """
    rounds = sorted(one for one, values in readings.items() if values)
    if len(rounds) < LEAST_ROUNDS:
        return {}
    first, last = rounds[0], rounds[-1]
    seen = [tuple(readings.get(one, ())) for one in range(first, last + 1)]
    found = [_filtered(seen, float(walk)) for walk in WALKS]
    best = int(np.argmax([one[0] for one in found]))
    if found[best][0] - found[0][0] < CLEARLY:
        return {}
    levels = _smoothed(found[best][1], found[best][2], float(WALKS[best]))
    middle = float(np.mean(levels))
    return {first + number: float(level) - middle for number, level in enumerate(levels)}


def _filtered(seen: Sequence[Sequence[float]], walk: float) -> tuple[float, F64, F64]:
    """Return log likelihood (noise integrated out), levels and their variances (in units of a window's) by a Kalman filter."""
    values = np.concatenate([np.array(one, dtype=float) for one in seen])
    level, variance = float(np.mean(seen[0])), 1 / len(seen[0])
    squares = float(np.sum((np.array(seen[0]) - level) ** 2))
    levels, variances, spread = [level], [variance], 0.0
    for some in seen[1:]:
        variance += walk
        for value in some:
            surprise, expected = value - level, variance + 1
            squares += surprise**2 / expected
            spread += float(np.log(expected))
            level += variance / expected * surprise
            variance /= expected
        levels.append(level)
        variances.append(variance)
    freedom = len(values) - 1
    return -0.5 * spread - freedom / 2 * float(np.log(squares + 1e-12)), np.array(levels), np.array(variances)


def _smoothed(levels: F64, variances: F64, walk: float) -> F64:
    """Return the course in hindsight (Rauch, Tung and Striebel)."""
    out = levels.copy()
    for at in range(len(levels) - 2, -1, -1):
        gain = variances[at] / (variances[at] + walk)
        out[at] = levels[at] + gain * (out[at + 1] - levels[at])
    return out
