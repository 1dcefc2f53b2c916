"""Rate how well each hypothesis explains the measurements, with the noise unknown.

`level_fit` integrates levels and noise exactly for given hypotheses. Yes/no verdicts have unknown error rates with Beta priors.

Drift of the environment is marginalized where it is possible (`drift_model`). Some probes show the opposite for any
reason, and some show anything at all (`outlying_values`); the ways in which that may have happened are marginalized too,
and their rates are learned. Only the position of a probe matters, so hypotheses between two neighboring probes are
equivalent: there is one row per gap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.bisect import drift_model, outlying_values
from slowpath.analysis.bisect.drift_model import DriftHypotheses, RoundCells, cells_of, walks_of
from slowpath.analysis.bisect.level_fit import (
    F64,
    I64,
    RATIOS,
    SCALES,
    BestFit,
    Levels,
    NoiseHypotheses,
    StationaryNoise,
    fit_levels,
    logsumexp,
    predict_levels,
    ratio_prior,
    sum_likelihoods,
)
from slowpath.analysis.bisect.outlying_values import OutlyingFit
from slowpath.analysis.bisect.verdict_rates import RIGHT, WRONG, log_likelihood_of_rates
from slowpath.analysis.stats.t_distribution import log_beta, log_beta_of

ODD: Final = 0.01
"""Share of deployments expected to show the opposite: a bad node, an incident, the wrong image. The deployments of the culprit
and of the build before it decide; only a second deployment of the same build shows whether one was odd."""
ODD_WEIGHT: Final = 50.0
"""Number of deployments that this prior share counts for, half an odd one among them, as in Jeffreys' prior. With the search's
deployments added, about twenty without an odd one lower the share to 0.7%, and one odd one raises it to 2% and more, so second
deployments are spent where deployments do go wrong."""
MOST_ODD: Final = 3
"""Maximum per search: the probes that contradict each hypothesis most."""
RULED_OUT: Final = 20.0
"""Nats against a hypothesis that exclude it whichever probes were odd."""
FAINTLY: Final = -3.0
"""Log odds of drift below which it is not marginalized."""


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
    outliers: float = 0.0
    """Probability that some values are outlying."""
    opposite: float = 0.0
    """Expected number of probes that showed the opposite."""
    outlying: frozenset[int] = frozenset()
    """Numbers of the values, of all probes in order, that are outlying."""
    off: Mapping[int, float] = field(default_factory=dict)
    """Offset of the environment by round."""

    def apart(self, windows: int) -> float:
        """Return the distance of good and bad in standard deviations of the mean of this many measurements."""
        return self.step / (self.window * float(np.sqrt(self.ratio**2 + 1 / windows)))


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


def odd_chances(deployments: int) -> F64:
    """Return [MOST_ODD + 1] log probabilities that 0, 1, ... given deployments are odd and the others are not.

    The rate is marginalized over its Beta prior (Gelman et al., Bayesian Data Analysis, 3rd ed., 2.4).
    """
    many = np.arange(MOST_ODD + 1, dtype=np.float64)
    odd, usual = ODD * ODD_WEIGHT, (1 - ODD) * ODD_WEIGHT
    return log_beta(odd + many, usual + np.maximum(deployments - many, 0)) - log_beta_of(odd, usual)


def log_likelihoods(measured: Sequence[ProbeReadings], between: float | None = None) -> LogLikelihoods:
    """Rate all hypotheses by the measurements; `between` is the ratio of deviations in earlier runs."""
    informative = [one for one in measured if one.values or one.good or one.bad]
    edges = np.unique(np.array([one.position for one in informative], dtype=np.int64))
    verdict_likelihood = _verdicts(informative, edges)
    numbers = [one for one in informative if one.values]
    if len(numbers) < 2:
        return LogLikelihoods(edges, verdict_likelihood, None)
    values = _numbers(numbers, edges, between)
    return LogLikelihoods(edges, verdict_likelihood + values.log_likelihood, values.noise, values.levels)


def _bad_in(positions: I64, edges: I64) -> NDArray[np.bool_]:
    """Return [gaps, probes] whether each probe is bad: gap g is above edges[g - 1] and at most at edges[g]."""
    gaps = np.arange(len(edges) + 1)[:, np.newaxis]
    out: NDArray[np.bool_] = np.searchsorted(edges, positions)[np.newaxis, :] >= gaps
    return out


def _verdicts(measured: Sequence[ProbeReadings], edges: I64) -> F64:
    if not any(one.good or one.bad for one in measured):
        return np.zeros(len(edges) + 1)
    bad = _bad_in(np.array([one.position for one in measured], dtype=np.int64), edges)
    goods, bads = (np.array([getattr(one, name) for one in measured], dtype=float) for name in ("good", "bad"))
    missed, seen = (bad * goods).sum(1), (bad * bads).sum(1)
    alarms, passed = (~bad * bads).sum(1), (~bad * goods).sum(1)
    return log_likelihood_of_rates(alarms, passed, seen, missed)


@dataclass(frozen=True)
class _Explanation:
    """[gaps] how the hypotheses explain the values."""

    log_likelihood: F64
    noise: NoiseEstimate
    levels: Levels


def _numbers(measured: Sequence[ProbeReadings], edges: I64, between: float | None) -> _Explanation:
    center = float(np.median([np.mean(one.values) for one in measured]))
    values = [tuple(value - center for value in one.values) for one in measured]
    positions = np.array([one.position for one in measured], dtype=np.int64)
    bad = _bad_in(positions, edges)
    stationary = StationaryNoise(values, ratio_prior(RATIOS, between))
    fitted = fit_levels(stationary, bad[:, np.newaxis])
    cells = cells_of(values, [one.rounds or (0,) * len(one.values) for one in measured])
    walks = None if cells is None else _fit_drift(cells, fitted, bad, ratio_prior(drift_model.RATIOS, between))
    noises: NoiseHypotheses = stationary if walks is None else walks
    if walks is not None:
        fitted = fit_levels(walks, bad[:, np.newaxis])
    none_odd = sum_likelihoods(fitted.log_likelihood)
    best = int(np.argmax(none_odd))
    means, windows = _remove_drift(values, noises, fitted, bad[best], best)
    levels_none_odd = predict_levels(fitted.log_likelihood, fitted)
    odd, possible = _odd_probes(means, windows, bad, fitted, best)
    fitted = fit_levels(noises, bad[possible][:, np.newaxis] ^ odd)
    chances = odd_chances(len(measured))
    log_likelihood = fitted.log_likelihood + chances[odd.sum(2)][:, :, np.newaxis, np.newaxis]
    total: F64 = none_odd + chances[0]
    total[possible] = sum_likelihoods(log_likelihood)
    noise_estimate = replace(_noise(log_likelihood, fitted, center), opposite=_expected_odd(log_likelihood, odd))
    if walks is not None:
        drift_probability, offset_by_round = _drift_by_round(
            walks, log_likelihood, fitted, bad[possible][:, np.newaxis] ^ odd
        )
        noise_estimate = replace(noise_estimate, walks=drift_probability, off=offset_by_round)
    levels = levels_none_odd.with_rows(possible, predict_levels(log_likelihood, fitted))
    explained = _Explanation(total, noise_estimate, levels)
    by_probe = float(np.log([len(one) for one in values]).sum())
    apart = 0.0 if walks is None else 0.5 * (by_probe - float(np.log(walks.cells.windows).sum()))
    outlying = outlying_values.fit_outliers(values, positions, bad, ratio_prior(RATIOS, between))
    if outlying is not None:
        explained = _with_outliers(explained, outlying, center, apart)
    return replace(explained, log_likelihood=explained.log_likelihood - float(np.log(SCALES.size)))


def _with_outliers(usual: _Explanation, outlying: OutlyingFit, center: float, apart: float) -> _Explanation:
    """Return an explanation of values in which probes may be outlying too; `apart` makes both likelihoods comparable."""
    by_gap = outlying.by_gap - apart
    odds = outlying_values.outlier_log_odds(usual.log_likelihood, by_gap)
    if odds < FAINTLY:
        return usual
    with_some = np.log(outlying_values.PRIOR_OUTLIERS) + by_gap
    total = np.logaddexp(np.log1p(-outlying_values.PRIOR_OUTLIERS) + usual.log_likelihood, with_some)
    exists = np.isfinite(by_gap)
    fitted = outlying.fitted.rows(exists)
    predicted = predict_levels(fitted.log_likelihood, fitted)
    levels = usual.levels.rows(exists).mixed_with(predicted, np.exp(with_some - total)[exists])
    noise, probability = usual.noise, float(1 / (1 + np.exp(-odds)))
    if odds > 0:
        noise = replace(_noise(fitted.log_likelihood, fitted, center), outlying=outlying.likeliest)
    usually = 1 - probability
    noise = replace(
        noise, walks=usual.noise.walks * usually, outliers=probability, opposite=usual.noise.opposite * usually
    )
    return _Explanation(total, noise, usual.levels.with_rows(exists, levels))


def _fit_drift(cells: RoundCells, stationary: BestFit, bad: NDArray[np.bool_], prior: F64) -> DriftHypotheses | None:
    """Return the noise hypotheses with drift; None if no hypothesis explains the measurements better with drift."""
    summed = sum_likelihoods(stationary.log_likelihood)
    mass = np.exp(stationary.log_likelihood[int(np.argmax(summed))] - summed.max())
    usual = np.array([float(np.sqrt((mass.sum((0, 2)) * stationary.ratios**2).sum()))])
    trial = walks_of(cells, usual, np.ones(1))
    by_walk = fit_levels(trial, bad[:, np.newaxis]).log_likelihood.max((0, 1, 3))
    return walks_of(cells, drift_model.RATIOS, prior) if float(logsumexp(by_walk[1:]) - by_walk[0]) > FAINTLY else None


def _remove_drift(
    values: Sequence[tuple[float, ...]], noises: NoiseHypotheses, fitted: BestFit, bad: NDArray[np.bool_], best: int
) -> tuple[F64, F64]:
    """Return [probes] means without the estimated drift, and the number of measurements."""
    means = np.array([np.mean(one) for one in values])
    windows = np.array([len(one) for one in values], dtype=float)
    if isinstance(noises, DriftHypotheses):
        off = _fitted_drift(noises, fitted, (best, 0), bad)
        cells = noises.cells
        means = np.bincount(cells.deploys, (cells.means - off) * cells.windows) / windows
    return means, windows


def _fitted_drift(walks: DriftHypotheses, fitted: BestFit, which: tuple[int, int], bad: NDArray[np.bool_]) -> F64:
    """Return [cells] the offset of the environment under the best fit of one explanation."""
    noise, scale = np.unravel_index(int(np.argmax(fitted.log_likelihood[which])), fitted.log_likelihood.shape[2:])
    level, step = fitted.level[(*which, noise, scale)], fitted.step[(*which, noise, scale)]
    return walks.fitted_drift(int(noise), walks.cells.means - level - step * bad[walks.cells.deploys])


def _drift_by_round(
    walks: DriftHypotheses, log_likelihood: F64, fitted: BestFit, bad: NDArray[np.bool_]
) -> tuple[float, dict[int, float]]:
    """Return the probability of drift, and the offset by round under the best explanation."""
    gap = int(np.argmax(sum_likelihoods(log_likelihood)))
    mass = np.exp(log_likelihood[gap] - logsumexp(log_likelihood[gap])).sum((0, 2))
    way = int(np.argmax(log_likelihood[gap].max((1, 2))))
    offsets = _fitted_drift(walks, fitted, (gap, way), bad[gap, way])
    by_round = {int(one): float(offsets[walks.cells.rounds == one].mean()) for one in np.unique(walks.cells.rounds)}
    return min(float(mass[walks.steps > 0].sum()), 1.0), by_round


def _odd_probes(
    y: F64, windows: F64, bad: NDArray[np.bool_], fitted: BestFit, best: int
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


def _expected_odd(log_likelihood: F64, odd: NDArray[np.bool_]) -> float:
    """Return the expected number of odd probes under the best explanation."""
    gap = int(np.argmax(sum_likelihoods(log_likelihood)))
    of_ways = np.exp(log_likelihood[gap] - logsumexp(log_likelihood[gap])).sum((1, 2))
    return float((of_ways * odd[gap].sum(1)).sum())


def _noise(log_likelihood: F64, fitted: BestFit, center: float) -> NoiseEstimate:
    """Return the noise under the best explanation; a step below half a deviation is replaced by that."""
    gap = int(np.argmax(sum_likelihoods(log_likelihood)))
    mass = np.exp(log_likelihood[gap] - logsumexp(log_likelihood[gap]))
    window = float(np.sqrt((mass * fitted.variance[gap]).sum()))
    ratio = float(np.sqrt((mass.sum((0, 2)) * fitted.ratios**2).sum()))
    step = float((mass * fitted.step[gap]).sum())
    return NoiseEstimate(max(step, window / 2), float((mass * fitted.level[gap]).sum()) + center, window, ratio)
