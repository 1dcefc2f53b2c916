"""How far a quantile of many waits can be believed: resampling on two levels, traces and blocks of time inside them.

Waits are no sample: neighbours in time share a cause, and so do goroutines that were woken together. So whole blocks
of 100 ms are drawn with replacement inside each trace, and the trace itself has an effect of its own: runs of one
binary differ. With two to five traces a side, drawing traces with replacement would see half of that effect at most.
It is estimated instead, as the spread of the traces' quantiles beyond what their blocks explain, shrunk towards what
is usual between traces of one binary (moderated variance, Smyth 2004), and drawn from Student's t with the degrees
of freedom that this leaves. An interval is the percentiles of both levels together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.distributions import t_quantile, t_two_sided
from slowpath.analysis.side_generators import SideGenerators
from slowpath.analysis.traces.buckets import quantiles
from slowpath.analysis.traces.thresholds import TraceThresholds
from slowpath.analysis.traces.victims import Side

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

# A quantile below this (ns) is told from another one by nobody, and has no logarithm.
SHORTEST_NS = 1.0
# A trace tells something of the spread only with so many waits of the victim.
TELLING_WAITS = 10.0
# The victims of one comparison correct the believed variance between traces by no more than this.
_LEAST_FACTOR, _MOST_FACTOR = 0.25, 9.0


@dataclass(frozen=True)
class Pooled:
    """One quantity of one side, on a log scale: pooled, redrawn over blocks, and of each trace by itself.

    `value` is (q,), `draws` (draws x q), `each` (telling traces x q); `parts` is what each trace contributes, summing
    to 1.
    """

    value: F64
    draws: F64
    each: F64
    parts: F64

    @property
    def effective_traces(self) -> float:
        """As many equal traces would average as well."""
        square = float(np.square(self.parts).sum())
        return 1.0 / square if square else 1.0


@dataclass(frozen=True)
class Effects:
    """Candidate against base, for each quantile (q,): log ratio, its interval, how likely it is within the floor.

    `base_draws` and `candidate_draws` hold both levels of resampling, in the logarithm (draws x q).
    """

    log_ratio: F64
    low: F64
    high: F64
    error: F64
    df: F64
    p_value: F64
    base_draws: F64
    candidate_draws: F64


def block_weights(side: Side, draws: int, rng: Generator) -> F32:
    """How often each block is drawn (draws x blocks): as many as the trace has, with replacement, inside each trace.

    Blocks that are not compared are never drawn.
    """
    weights = np.zeros((draws, len(side.block_trace)), dtype=np.float32)
    begin = 0
    for blocks in side.blocks_of.tolist():
        clean = begin + np.flatnonzero(side.clean[begin : begin + blocks])
        if len(clean):
            weights[:, clean] = rng.multinomial(len(clean), np.full(len(clean), 1 / len(clean)), size=draws)
        begin += blocks
    return weights


def pooled_quantiles(side: Side, victim: int, weights: F32, at: F64) -> Pooled:
    """The delay quantiles of one victim on one side; NaN where it never waited."""
    cells = side.cells(victim)
    buckets, column = np.unique(cells.bucket, return_inverse=True)
    blocks, row = np.unique(cells.block, return_inverse=True)
    size = len(blocks) * len(buckets)
    summed: F64 = np.bincount(row * len(buckets) + column, weights=cells.count, minlength=size).astype(np.float64)
    counts = summed.reshape(len(blocks), len(buckets))
    redrawn: F64 = (weights[:, blocks] @ counts.astype(np.float32)).astype(np.float64)
    belongs = side.block_trace[blocks] == np.arange(len(side.artifacts))[:, None]
    of_trace: F64 = belongs.astype(np.float64) @ counts
    waits = of_trace.sum(axis=1)
    whole = _log(quantiles(of_trace.sum(axis=0, keepdims=True), buckets, at))[0]
    drawn = _log(quantiles(redrawn, buckets, at))
    return Pooled(
        value=whole,
        draws=np.where(np.isnan(drawn), whole, drawn),  # no block with a wait was drawn
        each=_log(quantiles(of_trace[waits >= TELLING_WAITS], buckets, at)),
        parts=waits / max(waits.sum(), 1.0),
    )


def _log(values: F64) -> F64:
    logs: F64 = np.log(np.maximum(values, SHORTEST_NS))
    return logs


def compare_pooled(
    base: Pooled, candidate: Pooled, spread: F64, thresholds: TraceThresholds, generators: SideGenerators
) -> Effects:
    """The ratio of two quantities with its interval; `spread` (q,) is what is believed of traces before looking."""
    between, df_between = _between(base, candidate, spread, thresholds)
    draws = len(base.draws)
    noisy = [
        side.draws + rng.standard_t(df_between, size=(draws, 1)) * np.sqrt(between / side.effective_traces)
        for side, rng in zip((base, candidate), generators, strict=True)
    ]
    log_ratio = candidate.value - base.value
    ratios = noisy[1] - noisy[0]
    tail = (1 - thresholds.confidence) / 2
    low, high = np.quantile(ratios, [tail, 1 - tail], axis=0)
    within = base.draws.var(axis=0) + candidate.draws.var(axis=0)
    across = between * (1 / base.effective_traces + 1 / candidate.effective_traces)
    error = np.sqrt(within + across)
    df = np.maximum(np.square(within + across) / np.maximum(np.square(across) / df_between, 1e-30), df_between)
    df = np.minimum(df, 1e6)
    return Effects(
        log_ratio=log_ratio,
        low=np.minimum(low, log_ratio),
        high=np.maximum(high, log_ratio),
        error=error,
        df=df,
        p_value=beyond_floor(log_ratio, error, df, float(np.log(thresholds.least_ratio))),
        base_draws=noisy[0],
        candidate_draws=noisy[1],
    )


def _degrees(base: Pooled, candidate: Pooled) -> int:
    return sum(max(len(side.each) - 1, 0) for side in (base, candidate))


def _between(base: Pooled, candidate: Pooled, believed: F64, thresholds: TraceThresholds) -> tuple[F64, float]:
    """The variance (q,) of a trace's own effect, and its degrees of freedom.

    The variance of the traces' values holds their blocks' variance, too: as much as that of the pooled value times
    the number of traces.
    """
    degrees, prior_df = _degrees(base, candidate), thresholds.prior_df
    if degrees == 0:
        return np.square(believed * thresholds.spread_single), thresholds.single_df
    squares = _unexplained(base) + _unexplained(candidate)
    return (prior_df * np.square(believed) + squares) / (prior_df + degrees), prior_df + degrees


def _unexplained(side: Pooled) -> F64:
    """The squares (q,) by which the traces' values differ beyond what their blocks explain."""
    if len(side.each) < 2:
        return np.zeros_like(side.value)
    explained = side.draws.var(axis=0) * side.effective_traces
    squares: F64 = (len(side.each) - 1) * np.maximum(side.each.var(axis=0, ddof=1) - explained, 0.0)
    return squares


def learned_spread(pairs: Sequence[tuple[Pooled, Pooled]], believed: F64, thresholds: TraceThresholds) -> F64:
    """The spread (q,) believed of traces, corrected by what all victims of this comparison show together."""
    degrees = sum(_degrees(*pair) for pair in pairs)
    squares = sum((_unexplained(side) for pair in pairs for side in pair), np.zeros_like(believed))
    weight = thresholds.belief_df
    factor = (weight + squares / np.square(believed)) / (weight + degrees)
    spread: F64 = believed * np.sqrt(np.clip(factor, _LEAST_FACTOR, _MOST_FACTOR))
    return spread


def beyond_floor(log_ratio: F64, error: F64, df: F64, floor: float) -> F64:
    """Two-sided p-value against "the ratio lies within the floor, either way"."""
    t = (np.abs(log_ratio) - floor) / np.maximum(error, 1e-12)
    tail = t_two_sided(np.abs(t), df)
    return np.where(t > 0, tail, 1.0)


def detectable_log_ratio(error: F64, df: F64, floor: float, thresholds: TraceThresholds) -> F64:
    """The smallest log ratio that would be found with the wanted power."""
    found: F64 = floor + error * (t_quantile(thresholds.confidence, df) + t_quantile(2 * thresholds.power - 1, df))
    return found


def simes(p_values: F64) -> float:
    """One p-value for several dependent questions about one thing (Simes 1986); NaN is no question."""
    asked = np.sort(p_values[~np.isnan(p_values)])
    if not len(asked):
        return float("nan")
    return float(np.min(asked * len(asked) / np.arange(1, len(asked) + 1)))


def widened(values: Sequence[float]) -> F64:
    """Values as an array of doubles."""
    return np.array(values, dtype=np.float64)
