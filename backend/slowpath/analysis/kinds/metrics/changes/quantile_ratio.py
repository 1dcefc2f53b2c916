"""Compare a quantile between two sets of time cells, with the uncertainty of the ratio.

Cells are autocorrelated and bursts dominate the tail, so blocks of neighboring cells are resampled (moving-block bootstrap,
Künsch 1989), and the quantile of all requests pooled is compared. Simultaneous cells of both sides are drawn together, so that
common effects of load cancel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.samples.series_data import Times, Values
from slowpath.analysis.stats.histogram_cells import HistogramCells, pooled_quantile

REPLICATES: Final = 1_000
TAIL: Final = (0.9, 0.95, 0.99)
"""Simulated, their mean separates a bursty tail from chance better than any one of them (bench `deploys`)."""
BLOCK_MS: Final = 300_000
"""A burst lasts minutes; blocks must be longer than the correlation of neighbors."""


@dataclass(frozen=True)
class ServiceLevel:
    """[M] cells of a mean: numerator and denominator."""

    times_ms: Times
    over: Values
    by: Values


@dataclass(frozen=True)
class RatioReplicates:
    """The quantile of both sides in seconds, and replicates of the logarithm of their ratio, ascending."""

    base_s: float
    candidate_s: float
    log_ratios: Values

    @property
    def ratio(self) -> float:
        """Return candidate over base."""
        return self.candidate_s / self.base_s

    def bound(self, share: float) -> float:
        """Return the ratio that this share of the replicates is below."""
        return float(np.exp(np.quantile(self.log_ratios, share)))


def unpaired_ratio(
    base: HistogramCells, candidate: HistogramCells, q: float, spread: float, rng: Generator
) -> RatioReplicates | None:
    """Compare two sides over different cells [M], drawn separately. None if a side has no such quantile.

    `spread` is the standard deviation of log latency between two deployments of one build, which time does not reduce.
    """
    weights = block_weights(base.times_ms, rng), block_weights(candidate.times_ms, rng)
    return _replicates(base, candidate, weights, q, spread, rng)


def level_ratio(before: ServiceLevel, after: ServiceLevel, rng: Generator) -> RatioReplicates | None:
    """Compare a mean: the sum of `over` by the sum of `by`, before and after.

    Otherwise like `unpaired_ratio`.
    """
    drawn, values = [], []
    for side in (before, after):
        if not len(side.times_ms):
            return None
        weights = block_weights(side.times_ms, rng)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn.append((weights @ side.over) / (weights @ side.by))
            values.append(float(side.over.sum() / side.by.sum()))
    if not all(value > 0 for value in values):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(drawn[1] / drawn[0])
    logs = logs[np.isfinite(logs)]
    return RatioReplicates(values[0], values[1], np.sort(logs)) if len(logs) >= REPLICATES / 2 else None


@dataclass(frozen=True)
class TailReplicates:
    """Single quantiles, and the tail.

    The geometric mean of the ratios of TAIL, all from the same replicates.
    """

    quantiles: dict[float, RatioReplicates]
    tail: RatioReplicates | None


def ratios(
    base: HistogramCells, candidate: HistogramCells, qs: Sequence[float], spread: float, rng: Generator, *, paired: bool
) -> TailReplicates:
    """Compare several quantiles and the tail at once.

    `paired` sides have the same cells, which are drawn together.
    """
    weights = block_weights(base.times_ms, rng)
    other = weights if paired else block_weights(candidate.times_ms, rng)
    resampled = _resample(base, weights), _resample(candidate, other)
    deployment_effect = rng.normal(0.0, spread, REPLICATES)  # one deployment for all quantiles
    by_quantile = {}
    for q in sorted({*qs, *TAIL}):
        sides = [
            pooled_quantile(counts, side.bounds, q) for side, counts in zip((base, candidate), resampled, strict=True)
        ]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(sides[1] / sides[0])
        by_quantile[q] = (float(sides[0][0]), float(sides[1][0]), logs[1:] + deployment_effect)
    good = {
        q: np.isfinite(logs).sum() >= REPLICATES / 2 and low > 0 < high for q, (low, high, logs) in by_quantile.items()
    }
    quantiles = {
        q: RatioReplicates(
            by_quantile[q][0], by_quantile[q][1], np.sort(by_quantile[q][2][np.isfinite(by_quantile[q][2])])
        )
        for q in qs
        if good[q]
    }
    if not all(good[q] for q in TAIL):
        return TailReplicates(quantiles, None)
    mean = np.mean([by_quantile[q][2] for q in TAIL], axis=0)
    sides_s = [float(np.exp(np.mean([np.log(by_quantile[q][side]) for q in TAIL]))) for side in (0, 1)]
    return TailReplicates(quantiles, RatioReplicates(sides_s[0], sides_s[1], np.sort(mean[np.isfinite(mean)])))


def _resample(side: HistogramCells, weights: Values) -> Values:
    """[1 + R, B] Return all requests of a side, observed and resampled."""
    resampled: Values = np.concatenate((side.counts.sum(axis=0, keepdims=True), weights @ side.counts))
    return resampled


def _replicates(  # noqa: PLR0917 - both sides with their weights, and the settings
    base: HistogramCells,
    candidate: HistogramCells,
    weights: tuple[Values, Values],
    q: float,
    spread: float,
    rng: Generator,
) -> RatioReplicates | None:
    if not len(base.times_ms) or not len(candidate.times_ms):
        return None
    values, drawn = [], []
    for side, weight in zip((base, candidate), weights, strict=True):
        values.append(float(pooled_quantile(side.counts.sum(axis=0, keepdims=True), side.bounds, q)[0]))
        drawn.append(pooled_quantile(weight @ side.counts, side.bounds, q))
    if not all(value > 0 for value in values):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(drawn[1] / drawn[0])
    logs = logs[np.isfinite(logs)]
    if len(logs) < REPLICATES / 2:
        return None
    return RatioReplicates(values[0], values[1], np.sort(logs + rng.normal(0.0, spread, len(logs))))


def block_weights(times_ms: Times, rng: Generator) -> Values:
    """[R, M] Return how often each cell is drawn.

    Circular blocks, so that the first and last cells are not rarer.
    """
    cells = len(times_ms)
    if not cells:
        return np.zeros((REPLICATES, 0))
    cell_ms = float(np.median(np.diff(times_ms))) if cells > 1 else float(BLOCK_MS)
    block = min(max(1, round(BLOCK_MS / cell_ms)), max(1, cells // 3))
    blocks = -(-cells // block)
    starts = rng.integers(0, cells, (REPLICATES, blocks))
    drawn: NDArray[np.int64] = ((starts[:, :, None] + np.arange(block)) % cells).reshape(REPLICATES, -1)[:, :cells]
    flat = drawn + np.arange(REPLICATES)[:, None] * cells
    weights: Values = np.bincount(flat.ravel(), minlength=REPLICATES * cells).reshape(REPLICATES, cells).astype(float)
    return weights
