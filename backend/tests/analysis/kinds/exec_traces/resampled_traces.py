"""Many comparisons of drawn sets, counted: how often equal sets show a finding, changes are found, intervals hold."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from slowpath.analysis.kinds.exec_traces.block_bootstrap import block_weights, pooled_quantiles
from slowpath.analysis.kinds.exec_traces.trace_thresholds import DEFAULT_TRACE_THRESHOLDS
from slowpath.analysis.kinds.exec_traces.wait_significance import AT, GRID
from slowpath.analysis.kinds.exec_traces.waiters import match_waiters
from slowpath.analysis.stats.pooled_effects import as_float64, compare_pooled, estimate_spread
from tests.analysis.kinds.exec_traces.compare_helpers import compared
from tests.analysis.kinds.exec_traces.generated_traces import GeneratedWaiter, traces

# Long waits on purpose: the floor of 100 µs holds nothing back, only the statistics do.
LOUD = tuple(
    GeneratedWaiter(f"main.worker{number}", reason, rate, median_ns, sigma=1.3, burst=0.5)
    for number, (reason, rate, median_ns) in enumerate(
        [
            ("network", 150, 400_000), ("chan receive", 600, 900_000), ("select", 300, 250_000), ("sync", 80, 2_000_000),
            ("network", 40, 700_000), ("chan send", 200, 150_000), ("syscall exit", 100, 1_500_000), ("created", 60, 500_000),
        ]
    )
)  # fmt: skip


def shifted(waiters: Sequence[GeneratedWaiter], factor: float, number: int) -> list[GeneratedWaiter]:
    """The same, with one waiter that waits longer by a factor."""
    return [
        replace(each, median_ns=each.median_ns * factor) if at == number else each for at, each in enumerate(waiters)
    ]


def alarms(rounds: int, a_side: int, spread: float, seconds: float, seed: int = 0) -> int:
    """How many of so many comparisons of equal sets show any finding."""
    found = 0
    for number in range(rounds):
        base, candidate = (
            traces(LOUD, a_side, seed + 2 * number + side, spread=spread, seconds=seconds) for side in (1_000, 1_001)
        )
        found += bool(compared(base, candidate, seed=number).findings)
    return found


def hits(rounds: int, a_side: int, spread: float, factor: float, seed: int = 0) -> int:
    """How many of these comparisons find the one waiter that waits longer, and no other."""
    found = 0
    for number in range(rounds):
        base = traces(LOUD, a_side, seed + 2 * number + 1_000, spread=spread, seconds=4)
        candidate = traces(shifted(LOUD, factor, 1), a_side, seed + 2 * number + 1_001, spread=spread, seconds=4)
        delays = [f for f in compared(base, candidate, seed=number).findings if f.kind == "trace.sched_delay"]
        found += [each.subject for each in delays] == ["main.worker1|chan receive"]
    return found


def covered(rounds: int, a_side: int, spread: float, factor: float, seed: int = 0) -> dict[float, float]:
    """The share of intervals that hold the true ratio, by quantile; over all waiters of these comparisons."""
    inside = {quantile: [0, 0] for quantile in (0.5, 0.9, 0.99)}
    spreads = as_float64([DEFAULT_TRACE_THRESHOLDS.spread(quantile) for quantile in GRID.tolist()])
    slower = [replace(each, median_ns=each.median_ns * factor) for each in LOUD]
    for number in range(rounds):
        rng = np.random.default_rng(number)
        base = traces(LOUD, a_side, seed + 2 * number + 1_000, spread=spread, seconds=4)
        candidate = traces(slower, a_side, seed + 2 * number + 1_001, spread=spread, seconds=4)
        matched = match_waiters(base, candidate)
        weights = [block_weights(side, 400, rng) for side in matched.sides]
        pairs = [
            (
                pooled_quantiles(matched.base, waiter, weights[0], GRID),
                pooled_quantiles(matched.candidate, waiter, weights[1], GRID),
            )
            for waiter in range(len(matched.waiters))
        ]
        believed = estimate_spread(pairs, spreads, DEFAULT_TRACE_THRESHOLDS)
        for waiter, pair in enumerate(pairs):
            effects = compare_pooled(*pair, believed, DEFAULT_TRACE_THRESHOLDS, (rng, rng))
            for quantile, counts in inside.items():
                if matched.base.waits_of(waiter) * (1 - quantile) >= 5:
                    row = AT[quantile]
                    counts[0] += bool(effects.low[row] <= np.log(factor) <= effects.high[row])
                    counts[1] += 1
    return {quantile: counts[0] / counts[1] for quantile, counts in inside.items()}
