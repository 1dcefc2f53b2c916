"""How well each hypothesis explains what was measured, with the noise unknown.

A deploy's windows are y = level + a + e: `a` of the deploy (placement, caches: N(0, r² s)), `e` of the window (N(0, s)); the level is m
for good builds and m + D for bad ones. Nothing of it is told from outside: m and s have Jeffreys' prior, D is N(0, t² s) cut
off below LEAST_STEP, r and t are summed over a grid. All but the grid is integrated exactly (a linear model with a conjugate prior, see Gelman et
al., Bayesian Data Analysis, 3rd ed., 14.8), so few deploys give wide answers by themselves. Yes/no verdicts have unknown rates of
error with Beta priors.

That the environment may wander meanwhile is summed over as well where it may be (`drift_model`).

Some deploys say the opposite, whatever the reason; in which ways that may have happened is summed over too, and how often it does is learned.

Only where a deploy stands matters, so hypotheses between two neighbouring deploys are alike: there is one row for each gap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, ndtr, stdtr

from slowpath.analysis.bisect import drift_model
from slowpath.analysis.bisect.drift_model import DriftHypotheses, RoundCells, cells_of, walks_of

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

RATIOS: Final = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.4, 2.0, 3.0])
"""Spread between deploys over spread between windows."""
RATIO_DECAY: Final = 5.0
"""How fast belief falls with the ratio where no earlier run measured it. A few deploys that differ by more change it soon: where half of the variance is the
deployment's (ratio 1), 148 of 150 named culprits were right, as where a tenth is; a slower decay costs probes."""
RATIO_TRUST: Final = 5.0
"""How fast belief falls with the distance of a ratio's logarithm from one measured in an earlier run, whose own error there is about 0.2."""
RATIO_FLOOR: Final = 0.2
"""Ratios below this are alike: added before logarithms are compared."""
SCALES: Final = np.array([2.0, 4.0, 8.0, 16.0, 64.0])
"""How large a step may be, in spreads between windows."""
LEAST_STEP: Final = 1.0
"""In spreads between windows: a smaller one would take hundreds of deploys, and believing in it would hide that nothing steps."""
LEAST_SPREAD: Final = 0.005
"""Noise below half a percent is not believed in (numbers come as logarithms, or in units of the good level)."""
ODD: Final = 0.01
"""Share of deployments expected to show the opposite: a bad node, an incident, the wrong image. The deployments of the culprit and of the build before it
decide; only a second deployment of the same build tells whether one of them was odd."""
ODD_WEIGHT: Final = 50.0
"""How many deployments of earlier experience that share counts for, half an odd one among them, as in Jeffreys' prior. The search's own deployments are added: about
twenty without an odd one lower the share to 0.7 %, one odd one raises it to 2 % and more, so that second deployments are spent where deployments do go wrong."""
MANY: Final = 50
"""Windows from which on Student's t is as good as a Gauss."""
MOST_ODD: Final = 3
"""Of them in one search: those that speak most against each hypothesis."""
RULED_OUT: Final = 20.0
"""Nats that speak against a hypothesis whatever deploys were odd."""
FAINTLY: Final = -3.0
"""Nats: that the environment walks is summed over too unless it is so much less likely."""
WRONG, RIGHT = 0.5, 9.5
"""Beta prior of a verdict being wrong."""


@dataclass(frozen=True)
class ProbeReadings:
    """What one deploy gave: where it stands, its numbers (a larger one is worse), its verdicts."""

    position: int
    values: tuple[float, ...] = ()
    good: int = 0
    bad: int = 0
    rounds: tuple[int, ...] = ()
    """When each number was measured; nothing: all at the same time."""


@dataclass(frozen=True)
class NoiseEstimate:
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
    walks: float = 0.0
    """How much it is believed that the environment drifts."""
    off: Mapping[int, float] = field(default_factory=dict)
    """Where it lay then, by round."""

    def apart(self, windows: int) -> float:
        """Return how many standard deviations good and bad are apart in the mean of so many windows of a deploy."""
        return self.step / (self.window * float(np.sqrt(self.ratio**2 + 1 / windows)))


@dataclass(frozen=True)
class Levels:
    """[gaps] what each hypothesis expects of one more deploy, with the noise summed over."""

    good: F64
    bad: F64
    good_variance: F64
    """Of the level itself, as far as it is not known."""
    bad_variance: F64
    window: F64
    """Variance between windows of one deploy."""
    between: F64
    """Variance between deploys."""

    def variance(self, windows: int) -> tuple[F64, F64]:
        """Return [gaps] the variances of the mean of so many windows of one more good and one more bad deploy."""
        noise = self.between + self.window / windows
        return self.good_variance + noise, self.bad_variance + noise

    def with_rows(self, rows: NDArray[np.bool_], some: "Levels") -> "Levels":
        """Return these with some rows replaced."""
        pairs = ((getattr(self, one.name).copy(), getattr(some, one.name)) for one in fields(self))
        replaced = []
        for whole, part in pairs:
            whole[rows] = part
            replaced.append(whole)
        return Levels(*replaced)


@dataclass(frozen=True)
class LogLikelihoods:
    """[gaps] log likelihoods; gap i holds the hypotheses edges[i] < h <= edges[i + 1], with open ends."""

    edges: I64
    """[gaps - 1] positions at which something was deployed."""
    log_likelihood: F64
    noise: NoiseEstimate | None
    """Nothing: there are no numbers yet."""
    levels: Levels | None = None
    """Nothing: there are no numbers yet."""

    def spread(self, hypotheses: int) -> F64:
        """Return [hypotheses] log likelihoods."""
        rows = np.searchsorted(self.edges, np.arange(hypotheses), side="left")
        out: F64 = self.log_likelihood[rows]
        return out


def ratio_prior(ratios: F64, between: float | None = None) -> F64:
    """Return the prior of the spread between deploys over that between windows; `between` was measured in earlier runs."""
    if between is None:
        weight = np.exp(-RATIO_DECAY * ratios)
    else:
        weight = np.exp(-RATIO_TRUST * np.abs(np.log((ratios + RATIO_FLOOR) / (between + RATIO_FLOOR))))
    out: F64 = weight / weight.sum()
    return out


def odd_chances(deployments: int) -> F64:
    """Return [MOST_ODD + 1] log probabilities that 0, 1, ... given ones of so many deployments are odd and the others are not.

    The rate is summed over its Beta prior, so it is learned from the deployments (Gelman et al., Bayesian Data Analysis, 3rd ed., 2.4).
    """
    many = np.arange(MOST_ODD + 1)
    odd, usual = ODD * ODD_WEIGHT, (1 - ODD) * ODD_WEIGHT
    out: F64 = betaln(odd + many, usual + np.maximum(deployments - many, 0)) - betaln(odd, usual)
    return out


def log_likelihoods(measured: Sequence[ProbeReadings], between: float | None = None) -> LogLikelihoods:
    """Weigh all hypotheses against what was measured; `between` is the ratio of spreads in earlier runs of the same environment."""
    some = [one for one in measured if one.values or one.good or one.bad]
    edges = np.unique(np.array([one.position for one in some], dtype=np.int64))
    said = _verdicts(some, edges)
    numbers = [one for one in some if one.values]
    if len(numbers) < 2:
        return LogLikelihoods(edges, said, None)
    told, noise, levels = _numbers(numbers, edges, between)
    return LogLikelihoods(edges, said + told, noise, levels)


def _bad_in(positions: I64, edges: I64) -> NDArray[np.bool_]:
    """[gaps, deploys] whether each deploy is bad: hypotheses of gap g lie above edges[g - 1] and at most at edges[g]."""
    gaps = np.arange(len(edges) + 1)[:, np.newaxis]
    out: NDArray[np.bool_] = np.searchsorted(edges, positions)[np.newaxis, :] >= gaps
    return out


def _verdicts(measured: Sequence[ProbeReadings], edges: I64) -> F64:
    bad = _bad_in(np.array([one.position for one in measured], dtype=np.int64), edges)
    goods, bads = (np.array([getattr(one, name) for one in measured], dtype=float) for name in ("good", "bad"))
    missed, seen = (bad * goods).sum(1), (bad * bads).sum(1)
    alarms, passed = (~bad * bads).sum(1), (~bad * goods).sum(1)
    out: F64 = betaln(WRONG + missed, RIGHT + seen) + betaln(WRONG + alarms, RIGHT + passed) - 2 * betaln(WRONG, RIGHT)
    return out


def _numbers(measured: Sequence[ProbeReadings], edges: I64, between: float | None) -> tuple[F64, NoiseEstimate, Levels]:
    centre = float(np.median([np.mean(one.values) for one in measured]))
    values = [tuple(value - centre for value in one.values) for one in measured]
    bad = _bad_in(np.array([one.position for one in measured], dtype=np.int64), edges)
    still = _StationaryNoise(values, ratio_prior(RATIOS, between))
    fitted = _fitted(still, bad[:, np.newaxis])
    cells = cells_of(values, [one.rounds or (0,) * len(one.values) for one in measured])
    walks = None if cells is None else _walking(cells, fitted, bad, ratio_prior(drift_model.RATIOS, between))
    noises: _Noises = still if walks is None else walks
    if walks is not None:
        fitted = _fitted(walks, bad[:, np.newaxis])
    alone = _joined(fitted.log_likelihood)
    best = int(np.argmax(alone))
    means, windows = _without_course(values, noises, fitted, bad[best], best)
    plain = _levels(fitted.log_likelihood, fitted)
    odd, possible = _odd(means, windows, bad, fitted, best)
    fitted = _fitted(noises, bad[possible][:, np.newaxis] ^ odd)
    chances = odd_chances(len(measured))
    log_likelihood = fitted.log_likelihood + chances[odd.sum(2)][:, :, np.newaxis, np.newaxis]
    total: F64 = alone + chances[0]
    total[possible] = _joined(log_likelihood)
    found = _noise(log_likelihood, fitted, centre)
    if walks is not None:
        believed, off = _wandered(walks, log_likelihood, fitted, bad[possible][:, np.newaxis] ^ odd)
        found = replace(found, walks=believed, off=off)
    levels = plain.with_rows(possible, _levels(log_likelihood, fitted))
    return total - float(np.log(SCALES.size)), found, levels


def _walking(cells: RoundCells, still: "_BestFit", bad: NDArray[np.bool_], prior: F64) -> DriftHypotheses | None:
    """Return the noises of an environment that walks; nothing where any hypothesis is explained better by one that stands still."""
    flat = _joined(still.log_likelihood)
    mass = np.exp(still.log_likelihood[int(np.argmax(flat))] - flat.max())
    usual = np.array([float(np.sqrt((mass.sum((0, 2)) * still.ratios**2).sum()))])
    tried = walks_of(cells, usual, np.ones(1))
    told = _fitted(tried, bad[:, np.newaxis]).log_likelihood.max((0, 1, 3))
    return walks_of(cells, drift_model.RATIOS, prior) if float(logsumexp(told[1:]) - told[0]) > FAINTLY else None


def _without_course(
    values: Sequence[tuple[float, ...]], noises: "_Noises", fitted: "_BestFit", bad: NDArray[np.bool_], best: int
) -> tuple[F64, F64]:
    """Return [deploys] means with the believed course of the environment taken off, and how many windows there are."""
    means = np.array([np.mean(one) for one in values])
    windows = np.array([len(one) for one in values], dtype=float)
    if isinstance(noises, DriftHypotheses):
        off = _course(noises, fitted, (best, 0), bad)
        cells = noises.cells
        means = np.bincount(cells.deploys, (cells.means - off) * cells.windows) / windows
    return means, windows


def _course(walks: DriftHypotheses, fitted: "_BestFit", which: tuple[int, int], bad: NDArray[np.bool_]) -> F64:
    """Return [cells] how far the environment lay off as one explanation sees it."""
    noise, scale = np.unravel_index(int(np.argmax(fitted.log_likelihood[which])), fitted.log_likelihood.shape[2:])
    level, step = fitted.level[(*which, noise, scale)], fitted.step[(*which, noise, scale)]
    return walks.course(int(noise), walks.cells.means - level - step * bad[walks.cells.deploys])


def _wandered(
    walks: DriftHypotheses, log_likelihood: F64, fitted: "_BestFit", bad: NDArray[np.bool_]
) -> tuple[float, dict[int, float]]:
    """Return how much it is believed that the environment walks, and its course by round as the best explanation sees it."""
    gap = int(np.argmax(_joined(log_likelihood)))
    mass = np.exp(log_likelihood[gap] - logsumexp(log_likelihood[gap])).sum((0, 2))
    way = int(np.argmax(log_likelihood[gap].max((1, 2))))
    off = _course(walks, fitted, (gap, way), bad[gap, way])
    by_round = {int(one): float(off[walks.cells.rounds == one].mean()) for one in np.unique(walks.cells.rounds)}
    return min(float(mass[walks.steps > 0].sum()), 1.0), by_round


def logsumexp(some: F64) -> float:
    """Return the logarithm of a sum of what is given by its logarithms."""
    top = float(some.max())
    return top + float(np.log(np.exp(some - top).sum()))


def _joined(log_likelihood: F64) -> F64:
    """Return [gaps] what all ways, ratios and scales say together."""
    flat = log_likelihood.reshape(len(log_likelihood), -1)
    top = flat.max(1)
    out: F64 = top + np.log(np.exp(flat - top[:, np.newaxis]).sum(1))
    return out


@dataclass(frozen=True)
class _BestFit:
    """[gaps, ways, ratios, scales] what fits best, where deploys are bad in so many ways."""

    log_likelihood: F64
    level: F64
    step: F64
    variance: F64
    level_spread: F64
    """Variance of the level over that of a window, as far as it is not known."""
    bad_spread: F64
    """The same of the level of bad builds."""
    ratios: F64
    """[noises]"""


class _StationaryNoise:
    """[noises] what noise there may be where the environment stands still: only the spread between deploys is open."""

    def __init__(self, values: Sequence[tuple[float, ...]], prior: F64) -> None:
        """Of windows by deploy; `prior` [noises]."""
        windows = np.array([len(one) for one in values], dtype=float)
        self._y = np.array([np.mean(one) for one in values])
        self._weights = 1 / (1 / windows[:, np.newaxis] + RATIOS**2)  # [deploys, noises]
        self.ratios, self.prior = RATIOS, np.log(prior)
        self.log_determinant = np.log(self._weights).sum(0)
        self.windows = float(windows.sum())
        self.inside = sum(float(((np.array(one) - np.mean(one)) ** 2).sum()) for one in values)

    def sums(self, bad: NDArray[np.bool_]) -> tuple[F64, F64, F64, F64, F64, F64]:
        """As `DriftHypotheses.sums`."""
        weights, y, flags = self._weights, self._y[:, np.newaxis], bad.astype(np.float64)
        twice = flags @ weights
        return weights.sum(0), (weights * y).sum(0), (weights * y**2).sum(0), twice, flags @ (weights * y), twice


def _student(freedom: float, off: F64) -> F64:
    """Return how much of Student's t lies below; a Gauss is the same from MANY on, and four times as quick."""
    return np.asarray(stdtr(freedom, off) if freedom < MANY else ndtr(off), dtype=np.float64)


_Noises = _StationaryNoise | DriftHypotheses


def _fitted(noises: _Noises, bad: NDArray[np.bool_]) -> _BestFit:
    """Fit level and step; `bad` [gaps, ways, deploys]."""
    sums = noises.sums(bad)
    all_, all_y, all_yy, both, both_y, twice = (one[..., np.newaxis] for one in sums)
    tied = twice + 1 / SCALES**2
    determinant = all_ * tied - both**2
    level = (tied * all_y - both * both_y) / determinant
    step = (all_ * both_y - both * all_y) / determinant
    squares = np.maximum(all_yy - level * all_y - step * both_y, 0.0) + noises.inside + LEAST_SPREAD**2
    freedom = noises.windows  # one less for the level, one more for the least spread
    spread = squares / freedom * all_ / determinant  # of the step: (A⁻¹)₂₂
    log_likelihood = (
        (0.5 * noises.log_determinant + noises.prior)[:, np.newaxis] - 0.5 * np.log(determinant) - np.log(SCALES) - freedom / 2 * np.log(squares)
        + np.log(np.maximum(_student(freedom, (step - LEAST_STEP * np.sqrt(squares / freedom)) / np.sqrt(spread)), 1e-300))
        - np.log(ndtr(-LEAST_STEP / SCALES))
    )  # fmt: skip
    return _BestFit(
        log_likelihood, level, step, squares / freedom, tied / determinant, (tied + all_ - 2 * both) / determinant, noises.ratios
    )  # fmt: skip


def _odd(
    y: F64, windows: F64, bad: NDArray[np.bool_], fitted: _BestFit, best: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return [gaps, ways, deploys] which deploys may say the opposite, of [all gaps] those that may be true then.

    Those few that speak most against a hypothesis, in all ways; all others would only be less likely by being odd. Read off the
    levels of the best explanation. What the others still speak against rules out the rest of the hypotheses.
    """
    mass = np.exp(fitted.log_likelihood[best] - logsumexp(fitted.log_likelihood[best]))
    level, step, variance = (float((mass * one[best]).sum()) for one in (fitted.level, fitted.step, fitted.variance))
    ratio = float((mass.sum((0, 2)) * fitted.ratios**2).sum())
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


def _levels(log_likelihood: F64, fitted: _BestFit) -> Levels:
    """Return what each hypothesis expects of one more deploy."""
    mass = np.exp(log_likelihood - log_likelihood.max((1, 2, 3), keepdims=True))
    mass /= mass.sum((1, 2, 3), keepdims=True)

    def mean(some: F64) -> F64:
        out: F64 = (mass * some).sum((1, 2, 3))
        return out

    step = np.maximum(fitted.step, LEAST_STEP * np.sqrt(fitted.variance))
    level, variance = fitted.level, fitted.variance
    good, bad = mean(level), mean(level + step)
    return Levels(
        good, bad,
        mean(variance * fitted.level_spread + level**2) - good**2, mean(variance * fitted.bad_spread + (level + step) ** 2) - bad**2,
        mean(variance), mean(variance * fitted.ratios[:, np.newaxis] ** 2),
    )  # fmt: skip


def _noise(log_likelihood: F64, fitted: _BestFit, centre: float) -> NoiseEstimate:
    """Return the noise as the best explanation sees it; a step it does not see is taken for a small one."""
    gap = int(np.argmax(_joined(log_likelihood)))
    mass = np.exp(log_likelihood[gap] - logsumexp(log_likelihood[gap]))
    window = float(np.sqrt((mass * fitted.variance[gap]).sum()))
    ratio = float(np.sqrt((mass.sum((0, 2)) * fitted.ratios**2).sum()))
    seen = float((mass * fitted.step[gap]).sum())
    return NoiseEstimate(max(seen, window / 2), float((mass * fitted.level[gap]).sum()) + centre, window, ratio)
