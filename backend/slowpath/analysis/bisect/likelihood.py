"""Rate how well each hypothesis explains the measurements, with the noise unknown.

A probe's measurements are y = level + a + e: `a` of the probe (placement, caches: N(0, r² s)), `e` of the measurement
(N(0, s)); the level is m for good builds and m + D for bad ones. None of these is given: m and s have Jeffreys' prior, D is
N(0, t² s) truncated below LEAST_STEP, r and t are summed over a grid. All but the grid is integrated exactly (a linear
model with a conjugate prior, see Gelman et al., Bayesian Data Analysis, 3rd ed., 14.8), so few probes give wide intervals.
Yes/no verdicts have unknown error rates with Beta priors.

Drift of the environment is marginalized where it is possible (`drift_model`). Some probes show the opposite for any
reason; the ways in which that may have happened are marginalized too, and their rate is learned. Only the position of a
probe matters, so hypotheses between two neighboring probes are equivalent: there is one row per gap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.bisect import drift_model
from slowpath.analysis.bisect.drift_model import DriftHypotheses, RoundCells, cells_of, walks_of
from slowpath.analysis.stats.distribution_functions import normal_cdf, student_cdf
from slowpath.analysis.stats.t_distribution import log_beta

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

RATIOS: Final = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.4, 2.0, 3.0])
"""Standard deviation between probes over that between measurements."""
RATIO_DECAY: Final = 5.0
"""Decay of the prior with the ratio if no earlier run measured it. A few probes with a larger ratio outweigh it: with half of
the variance from deployments (ratio 1), 148 of 150 named culprits were right, as with a tenth; a slower decay costs probes."""
RATIO_TRUST: Final = 5.0
"""Decay of the prior with the distance of a ratio's logarithm from an earlier measured one (error about 0.2)."""
RATIO_FLOOR: Final = 0.2
"""Ratios below this are equivalent: added before logarithms are compared."""
SCALES: Final = np.array([2.0, 4.0, 8.0, 16.0, 64.0])
"""Scale of a step, in standard deviations between measurements."""
LEAST_STEP: Final = 1.0
"""In standard deviations between measurements: a smaller step would take hundreds of probes and fit noise."""
LEAST_SPREAD: Final = 0.005
"""Smallest noise, half a percent (values are logarithms, or in units of the good level)."""
ODD: Final = 0.01
"""Share of deployments expected to show the opposite: a bad node, an incident, the wrong image. The deployments of the culprit
and of the build before it decide; only a second deployment of the same build shows whether one was odd."""
ODD_WEIGHT: Final = 50.0
"""Number of deployments that this prior share counts for, half an odd one among them, as in Jeffreys' prior. With the search's
deployments added, about twenty without an odd one lower the share to 0.7%, and one odd one raises it to 2% and more, so second
deployments are spent where deployments do go wrong."""
MANY: Final = 50
"""Degrees of freedom from which a normal distribution replaces Student's t."""
MOST_ODD: Final = 3
"""Maximum per search: the probes that contradict each hypothesis most."""
RULED_OUT: Final = 20.0
"""Nats against a hypothesis that exclude it whichever probes were odd."""
FAINTLY: Final = -3.0
"""Log odds of drift below which it is not marginalized."""
WRONG, RIGHT = 0.5, 9.5
"""Beta prior of a wrong verdict."""


@dataclass(frozen=True)
class ProbeReadings:
    """The position, values (larger is worse) and verdicts of one probe."""

    position: int
    values: tuple[float, ...] = ()
    good: int = 0
    bad: int = 0
    rounds: tuple[int, ...] = ()
    """The round of each value; empty: all in the same round."""


@dataclass(frozen=True)
class NoiseEstimate:
    """The noise estimate used to choose the next measurement."""

    step: float
    """Bad level minus good level."""
    level: float
    """Level of good builds."""
    window: float
    """Standard deviation between measurements of one probe."""
    ratio: float
    """Standard deviation between probes over `window`."""
    false_bad: float = WRONG / (WRONG + RIGHT)
    false_good: float = WRONG / (WRONG + RIGHT)
    walks: float = 0.0
    """Probability that the environment drifts."""
    off: Mapping[int, float] = field(default_factory=dict)
    """Offset of the environment by round."""

    def apart(self, windows: int) -> float:
        """Return the distance of good and bad in standard deviations of the mean of this many measurements."""
        return self.step / (self.window * float(np.sqrt(self.ratio**2 + 1 / windows)))


@dataclass(frozen=True)
class Levels:
    """[gaps] the prediction of each hypothesis for one more probe, with the noise marginalized."""

    good: F64
    bad: F64
    good_variance: F64
    """Uncertainty of the level itself."""
    bad_variance: F64
    window: F64
    """Variance between measurements of one probe."""
    between: F64
    """Variance between probes."""

    def variance(self, windows: int) -> tuple[F64, F64]:
        """Return [gaps] the variances of the mean of this many measurements of one more good and one more bad probe."""
        noise = self.between + self.window / windows
        return self.good_variance + noise, self.bad_variance + noise

    def with_rows(self, rows: NDArray[np.bool_], replacement: "Levels") -> "Levels":
        """Return a copy with some rows replaced."""
        pairs = ((getattr(self, one.name).copy(), getattr(replacement, one.name)) for one in fields(self))
        replaced = []
        for values, new_values in pairs:
            values[rows] = new_values
            replaced.append(values)
        return Levels(*replaced)


@dataclass(frozen=True)
class LogLikelihoods:
    """[gaps] log likelihoods; gap i holds the hypotheses edges[i] < h <= edges[i + 1], with open ends."""

    edges: I64
    """[gaps - 1] positions that were probed."""
    log_likelihood: F64
    noise: NoiseEstimate | None
    """None: no values yet."""
    levels: Levels | None = None
    """None: no values yet."""

    def spread(self, hypotheses: int) -> F64:
        """Return [hypotheses] log likelihoods."""
        rows = np.searchsorted(self.edges, np.arange(hypotheses), side="left")
        out: F64 = self.log_likelihood[rows]
        return out


def ratio_prior(ratios: F64, between: float | None = None) -> F64:
    """Return the prior of the deviation between probes over that between measurements; `between`: its earlier value."""
    if between is None:
        weight = np.exp(-RATIO_DECAY * ratios)
    else:
        weight = np.exp(-RATIO_TRUST * np.abs(np.log((ratios + RATIO_FLOOR) / (between + RATIO_FLOOR))))
    out: F64 = weight / weight.sum()
    return out


def odd_chances(deployments: int) -> F64:
    """Return [MOST_ODD + 1] log probabilities that 0, 1, ... given deployments are odd and the others are not.

    The rate is marginalized over its Beta prior (Gelman et al., Bayesian Data Analysis, 3rd ed., 2.4).
    """
    many = np.arange(MOST_ODD + 1)
    odd, usual = ODD * ODD_WEIGHT, (1 - ODD) * ODD_WEIGHT
    return log_beta(odd + many, usual + np.maximum(deployments - many, 0)) - _log_beta(odd, usual)


def _log_beta(a: float, b: float) -> float:
    return float(log_beta(np.array([a]), np.array([b]))[0])


def log_likelihoods(measured: Sequence[ProbeReadings], between: float | None = None) -> LogLikelihoods:
    """Rate all hypotheses by the measurements; `between` is the ratio of deviations in earlier runs."""
    informative = [one for one in measured if one.values or one.good or one.bad]
    edges = np.unique(np.array([one.position for one in informative], dtype=np.int64))
    verdict_likelihood = _verdicts(informative, edges)
    numbers = [one for one in informative if one.values]
    if len(numbers) < 2:
        return LogLikelihoods(edges, verdict_likelihood, None)
    value_likelihood, noise, levels = _numbers(numbers, edges, between)
    return LogLikelihoods(edges, verdict_likelihood + value_likelihood, noise, levels)


def _bad_in(positions: I64, edges: I64) -> NDArray[np.bool_]:
    """Return [gaps, probes] whether each probe is bad: gap g is above edges[g - 1] and at most at edges[g]."""
    gaps = np.arange(len(edges) + 1)[:, np.newaxis]
    out: NDArray[np.bool_] = np.searchsorted(edges, positions)[np.newaxis, :] >= gaps
    return out


def _verdicts(measured: Sequence[ProbeReadings], edges: I64) -> F64:
    bad = _bad_in(np.array([one.position for one in measured], dtype=np.int64), edges)
    goods, bads = (np.array([getattr(one, name) for one in measured], dtype=float) for name in ("good", "bad"))
    missed, seen = (bad * goods).sum(1), (bad * bads).sum(1)
    alarms, passed = (~bad * bads).sum(1), (~bad * goods).sum(1)
    verdicts = log_beta(WRONG + missed, RIGHT + seen) + log_beta(WRONG + alarms, RIGHT + passed)
    return verdicts - 2 * _log_beta(WRONG, RIGHT)


def _numbers(measured: Sequence[ProbeReadings], edges: I64, between: float | None) -> tuple[F64, NoiseEstimate, Levels]:
    center = float(np.median([np.mean(one.values) for one in measured]))
    values = [tuple(value - center for value in one.values) for one in measured]
    bad = _bad_in(np.array([one.position for one in measured], dtype=np.int64), edges)
    stationary = _StationaryNoise(values, ratio_prior(RATIOS, between))
    fitted = _fit(stationary, bad[:, np.newaxis])
    cells = cells_of(values, [one.rounds or (0,) * len(one.values) for one in measured])
    walks = None if cells is None else _fit_drift(cells, fitted, bad, ratio_prior(drift_model.RATIOS, between))
    noises: _Noises = stationary if walks is None else walks
    if walks is not None:
        fitted = _fit(walks, bad[:, np.newaxis])
    none_odd = _sum_likelihoods(fitted.log_likelihood)
    best = int(np.argmax(none_odd))
    means, windows = _remove_course(values, noises, fitted, bad[best], best)
    levels_none_odd = _levels(fitted.log_likelihood, fitted)
    odd, possible = _odd_probes(means, windows, bad, fitted, best)
    fitted = _fit(noises, bad[possible][:, np.newaxis] ^ odd)
    chances = odd_chances(len(measured))
    log_likelihood = fitted.log_likelihood + chances[odd.sum(2)][:, :, np.newaxis, np.newaxis]
    total: F64 = none_odd + chances[0]
    total[possible] = _sum_likelihoods(log_likelihood)
    noise_estimate = _noise(log_likelihood, fitted, center)
    if walks is not None:
        drift_probability, offset_by_round = _drift_course(
            walks, log_likelihood, fitted, bad[possible][:, np.newaxis] ^ odd
        )
        noise_estimate = replace(noise_estimate, walks=drift_probability, off=offset_by_round)
    levels = levels_none_odd.with_rows(possible, _levels(log_likelihood, fitted))
    return total - float(np.log(SCALES.size)), noise_estimate, levels


def _fit_drift(cells: RoundCells, stationary: "_BestFit", bad: NDArray[np.bool_], prior: F64) -> DriftHypotheses | None:
    """Return the noise hypotheses with drift; None if no hypothesis explains the measurements better with drift."""
    summed = _sum_likelihoods(stationary.log_likelihood)
    mass = np.exp(stationary.log_likelihood[int(np.argmax(summed))] - summed.max())
    usual = np.array([float(np.sqrt((mass.sum((0, 2)) * stationary.ratios**2).sum()))])
    trial = walks_of(cells, usual, np.ones(1))
    by_walk = _fit(trial, bad[:, np.newaxis]).log_likelihood.max((0, 1, 3))
    return walks_of(cells, drift_model.RATIOS, prior) if float(logsumexp(by_walk[1:]) - by_walk[0]) > FAINTLY else None


def _remove_course(
    values: Sequence[tuple[float, ...]], noises: "_Noises", fitted: "_BestFit", bad: NDArray[np.bool_], best: int
) -> tuple[F64, F64]:
    """Return [probes] means without the estimated drift, and the number of measurements."""
    means = np.array([np.mean(one) for one in values])
    windows = np.array([len(one) for one in values], dtype=float)
    if isinstance(noises, DriftHypotheses):
        off = _course(noises, fitted, (best, 0), bad)
        cells = noises.cells
        means = np.bincount(cells.deploys, (cells.means - off) * cells.windows) / windows
    return means, windows


def _course(walks: DriftHypotheses, fitted: "_BestFit", which: tuple[int, int], bad: NDArray[np.bool_]) -> F64:
    """Return [cells] the offset of the environment under the best fit of one explanation."""
    noise, scale = np.unravel_index(int(np.argmax(fitted.log_likelihood[which])), fitted.log_likelihood.shape[2:])
    level, step = fitted.level[(*which, noise, scale)], fitted.step[(*which, noise, scale)]
    return walks.course(int(noise), walks.cells.means - level - step * bad[walks.cells.deploys])


def _drift_course(
    walks: DriftHypotheses, log_likelihood: F64, fitted: "_BestFit", bad: NDArray[np.bool_]
) -> tuple[float, dict[int, float]]:
    """Return the probability of drift, and the offset by round under the best explanation."""
    gap = int(np.argmax(_sum_likelihoods(log_likelihood)))
    mass = np.exp(log_likelihood[gap] - logsumexp(log_likelihood[gap])).sum((0, 2))
    way = int(np.argmax(log_likelihood[gap].max((1, 2))))
    offsets = _course(walks, fitted, (gap, way), bad[gap, way])
    by_round = {int(one): float(offsets[walks.cells.rounds == one].mean()) for one in np.unique(walks.cells.rounds)}
    return min(float(mass[walks.steps > 0].sum()), 1.0), by_round


def logsumexp(some: F64) -> float:
    """Return the logarithm of a sum of terms given by their logarithms."""
    top = float(some.max())
    return top + float(np.log(np.exp(some - top).sum()))


def _sum_likelihoods(log_likelihood: F64) -> F64:
    """Return [gaps] log likelihoods summed over ways, ratios and scales."""
    flat = log_likelihood.reshape(len(log_likelihood), -1)
    top = flat.max(1)
    out: F64 = top + np.log(np.exp(flat - top[:, np.newaxis]).sum(1))
    return out


@dataclass(frozen=True)
class _BestFit:
    """[gaps, ways, ratios, scales] the best fit for each way in which probes are bad."""

    log_likelihood: F64
    level: F64
    step: F64
    variance: F64
    level_spread: F64
    """Variance of the estimated level over that of a measurement."""
    bad_spread: F64
    """The same for the level of bad builds."""
    ratios: F64
    """[noises]"""


class _StationaryNoise:
    """[noises] noise hypotheses without drift: only the variance between probes is unknown."""

    def __init__(self, values: Sequence[tuple[float, ...]], prior: F64) -> None:
        """Take measurements by probe; `prior` [noises]."""
        windows = np.array([len(one) for one in values], dtype=float)
        self._y = np.array([np.mean(one) for one in values])
        self._weights = 1 / (1 / windows[:, np.newaxis] + RATIOS**2)  # [deploys, noises]
        self.ratios, self.prior = RATIOS, np.log(prior)
        self.log_determinant = np.log(self._weights).sum(0)
        self.windows = float(windows.sum())
        self.inside = sum(float(((np.array(one) - np.mean(one)) ** 2).sum()) for one in values)

    def sums(self, bad: NDArray[np.bool_]) -> tuple[F64, F64, F64, F64, F64, F64]:
        """Return the same sums as `DriftHypotheses.sums`."""
        weights, y, flags = self._weights, self._y[:, np.newaxis], bad.astype(np.float64)
        twice = flags @ weights
        return weights.sum(0), (weights * y).sum(0), (weights * y**2).sum(0), twice, flags @ (weights * y), twice


def _student(freedom: float, off: F64) -> F64:
    """Return the cumulative Student's t; from MANY on the normal distribution, which is four times as fast."""
    return student_cdf(freedom, off) if freedom < MANY else normal_cdf(off)


_Noises = _StationaryNoise | DriftHypotheses


def _fit(noises: _Noises, bad: NDArray[np.bool_]) -> _BestFit:
    """Fit level and step; `bad` [gaps, ways, probes]."""
    sums = noises.sums(bad)
    total, total_y, total_yy, both, both_y, twice = (one[..., np.newaxis] for one in sums)
    regularized = twice + 1 / SCALES**2
    determinant = total * regularized - both**2
    level = (regularized * total_y - both * both_y) / determinant
    step = (total * both_y - both * total_y) / determinant
    squares = np.maximum(total_yy - level * total_y - step * both_y, 0.0) + noises.inside + LEAST_SPREAD**2
    freedom = noises.windows  # one less for the level, one more for the least spread
    spread = squares / freedom * total / determinant  # of the step: (A⁻¹)₂₂
    log_likelihood = (
        (0.5 * noises.log_determinant + noises.prior)[:, np.newaxis] - 0.5 * np.log(determinant) - np.log(SCALES) - freedom / 2 * np.log(squares)
        + np.log(np.maximum(_student(freedom, (step - LEAST_STEP * np.sqrt(squares / freedom)) / np.sqrt(spread)), 1e-300))
        - np.log(normal_cdf(-LEAST_STEP / SCALES))
    )  # fmt: skip
    return _BestFit(
        log_likelihood, level, step, squares / freedom, regularized / determinant, (regularized + total - 2 * both) / determinant, noises.ratios
    )  # fmt: skip


def _odd_probes(
    y: F64, windows: F64, bad: NDArray[np.bool_], fitted: _BestFit, best: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return [gaps, ways, probes] which probes may show the opposite, and [all gaps] which gaps are possible then.

    Only the few probes that contradict a hypothesis most are tried, in all combinations; any other would lower its
    likelihood by being odd. The levels are those of the best explanation. Gaps that the remaining probes contradict too much
    are excluded.
    """
    mass = np.exp(fitted.log_likelihood[best] - logsumexp(fitted.log_likelihood[best]))
    level, step, variance = (float((mass * one[best]).sum()) for one in (fitted.level, fitted.step, fitted.variance))
    ratio = float((mass.sum((0, 2)) * fitted.ratios**2).sum())
    as_bad = (y - level - step / 2) * step / (variance * (1 / windows + ratio))  # nats for being bad
    against = np.where(bad, -as_bad, as_bad)
    tried = min(MOST_ODD, len(y))
    order = np.argsort(-against, axis=1, kind="stable")
    rest = np.maximum(np.take_along_axis(against, order[:, tried:], axis=1), 0.0).sum(1)
    possible = rest <= max(RULED_OUT, float(rest.min()))
    ways = (np.arange(2**tried)[:, np.newaxis] >> np.arange(tried)) & 1 == 1  # [ways, tried]
    shape = (int(possible.sum()), 2**tried, tried)
    out = np.zeros((*shape[:2], len(y)), dtype=np.bool_)
    worst = np.broadcast_to(order[possible, np.newaxis, :tried], shape)
    np.put_along_axis(out, worst, np.broadcast_to(ways, shape), axis=2)
    return out, possible


def _levels(log_likelihood: F64, fitted: _BestFit) -> Levels:
    """Return the prediction of each hypothesis for one more probe."""
    mass = np.exp(log_likelihood - log_likelihood.max((1, 2, 3), keepdims=True))
    mass /= mass.sum((1, 2, 3), keepdims=True)

    def mean(values: F64) -> F64:
        out: F64 = (mass * values).sum((1, 2, 3))
        return out

    step = np.maximum(fitted.step, LEAST_STEP * np.sqrt(fitted.variance))
    level, variance = fitted.level, fitted.variance
    good, bad = mean(level), mean(level + step)
    return Levels(
        good, bad,
        mean(variance * fitted.level_spread + level**2) - good**2, mean(variance * fitted.bad_spread + (level + step) ** 2) - bad**2,
        mean(variance), mean(variance * fitted.ratios[:, np.newaxis] ** 2),
    )  # fmt: skip


def _noise(log_likelihood: F64, fitted: _BestFit, center: float) -> NoiseEstimate:
    """Return the noise under the best explanation; a step below half a deviation is replaced by that."""
    gap = int(np.argmax(_sum_likelihoods(log_likelihood)))
    mass = np.exp(log_likelihood[gap] - logsumexp(log_likelihood[gap]))
    window = float(np.sqrt((mass * fitted.variance[gap]).sum()))
    ratio = float(np.sqrt((mass.sum((0, 2)) * fitted.ratios**2).sum()))
    step = float((mass * fitted.step[gap]).sum())
    return NoiseEstimate(max(step, window / 2), float((mass * fitted.level[gap]).sum()) + center, window, ratio)
