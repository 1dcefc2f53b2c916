"""How many times longer a quantile is in one lot of minutes than in another, with its uncertainty.

Minutes are autocorrelated and bursts carry the tail, so neither requests nor minutes are resampled, but blocks of
neighbouring minutes (moving-block bootstrap, Künsch 1989), and what is compared is the quantile of all requests pooled.
Minutes of both sides at the same time are drawn together: what the load did to both cancels.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.metrics.histogram_minutes import HistogramMinutes, pooled_quantile
from slowpath.analysis.metrics.series import Values

REPLICATES: Final = 1_000
BLOCK_MINUTES: Final = 5
"""A burst lasts minutes; blocks must be longer than what holds neighbours together."""


@dataclass(frozen=True)
class RatioReplicates:
    """The quantile of both sides in seconds, and replicates of the logarithm of their ratio, ascending."""

    base_s: float
    candidate_s: float
    log_ratios: Values

    @property
    def ratio(self) -> float:
        """Candidate over base."""
        return self.candidate_s / self.base_s

    def bound(self, share: float) -> float:
        """The ratio below which this share of the replicates lies."""
        return float(np.exp(np.quantile(self.log_ratios, share)))


def paired_ratio(
    base: HistogramMinutes, candidate: HistogramMinutes, q: float, spread: float, rng: Generator
) -> RatioReplicates | None:
    """Compare two sides over the same minutes [M], which are drawn together. None when a side has no such quantile.

    `spread` is the standard deviation of log latency between two placements of one build: it does not shrink with time.
    """
    weights = _block_weights(len(base.times_ms), rng)
    return _replicates(base, candidate, (weights, weights), q, spread, rng)


def unpaired_ratio(
    base: HistogramMinutes, candidate: HistogramMinutes, q: float, spread: float, rng: Generator
) -> RatioReplicates | None:
    """Compare two sides over different minutes, drawn apart; otherwise like `paired_ratio`."""
    weights = _block_weights(len(base.times_ms), rng), _block_weights(len(candidate.times_ms), rng)
    return _replicates(base, candidate, weights, q, spread, rng)


def _replicates(  # noqa: PLR0917 - both sides with their weights, and what is asked of them
    base: HistogramMinutes,
    candidate: HistogramMinutes,
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


def _block_weights(minutes: int, rng: Generator) -> Values:
    """[R, M] How often each minute is drawn: circular blocks, so that the first and last minutes are not rarer."""
    if not minutes:
        return np.zeros((REPLICATES, 0))
    block = min(BLOCK_MINUTES, max(1, minutes // 3))
    blocks = -(-minutes // block)
    starts = rng.integers(0, minutes, (REPLICATES, blocks))
    drawn: NDArray[np.int64] = ((starts[:, :, None] + np.arange(block)) % minutes).reshape(REPLICATES, -1)[:, :minutes]
    flat = drawn + np.arange(REPLICATES)[:, None] * minutes
    counted = np.bincount(flat.ravel(), minlength=REPLICATES * minutes)
    weights: Values = counted.reshape(REPLICATES, minutes).astype(np.float64)
    return weights
