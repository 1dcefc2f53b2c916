"""Decide from resampled quantiles which waiters changed, at which quantile, and what is detectable."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.exec_traces.block_bootstrap import block_weights, pooled_quantiles
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.pooled_effects import (
    QuantileEffects,
    as_float64,
    compare_pooled,
    detectable_log_ratio,
    estimate_spread,
    simes,
)
from slowpath.analysis.stats.side_generators import SideGenerators

F64 = NDArray[np.float64]

# All resampled quantiles: those between the tested ones are for the page.
GRID = as_float64(
    [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999]
)
# The tested quantiles, in order of preference for a finding.
REPORTED_QUANTILES = (0.99, 0.9, 0.999, 0.5)
AT = {quantile: int(np.flatnonzero(quantile == GRID)[0]) for quantile in REPORTED_QUANTILES}


@dataclass(frozen=True)
class TestedWaiter:
    """One waiter on both sides: quantiles (ns) on the grid, effects, and the decision.

    `usable`: which quantiles have enough waits beyond them on both sides. `q`: the false discovery rate at which the waiter
    would just count as changed, NaN if it was not tested. `quantile`: the one to report, None without a finding. `withheld`:
    the one that changed, if the machine may have been the cause.
    """

    waiter: int
    base_ns: F64
    candidate_ns: F64
    effects: QuantileEffects
    usable: NDArray[np.bool_]
    q: float = float("nan")
    quantile: float | None = None
    withheld: float | None = None

    def ratio(self, quantile: float) -> tuple[float, float, float]:
        """Return (ratio, low, high) of candidate to base at one of the tested quantiles."""
        row, effects = AT[quantile], self.effects
        return (
            float(np.exp(effects.log_ratio[row])),
            float(np.exp(effects.low[row])),
            float(np.exp(effects.high[row])),
        )

    def shift_ns(self, quantile: float) -> float:
        """Return how much the quantile changed, in ns."""
        row = AT[quantile]
        return float(self.candidate_ns[row] - self.base_ns[row])


def detectable_ratios(
    waiters_tested: Sequence[TestedWaiter], at: Sequence[float], thresholds: TraceThresholds
) -> list[float]:
    """Return the minimum detectable ratio of each waiter at its quantile, at least the smallest absolute shift.

    Relative to the side with shorter waits, so that swapped sides have the same.
    """
    rows = [AT[quantile] for quantile in at]
    error = as_float64([float(each.effects.error[row]) for each, row in zip(waiters_tested, rows, strict=True)])
    df = as_float64([float(each.effects.df[row]) for each, row in zip(waiters_tested, rows, strict=True)])
    shorter = [
        max(min(float(each.base_ns[row]), float(each.candidate_ns[row])), 1.0)
        for each, row in zip(waiters_tested, rows, strict=True)
    ]
    log_ratios = detectable_log_ratio(error, df, float(np.log(thresholds.least_ratio)), thresholds)
    ratios: list[float] = np.exp(
        np.minimum(np.maximum(log_ratios, np.log1p(thresholds.least_shift / as_float64(shorter))), 50.0)
    ).tolist()
    return ratios


def compare_waiters(
    matched: MatchedWaiters, thresholds: TraceThresholds, generators: SideGenerators
) -> dict[int, TestedWaiter]:
    """Test every waiter with enough waits on both sides, by its number.

    One p-value per waiter (Simes over its quantiles), then Benjamini-Hochberg over the waiters with a relevant part of the
    waiting, then the floors.
    """
    weights = [block_weights(side, thresholds.draws, rng) for side, rng in zip(matched.sides, generators, strict=True)]
    spread = as_float64([thresholds.spread(quantile) for quantile in GRID.tolist()])
    pairs = {
        waiter: (
            pooled_quantiles(matched.base, waiter, weights[0], GRID),
            pooled_quantiles(matched.candidate, waiter, weights[1], GRID),
        )
        for waiter in _waiters_with_data(matched, thresholds)
    }
    spread = estimate_spread(list(pairs.values()), spread, thresholds)
    measured = [
        TestedWaiter(
            waiter,
            np.exp(base.value),
            np.exp(candidate.value),
            compare_pooled(base, candidate, spread, thresholds, generators),
            _usable(matched, waiter, candidate.value - base.value, thresholds),
        )
        for waiter, (base, candidate) in pairs.items()
    ]
    return _apply_thresholds(matched, measured, thresholds)


def _usable(matched: MatchedWaiters, waiter: int, log_ratio: F64, thresholds: TraceThresholds) -> NDArray[np.bool_]:
    """Return which quantiles have enough waits beyond them, on the side with shorter waits and on the other."""
    beyond = [side.waits_of(waiter) * (1 - GRID) * (1 + 1e-9) for side in matched.sides]
    shorter, longer = np.where(log_ratio >= 0, beyond, beyond[::-1])
    usable: NDArray[np.bool_] = (shorter >= thresholds.least_beyond) & (longer >= thresholds.least_beyond_longer)
    return usable


def _waiters_with_data(matched: MatchedWaiters, thresholds: TraceThresholds) -> list[int]:
    """Return the waiters with enough waits in enough blocks on both sides, the longest waiting first, up to a limit."""
    waiters: list[int] = []
    for waiter in range(len(matched.waiters)):
        cells = [side.cells(waiter) for side in matched.sides]
        if all(
            each.count.sum() >= thresholds.least_waits and len(np.unique(each.block)) >= thresholds.least_blocks
            for each in cells
        ):
            waiters.append(waiter)
    return waiters[: thresholds.most_tested]


def _apply_thresholds(
    matched: MatchedWaiters, measured: list[TestedWaiter], thresholds: TraceThresholds
) -> dict[int, TestedWaiter]:
    shares = [matched.shares(side, matched.common) for side in matched.sides]
    tested = [each for each in measured if max(share[each.waiter] for share in shares) >= thresholds.least_share]
    rows = [AT[quantile] for quantile in REPORTED_QUANTILES]
    p_values = [simes(np.where(each.usable, each.effects.p_value, np.nan)[rows]) for each in tested]
    q = q_values(as_float64(p_values), np.ones(len(tested)))
    results = {each.waiter: each for each in measured}
    for each, rate in zip(tested, q.tolist(), strict=True):
        quantile = None
        if rate <= thresholds.alpha:
            passing = [
                reported
                for reported in REPORTED_QUANTILES
                if _passes(each, reported, (shares[0], shares[1]), thresholds)
            ]
            quantile = passing[0] if passing else None
        results[each.waiter] = replace(each, q=rate, quantile=quantile)
    return results


def _passes(waiter: TestedWaiter, quantile: float, shares: tuple[F64, F64], thresholds: TraceThresholds) -> bool:
    """Return whether the change passes the floors on ratio, shift, and share of the longer side's waiting."""
    _, low, high = waiter.ratio(quantile)
    shift = waiter.shift_ns(quantile)
    beyond = low > thresholds.least_ratio if shift > 0 else high < 1 / thresholds.least_ratio
    share = shares[1 if shift > 0 else 0][waiter.waiter]
    return (
        bool(waiter.usable[AT[quantile]])
        and beyond
        and abs(shift) >= thresholds.least_shift
        and bool(share >= thresholds.least_share)
    )
