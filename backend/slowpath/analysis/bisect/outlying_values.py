"""Rate hypotheses where some measurements show any value, such as a run beside another process or a run that was throttled.

An outlying value says nothing about its build: it is uniform over the range of all values. Which values are outlying is
unknown, and their rate has a Beta prior. A robust fit of both levels for each hypothesis and for each of several noise scales
finds the sets of outlying values worth counting (a mixture as in Box and Tiao, A Bayesian approach to some outlier problems,
1968; levels start at observed values as in Rousseeuw and Van Driessen, FAST-LTS, 2006). The likelihood of each set is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lgamma, log, pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.bisect.level_fit import (
    F64,
    LEAST_SPREAD,
    LEAST_STEP,
    RATIOS,
    SCALES,
    BestFit,
    fit_levels,
    logsumexp,
    sum_likelihoods,
)
from slowpath.analysis.stats.t_distribution import log_beta_of

PRIOR_OUTLIERS: Final = 0.1
"""Prior probability that measurements may be outlying, as that of drift."""
OUTLYING, USUAL = 0.5, 9.5
"""Beta prior of the rate of outlying values, as that of wrong verdicts."""
RATE: Final = OUTLYING / (OUTLYING + USUAL)
"""Rate of outlying values in the robust fit, which only selects sets."""
LEAST_RANGE: Final = 1.0
"""Least range of outlying values: a factor of e, or once the good level."""
NOISE_SCALES: Final = 10
MOST_STARTS: Final = 60
"""Values at which levels start, spread evenly over all."""

Flags = NDArray[np.bool_]


FITTED: Final = {
    "log_likelihood": -np.inf, "level": 0.0, "step": 0.0, "variance": 1.0, "level_spread": 0.0, "bad_spread": 0.0,
}  # fmt: skip
"""Fields of a fit by row, and their values for sets that do not exist."""


@dataclass(frozen=True)
class OutlyingFit:
    """[gaps, sets, ratios, scales] fits with outlying values; sets that do not exist have no likelihood."""

    fitted: BestFit
    sets: Sequence[Flags]
    """[gaps] the sets of each gap, [sets, values] which values are outlying."""

    @property
    def likeliest(self) -> frozenset[int]:
        """Return the numbers of the values that are outlying under the best explanation."""
        gap = int(np.argmax(self.by_gap))
        best = int(np.argmax(self.fitted.log_likelihood[gap].max((1, 2))))
        return frozenset(np.flatnonzero(self.sets[gap][best]).tolist())

    @property
    def by_gap(self) -> F64:
        """Return [gaps] log likelihoods summed over sets, ratios and scales; minus infinity without any set."""
        of_all = self.fitted.log_likelihood
        out = np.full(len(of_all), -np.inf)
        exists = np.isfinite(of_all).any((1, 2, 3))
        out[exists] = sum_likelihoods(of_all[exists])
        return out


@dataclass(frozen=True)
class _Values:
    """[values] all measurements."""

    y: F64
    probes: NDArray[np.int64]
    """Index of the probe of each value."""
    of_probe: F64
    """[values, probes] 1 for the probe of each value."""
    log_windows: float
    """What a fit of all values leaves out of its log likelihood: it has the mean of each probe instead of its values."""

    @classmethod
    def of(cls, values: Sequence[Sequence[float]]) -> "_Values":
        """Return the measurements by probe as arrays."""
        windows = np.array([len(one) for one in values])
        probes = np.repeat(np.arange(len(values)), windows)
        return cls(np.concatenate(values), probes, np.eye(len(values))[probes], 0.5 * float(np.log(windows).sum()))


class _UsualValues:
    """[noises] noise hypotheses without drift, where as many values of each row are outlying."""

    def __init__(self, values: _Values, usual: Flags, prior: F64) -> None:
        """Take all values; `usual` [rows, values] which are not outlying; `prior` [noises]."""
        counted = usual.astype(np.float64)
        windows = counted @ values.of_probe  # [rows, probes]
        known = windows > 0
        totals = (counted * values.y) @ values.of_probe
        self._means = np.divide(totals, windows, out=np.zeros_like(totals), where=known)[:, :, np.newaxis]
        inverse = np.divide(1.0, windows, out=np.ones_like(windows), where=known)
        self._weights = np.where(known[:, :, np.newaxis], 1 / (inverse[:, :, np.newaxis] + RATIOS**2), 0.0)
        self.ratios, self.prior = RATIOS, np.log(prior)
        log_weights = np.log(self._weights, out=np.zeros_like(self._weights), where=self._weights > 0)
        log_windows = np.log(windows, out=np.zeros_like(windows), where=known)
        self.log_determinant: F64 = (log_weights.sum(1) - log_windows.sum(1)[:, np.newaxis])[:, np.newaxis]
        self.windows = float(counted[0].sum())
        squares = counted @ values.y**2 - (windows * self._means[:, :, 0] ** 2).sum(1)
        self.inside: float | F64 = np.maximum(squares, 0.0)[:, np.newaxis, np.newaxis, np.newaxis]

    def sums(self, bad: Flags) -> tuple[F64, F64, F64, F64, F64, F64]:
        """Return the sums of `NoiseHypotheses`; `bad` [rows, 1, probes]."""
        weights, y, flags = self._weights, self._means, bad[:, 0, :, np.newaxis]
        terms = (weights, weights * y, weights * y**2, flags * weights, flags * weights * y)
        total, total_y, total_yy, both, both_y = (one.sum(1)[:, np.newaxis] for one in terms)
        return total, total_y, total_yy, both, both_y, both


def fit_outliers(
    values: Sequence[Sequence[float]], positions: NDArray[np.int64], bad: Flags, prior: F64
) -> OutlyingFit | None:
    """Fit all hypotheses with outlying values; `values` and `positions` by probe, `bad` [gaps, probes], `prior` of `RATIOS`.

    None if no hypothesis has any outlying value.
    """
    all_values = _Values.of(values)
    extent = max(float(np.ptp(all_values.y)), LEAST_RANGE)
    builds = positions[all_values.probes]
    sets = [
        one[~_contradict_boundaries(one, builds)]
        for one in outlying_sets(all_values.y, bad[:, all_values.probes], extent)
    ]
    rows = [(gap, one) for gap, of_gap in enumerate(sets) for one in of_gap]
    if not rows:
        return None
    gaps, outlying = np.array([gap for gap, _ in rows]), np.array([one for _, one in rows])
    place = np.arange(len(gaps)) - np.searchsorted(gaps, gaps)  # number of the set within its gap
    shape = (len(bad), int(np.bincount(gaps).max()), len(RATIOS), len(SCALES))
    arrays = {name: np.full(shape, unknown) for name, unknown in FITTED.items()}
    for rows_of in _by_number(outlying):
        fitted = _fit_rows(all_values, bad[gaps[rows_of]], outlying[rows_of], extent, prior)
        for name in FITTED:
            found = np.broadcast_to(getattr(fitted, name)[:, 0], (len(rows_of), *shape[2:]))
            arrays[name][gaps[rows_of], place[rows_of]] = found
    return OutlyingFit(BestFit(**arrays, ratios=RATIOS), sets)


def _contradict_boundaries(sets: Flags, builds: NDArray[np.int64]) -> Flags:
    """Return [sets] whether all of at least two values of a boundary are outlying: they are its level, which the question is about."""
    out = np.zeros(len(sets), dtype=np.bool_)
    for boundary in (builds.min(), builds.max()):
        of_boundary = builds == boundary
        if of_boundary.sum() > 1:
            out |= sets[:, of_boundary].all(1)
    return out


def _by_number(outlying: Flags) -> list[NDArray[np.int64]]:
    """Return the rows with equally many outlying values together."""
    numbers = outlying.sum(1)
    return [np.flatnonzero(numbers == one) for one in np.unique(numbers)]


def _fit_rows(values: "_Values", bad: Flags, outlying: Flags, extent: float, prior: F64) -> BestFit:
    """Return the fit of rows with equally many outlying values; its likelihoods are comparable to those without any."""
    number, of_all = int(outlying[0].sum()), len(values.y)
    fitted = fit_levels(_UsualValues(values, ~outlying, prior), bad[:, np.newaxis])
    chance = log_beta_of(OUTLYING + number, USUAL + of_all - number) - log_beta_of(OUTLYING, USUAL)
    constant = _log_constant(of_all - number) - _log_constant(of_all) - number * log(extent) + chance
    return replace(fitted, log_likelihood=fitted.log_likelihood + values.log_windows + constant)


def _log_constant(freedom: float) -> float:
    """Return what a fit leaves out of its log likelihood, which differs by the number of values."""
    return lgamma(freedom / 2) - freedom / 2 * log(pi)


def outlying_sets(y: F64, bad: Flags, extent: float) -> list[Flags]:
    """Return for each gap [sets, values] the distinct sets of at least one and at most half of the values that may be outlying.

    `y` [values], `bad` [gaps, values], `extent` the range of outlying values.
    """
    starts = np.unique(y)
    starts = starts[np.linspace(0, len(starts) - 1, min(len(starts), MOST_STARTS)).round().astype(int)]
    found: list[list[Flags]] = [[] for _ in bad]
    for spread in np.geomspace(LEAST_SPREAD, max(extent / 4, 2 * LEAST_SPREAD), NOISE_SCALES):
        usual = log((1 - RATE) / (spread * np.sqrt(2 * pi))) - 0.5 * ((y - starts[:, np.newaxis]) / spread) ** 2
        density = np.logaddexp(usual, log(RATE / extent))  # [starts, values]
        of_good, of_bad = density @ (~bad).T.astype(np.float64), density @ bad.T.astype(np.float64)  # [starts, gaps]
        together = of_good[:, np.newaxis] + of_bad[np.newaxis]  # [good level, bad level, gaps]
        apart = starts[np.newaxis] - starts[:, np.newaxis]
        together[apart < LEAST_STEP * spread] = -np.inf
        best = together.reshape(-1, len(bad)).argmax(0)
        goods, bads = np.divmod(best, len(starts))
        levels = np.where(bad, bads[:, np.newaxis], goods[:, np.newaxis])  # [gaps, values]
        outlying = usual[levels, np.arange(len(y))] < log(RATE / extent)
        for gap, one in enumerate(outlying):
            if 0 < one.sum() <= len(y) / 2:
                found[gap].append(one)
    return [np.unique(np.array(one), axis=0) if one else np.zeros((0, len(y)), dtype=np.bool_) for one in found]


def outlier_log_odds(usual: F64, outlying: F64) -> float:
    """Return the log odds that there are outlying values; both [gaps] log likelihoods."""
    return log(PRIOR_OUTLIERS) - log(1 - PRIOR_OUTLIERS) + logsumexp(outlying) - logsumexp(usual)
