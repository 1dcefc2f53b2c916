"""How well each hypothesis explains what was measured, with the noise unknown.

A deploy's windows are y = level + a + e: `a` of the deploy (placement, caches: N(0, r² s)), `e` of the window (N(0, s)); the level is m
for good builds and m + D for bad ones. Nothing of it is told from outside: m and s have Jeffreys' prior, D is N(0, t² s) cut
off below LEAST_STEP, r and t are summed over a grid. All but the grid is integrated exactly (a linear model with a conjugate prior, see Gelman et
al., Bayesian Data Analysis, 3rd ed., 14.8), so few deploys give wide answers by themselves. Yes/no verdicts have unknown rates of
error with Beta priors.

One deploy in a hundred is taken to say the opposite, whatever the reason; in which ways that may have happened is summed over too.

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
ODD: Final = 0.01
"""How many deploys say the opposite: a bad node, an incident, the wrong image."""
MOST_ODD: Final = 3
"""Of them in one search: those that speak most against each hypothesis."""
RULED_OUT: Final = 20.0
"""Nats that speak against a hypothesis whatever deploys were odd."""
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
    y = means - centre
    inside = sum(float(np.sum((np.array(one.values) - np.mean(one.values)) ** 2)) for one in measured)
    bad = _bad_in(np.array([one.position for one in measured], dtype=np.int64), edges)
    fitted = _fitted(y, windows, inside, bad[:, np.newaxis])
    alone = _joined(fitted.log_likelihood)
    odd, possible = _odd(y, windows, bad, fitted, int(np.argmax(alone)))
    fitted = _fitted(y, windows, inside, bad[possible][:, np.newaxis] ^ odd)
    many = odd.sum(2)
    usual = len(measured) * float(np.log1p(-ODD))
    log_likelihood = fitted.log_likelihood + usual + (many * np.log(ODD / (1 - ODD)))[:, :, np.newaxis, np.newaxis]
    total: F64 = alone + usual
    total[possible] = _joined(log_likelihood)
    return total - float(np.log(SCALES.size)), _noise(log_likelihood, fitted, centre)


def _joined(log_likelihood: F64) -> F64:
    """Return [gaps] what all ways, ratios and scales say together."""
    flat = log_likelihood.reshape(len(log_likelihood), -1)
    top = flat.max(1)
    out: F64 = top + np.log(np.exp(flat - top[:, np.newaxis]).sum(1))
    return out


@dataclass(frozen=True)
class _Fitted:
    """[gaps, ways, ratios, scales] what fits best, where deploys are bad in so many ways."""

    log_likelihood: F64
    level: F64
    step: F64
    variance: F64


def _fitted(y: F64, windows: F64, inside: float, bad: NDArray[np.bool_]) -> _Fitted:
    """Fit level and step; `bad` [gaps, ways, deploys]."""
    weights = 1 / (1 / windows[:, np.newaxis] + RATIOS**2)  # [deploys, ratios]
    weights_y, weights_yy = weights * y[:, np.newaxis], weights * y[:, np.newaxis] ** 2
    all_, all_y, all_yy = (one.sum(0)[:, np.newaxis] for one in (weights, weights_y, weights_yy))
    as_number = bad.astype(np.float64)
    both, both_y = ((as_number @ one)[..., np.newaxis] for one in (weights, weights_y))
    tied = both + 1 / SCALES**2
    determinant = all_ * tied - both**2
    level = (tied * all_y - both * both_y) / determinant
    step = (all_ * both_y - both * all_y) / determinant
    squares = np.maximum(all_yy - level * all_y - step * both_y, 0.0) + inside + LEAST_SPREAD**2
    freedom = float(windows.sum())  # one less for the level, one more for the least spread
    spread = squares / freedom * all_ / determinant  # of the step: (A⁻¹)₂₂
    log_likelihood = (
        0.5 * np.log(weights).sum(0)[:, np.newaxis] - 0.5 * np.log(determinant) - np.log(SCALES) - freedom / 2 * np.log(squares)
        + np.log(np.maximum(stdtr(freedom, (step - LEAST_STEP * np.sqrt(squares / freedom)) / np.sqrt(spread)), 1e-300))
        - np.log(ndtr(-LEAST_STEP / SCALES)) + np.log(RARER)[:, np.newaxis]
    )  # fmt: skip
    return _Fitted(log_likelihood, level, step, squares / freedom)


def _odd(
    y: F64, windows: F64, bad: NDArray[np.bool_], fitted: _Fitted, best: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return [gaps, ways, deploys] which deploys may say the opposite, of [all gaps] those that may be true then.

    Those few that speak most against a hypothesis, in all ways; all others would only be less likely by being odd. Read off the
    levels of the best explanation. What the others still speak against rules out the rest of the hypotheses.
    """
    mass = np.exp(fitted.log_likelihood[best] - logsumexp(fitted.log_likelihood[best]))
    level, step, variance = (float((mass * one[best]).sum()) for one in (fitted.level, fitted.step, fitted.variance))
    ratio = float((mass.sum((0, 2)) * RATIOS**2).sum())
    as_bad = (y - level - step / 2) * step / (variance * (1 / windows + ratio))  # nats for being bad
    against = np.where(bad, -as_bad, as_bad)
    some = min(MOST_ODD, len(y))
    order = np.argsort(-against, axis=1, kind="stable")
    rest = np.maximum(np.take_along_axis(against, order[:, some:], axis=1), 0.0).sum(1)
    possible = rest <= max(RULED_OUT, float(rest.min()))
    ways = (np.arange(2**some)[:, np.newaxis] >> np.arange(some)) & 1 == 1  # [ways, some]
    shape = (int(possible.sum()), 2**some, some)
    out = np.zeros((*shape[:2], len(y)), dtype=np.bool_)
    worst = np.broadcast_to(order[possible, np.newaxis, :some], shape)
    np.put_along_axis(out, worst, np.broadcast_to(ways, shape), axis=2)
    return out, possible


def _noise(log_likelihood: F64, fitted: _Fitted, centre: float) -> Noise:
    """Return the noise as the best explanation sees it; a step it does not see is taken for a small one."""
    gap = int(np.argmax(_joined(log_likelihood)))
    mass = np.exp(log_likelihood[gap] - logsumexp(log_likelihood[gap]))
    window = float(np.sqrt((mass * fitted.variance[gap]).sum()))
    ratio = float(np.sqrt((mass.sum((0, 2)) * RATIOS**2).sum()))
    seen = float((mass * fitted.step[gap]).sum())
    return Noise(max(seen, window / 2), float((mass * fitted.level[gap]).sum()) + centre, window, ratio)
