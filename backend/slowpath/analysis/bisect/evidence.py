"""How well each hypothesis explains what was measured, with the noise unknown.

A deploy's windows are y = level + a + e: `a` of the deploy (placement, caches: N(0, r² s)), `e` of the window (N(0, s)); the level is m
for good builds and m + D for bad ones. Nothing of it is told from outside: m and s have Jeffreys' prior, D is N(0, t² s) cut
off below LEAST_STEP, r and t are summed over a grid. All but the grid is integrated exactly (a linear model with a conjugate prior, see Gelman et
al., Bayesian Data Analysis, 3rd ed., 14.8), so few deploys give wide answers by themselves. Yes/no verdicts have unknown rates of
error with Beta priors.

Only where a deploy stands matters, so hypotheses between two neighbouring deploys are alike: there is one row for each gap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, logsumexp, ndtr, stdtr

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

RATIOS: Final = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.4, 2.0, 3.0])
"""Spread between deploys over spread between windows."""
RARER: Final = np.exp(-RATIOS) / np.exp(-RATIOS).sum()
"""How much each is believed before."""
SCALES: Final = np.array([2.0, 4.0, 8.0, 16.0, 64.0])
"""How large a step may be, in spreads between windows."""
LEAST_STEP: Final = 1.0
"""In spreads between windows: a smaller one would take hundreds of deploys, and believing in it would hide that nothing steps."""
LEAST_SPREAD: Final = 0.005
"""Noise below half a percent is not believed in (numbers come as logarithms, or in units of the good level)."""
WRONG, RIGHT = 0.5, 9.5
"""Beta prior of a verdict being wrong."""


@dataclass(frozen=True)
class Measured:
    """What one deploy gave: where it stands, its numbers (a larger one is worse), its verdicts."""

    position: int
    values: tuple[float, ...] = ()
    good: int = 0
    bad: int = 0


@dataclass(frozen=True)
class Noise:
    """What is believed of the noise, for choosing what to measure next."""

    step: float
    """Bad level minus good level."""
    level: float
    """Of good builds."""
    window: float
    """Spread (standard deviation) between windows of one deploy."""
    ratio: float
    """Spread between deploys over `window`."""
    false_bad: float = WRONG / (WRONG + RIGHT)
    false_good: float = WRONG / (WRONG + RIGHT)

    def apart(self, windows: int) -> float:
        """Return how many standard deviations good and bad are apart in the mean of so many windows of a deploy."""
        return self.step / (self.window * float(np.sqrt(self.ratio**2 + 1 / windows)))


@dataclass(frozen=True)
class Explained:
    """[gaps] log likelihoods; gap i holds the hypotheses edges[i] < h <= edges[i + 1], with open ends."""

    edges: I64
    """[gaps - 1] positions at which something was deployed."""
    log_likelihood: F64
    noise: Noise | None
    """Nothing: there are no numbers yet."""

    def spread(self, hypotheses: int) -> F64:
        """Return [hypotheses] log likelihoods."""
        rows = np.searchsorted(self.edges, np.arange(hypotheses), side="left")
        out: F64 = self.log_likelihood[rows]
        return out


def explain(measured: Sequence[Measured]) -> Explained:
    """Weigh all hypotheses against what was measured."""
    some = [one for one in measured if one.values or one.good or one.bad]
    edges = np.unique(np.array([one.position for one in some], dtype=np.int64))
    said = _verdicts(some, edges)
    numbers = [one for one in some if one.values]
    if len(numbers) < 2:
        return Explained(edges, said, None)
    told, noise = _numbers(numbers, edges)
    return Explained(edges, said + told, noise)


def _bad_in(positions: I64, edges: I64) -> NDArray[np.bool_]:
    """[gaps, deploys] whether each deploy is bad: hypotheses of gap g lie above edges[g - 1] and at most at edges[g]."""
    gaps = np.arange(len(edges) + 1)[:, np.newaxis]
    out: NDArray[np.bool_] = np.searchsorted(edges, positions)[np.newaxis, :] >= gaps
    return out


def _verdicts(measured: Sequence[Measured], edges: I64) -> F64:
    bad = _bad_in(np.array([one.position for one in measured], dtype=np.int64), edges)
    goods, bads = (np.array([getattr(one, name) for one in measured], dtype=float) for name in ("good", "bad"))
    missed, seen = (bad * goods).sum(1), (bad * bads).sum(1)
    alarms, passed = (~bad * bads).sum(1), (~bad * goods).sum(1)
    out: F64 = betaln(WRONG + missed, RIGHT + seen) + betaln(WRONG + alarms, RIGHT + passed) - 2 * betaln(WRONG, RIGHT)
    return out


def _numbers(measured: Sequence[Measured], edges: I64) -> tuple[F64, Noise]:
    windows = np.array([len(one.values) for one in measured], dtype=float)
    means = np.array([np.mean(one.values) for one in measured])
    centre = float(np.median(means))
    means = means - centre
    inside = sum(float(np.sum((np.array(one.values) - np.mean(one.values)) ** 2)) for one in measured)
    weights = (1 / (1 / windows[:, np.newaxis] + RATIOS**2))[np.newaxis]
    bad = _bad_in(np.array([one.position for one in measured], dtype=np.int64), edges)[:, :, np.newaxis]
    y = means[np.newaxis, :, np.newaxis]
    all_, both = weights.sum(1), (weights * bad).sum(1)
    all_y, both_y, all_yy = (weights * y).sum(1), (weights * y * bad).sum(1), (weights * y * y).sum(1)
    all_, both, all_y, both_y, all_yy = (one[:, :, np.newaxis] for one in (all_, both, all_y, both_y, all_yy))
    tied = both + 1 / SCALES**2
    determinant = all_ * tied - both**2
    level = (tied * all_y - both * both_y) / determinant
    step = (all_ * both_y - both * all_y) / determinant
    squares = np.maximum(all_yy - level * all_y - step * both_y, 0.0) + inside + LEAST_SPREAD**2
    freedom = float(windows.sum())  # one less for the level, one more for the least spread
    spread = squares / freedom * all_ / determinant  # of the step: (A⁻¹)₂₂
    log_likelihood = (
        0.5 * np.log(weights).sum(1)[:, :, np.newaxis] - 0.5 * np.log(determinant) - np.log(SCALES) - freedom / 2 * np.log(squares)
        + np.log(np.maximum(stdtr(freedom, (step - LEAST_STEP * np.sqrt(squares / freedom)) / np.sqrt(spread)), 1e-300))
        - np.log(ndtr(-LEAST_STEP / SCALES)) + np.log(RARER)[:, np.newaxis]
    )  # fmt: skip
    total: F64 = logsumexp(log_likelihood, axis=(1, 2)) - np.log(SCALES.size)
    return total, _noise(log_likelihood, step, level + centre, squares / freedom)


def _noise(log_likelihood: F64, step: F64, level: F64, variance: F64) -> Noise:
    """Return the noise as the best explanation sees it; a step it does not see is taken for a small one."""
    gap = int(np.argmax(logsumexp(log_likelihood, axis=(1, 2))))
    mass = np.exp(log_likelihood[gap] - logsumexp(log_likelihood[gap]))
    window = float(np.sqrt((mass * variance[gap]).sum()))
    ratio = float(np.sqrt((mass.sum(1) * RATIOS**2).sum()))
    seen = float((mass * step[gap]).sum())
    return Noise(max(seen, window / 2), float((mass * level[gap]).sum()), window, ratio)
