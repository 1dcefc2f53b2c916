"""Compare the waiting for a processor per second (or request).

Of all goroutines, and of one-sided groups. Quantiles measure the length of one wait. They miss goroutines that wait on
one side only, and more waits of the same length. The rate of waiting covers both; it also decides the verdict if
latencies changed in both directions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import Effect
from slowpath.analysis.kinds.exec_traces.block_bootstrap import F32, block_weights
from slowpath.analysis.kinds.exec_traces.duration_buckets import lower_bounds, widths
from slowpath.analysis.kinds.exec_traces.load_estimate import load_of, request_rate
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.kinds.exec_traces.wait_significance import TestedWaiter
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.pooled_effects import (
    PooledQuantiles,
    QuantileEffects,
    as_float64,
    compare_pooled,
    detectable_log_ratio,
    estimate_spread,
)
from slowpath.analysis.stats.side_generators import SideGenerators

F64 = NDArray[np.float64]
WaiterNumbers = tuple[int, ...]

_HIGHEST = 50.0


@dataclass(frozen=True)
class WaitingRate:
    """Waiting of some waiters on both sides, in ns per second or request, and its change.

    `effects` are of the rate plus an offset, so that zero has a logarithm; `q` is the false discovery rate.
    """

    waiters: WaiterNumbers
    base: float
    candidate: float
    change: Effect
    effects: QuantileEffects
    q: float

    @property
    def is_worse(self) -> bool:
        """Return whether the candidate waits more."""
        return self.candidate > self.base

    def is_beyond(self, least: float) -> bool:
        """Return whether the interval is beyond a ratio, in the direction of the change."""
        bound = self.effects.low[0] if self.is_worse else -self.effects.high[0]
        return bool(bound > np.log(least))

    def detectable(self, thresholds: TraceThresholds) -> float:
        """Return the minimum detectable ratio."""
        floor = float(np.log(thresholds.least_ratio))
        log_ratio = detectable_log_ratio(self.effects.error, self.effects.df, floor, thresholds)
        return float(np.exp(min(float(log_ratio[0]), _HIGHEST)))


@dataclass(frozen=True)
class WaitingRates:
    """The waiting of all goroutines of the program, and of those without comparable single waits.

    `unit` applies to all rates; `load_ratio` is the candidate's load over base's unless rates are per request.
    """

    unit: str
    total: WaitingRate | None
    one_sided: tuple[WaitingRate, ...]
    load_ratio: float


def waiting_of(
    matched: MatchedWaiters,
    results: Mapping[int, TestedWaiter],
    thresholds: TraceThresholds,
    generators: SideGenerators,
) -> WaitingRates:
    """Compare the rates of waiting: the total, and each group that waits (almost) only on one side."""
    requests = [request_rate(side) for side in matched.sides]
    per_request = all(requests)
    per = requests if per_request else [1.0, 1.0]
    all_waiters: WaiterNumbers = tuple(np.flatnonzero(matched.can_be_findings).tolist())
    largest = np.maximum(*(matched.shares(side, matched.can_be_findings) for side in matched.sides))
    groups = _one_sided(matched, results, largest, thresholds)
    common = [
        (waiter,) for waiter in results if matched.can_be_findings[waiter] and largest[waiter] >= thresholds.least_share
    ]
    offset = thresholds.least_share * max(
        _rate(side, all_waiters) / each for side, each in zip(matched.sides, per, strict=True)
    )
    if offset <= 0:
        return WaitingRates("nanoseconds/s", None, (), 1.0)
    weights = [block_weights(side, thresholds.draws, rng) for side, rng in zip(matched.sides, generators, strict=True)]
    tested: list[WaiterNumbers] = [all_waiters, *groups]
    pooled = [
        _pool_sides(matched, waiters, weights, per=per, offset=offset, generators=generators)
        for waiters in [*tested, *common]
    ]
    spread = estimate_spread(pooled, as_float64([thresholds.spread_waiting]), thresholds)
    effects = [
        compare_pooled(base, candidate, spread, thresholds, generators) for base, candidate in pooled[: len(tested)]
    ]
    q = q_values(as_float64([float(each.p_value[0]) for each in effects]), np.ones(len(effects)))
    rates = [
        _compare(matched, waiters, each, q=rate, per=per, offset=offset, thresholds=thresholds)
        for waiters, each, rate in zip(tested, effects, q.tolist(), strict=True)
    ]
    return WaitingRates(
        unit="nanoseconds/request" if per_request else "nanoseconds/s",
        total=rates[0],
        one_sided=tuple(rates[1:]),
        load_ratio=1.0 if per_request else load_of(matched).ratio or 1.0,
    )


def _one_sided(
    matched: MatchedWaiters, results: Mapping[int, TestedWaiter], largest: F64, thresholds: TraceThresholds
) -> list[WaiterNumbers]:
    """Return waiters with a part of the waiting on one side and too few waits on the other, by group."""
    waits = np.stack([side.waits.sum(axis=1) for side in matched.sides])
    by_group: dict[tuple[str, int], list[int]] = {}
    for number, waiter in enumerate(matched.waiters):
        if not matched.can_be_findings[number] or number in results or largest[number] < thresholds.least_share:
            continue
        side = int(np.argmax(waits[:, number]))
        if waits[side, number] >= thresholds.least_waits > waits[1 - side, number]:
            by_group.setdefault((waiter.group, side), []).append(number)
    return [tuple(numbers) for numbers in by_group.values()][: thresholds.most_tested]


def _rate(side: WaiterSide, waiters: Sequence[int]) -> float:
    """Return waiting in ns per second."""
    return float(side.total_ns[list(waiters)].sum()) / side.seconds if waiters else 0.0


def _block_waiting(side: WaiterSide, waiters: Sequence[int]) -> F64:
    """Return waiting (ns) in each block of the side."""
    total = np.zeros(len(side.block_trace))
    for waiter in waiters:
        cells = side.cells(waiter)
        middle = lower_bounds(cells.bucket) + widths(cells.bucket) / 2
        total += np.bincount(cells.block, weights=cells.count * middle, minlength=len(total))
    return total


def _pool_sides(
    matched: MatchedWaiters,
    waiters: WaiterNumbers,
    weights: Sequence[F32],
    *,
    per: Sequence[float],
    offset: float,
    generators: SideGenerators,
) -> tuple[PooledQuantiles, PooledQuantiles]:
    """Return the logarithm of the rate plus an offset, on both sides.

    No event in so many blocks does not mean a rate of zero: each draw gets an additional average busy block, in an amount
    distributed exponentially about one (the posterior of a rate after no event).
    """
    blocks = [_block_waiting(side, waiters) for side in matched.sides]
    busy = np.concatenate([each[each > 0] for each in blocks])
    usual = float(busy.mean()) if len(busy) else 0.0
    base, candidate = (
        _pool_side(
            side, waiters, each, weight, per=unit, offset=offset, unseen=usual * rng.standard_exponential(len(weight))
        )
        for side, each, weight, unit, rng in zip(matched.sides, blocks, weights, per, generators, strict=True)
    )
    return base, candidate


def _pool_side(
    side: WaiterSide, waiters: WaiterNumbers, blocks: F64, weights: F32, *, per: float, offset: float, unseen: F64
) -> PooledQuantiles:
    of_traces: F64 = side.total_ns[list(waiters)].sum(axis=0)
    return pool_rate(side, of_traces, blocks, weights, per=per, offset=offset, unseen=unseen)


def pool_rate(
    side: WaiterSide, of_traces: F64, blocks: F64, weights: F32, *, per: float, offset: float, unseen: F64
) -> PooledQuantiles:
    """Return the logarithm of a rate plus an offset: `of_traces` is the exact time in each trace, `blocks` that in each block."""
    rate, block_total = float(of_traces.sum()) / side.seconds, float(blocks.sum())
    # Lengths of waits are bucketed; the rate is exact.
    exact = rate * side.seconds / block_total if block_total else 1.0
    resampled = ((weights @ blocks.astype(np.float32)).astype(np.float64) + unseen) * exact / side.seconds / per
    seconds = np.maximum(np.array(side.seconds_of), 1e-9)
    each = of_traces / seconds / per
    return PooledQuantiles(
        value=np.log([rate / per + offset]),
        draws=np.log(resampled + offset)[:, None],
        each=np.log(each + offset)[:, None],
        parts=seconds / float(seconds.sum()),
    )


def _compare(
    matched: MatchedWaiters,
    waiters: WaiterNumbers,
    effects: QuantileEffects,
    *,
    q: float,
    per: Sequence[float],
    offset: float,
    thresholds: TraceThresholds,
) -> WaitingRate:
    base, candidate = (_rate(side, waiters) / each for side, each in zip(matched.sides, per, strict=True))
    return make_rate(waiters, base, candidate, effects, q=q, offset=offset, thresholds=thresholds)


def make_rate(
    waiters: WaiterNumbers,
    base: float,
    candidate: float,
    effects: QuantileEffects,
    *,
    q: float,
    offset: float,
    thresholds: TraceThresholds,
) -> WaitingRate:
    """Return a rate with its change: a ratio, or a difference if one side is below the offset."""
    difference = candidate - base
    ratio = candidate / base if base > 0 and candidate > 0 else None
    if ratio is not None and min(base, candidate) > offset:
        low, high = (float(np.exp(np.clip(each[0], -_HIGHEST, _HIGHEST))) for each in (effects.low, effects.high))
        change = Effect(ratio, difference, min(low, ratio), max(high, ratio), thresholds.confidence, "ratio")
        return WaitingRate(waiters, base, candidate, change, effects, q)
    tail = (1 - thresholds.confidence) / 2
    resampled = np.exp(effects.candidate_draws[:, 0]) - np.exp(effects.base_draws[:, 0])
    low, high = (float(bound) for bound in np.quantile(resampled, [tail, 1 - tail]))
    change = Effect(ratio, difference, min(low, difference), max(high, difference), thresholds.confidence, "difference")
    return WaitingRate(waiters, base, candidate, change, effects, q)
