"""Accuracy of latency change points: false alarms without a change, and delay of detected steps, on simulated days (`synthetic_traffic`).

A service-day is 24 hours in minutes, after six hours of known history: with or without a daily rhythm that latency follows (the
busiest hour has up to seven times the load of the quietest), without bursts, with 14 and with 86 per day, at 2, 10 and 50 requests per
second, with classic or native histograms, and with one deployment without effect. A step is in the middle of nine hours, with or without
a deployment.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator, default_rng
from scipy.stats import chi2

from bench.benchmark_results import BenchmarkResult
from bench.synthetic_traffic import (
    BOUNDS,
    MINUTES_A_DAY,
    NATIVE_BOUNDS,
    Floats,
    TrafficProfile,
    cells_of,
    counts_of,
    weather,
)
from slowpath.analysis.kinds.metrics.changes.latency_change_points import LatencyChangePoint, find_change_points
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, ServiceCells

NAME = "changes"
DAYS: Final = 2_500
STEPS: Final = 100
BEFORE: Final = 360
STRETCH: Final = 540
FOLLOWS_LOAD: Final = 0.25
"""Exponent of the load in the simulated latency."""
NEAR_MIN: Final = 5
MOST_BURSTS: Final = 0.06


@dataclass(frozen=True)
class SimulatedInterval:
    """Minutes of a service, and its deployments."""

    counts: Floats
    bounds: Floats
    deploys_ms: Sequence[int]
    rng: Generator


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes three to four minutes."""
    yield from results(DAYS, STEPS)


def results(days: int, steps: int) -> Iterator[BenchmarkResult]:
    """Yield the results for a number of days and steps."""
    false = sum(len(false_changes(seed)) for seed in range(days))
    low, high = (1000 * bound / days for bound in poisson_interval(false))
    text = f"false changes of latency per 1,000 service-days ({false} in {days}; 95 % interval {low:.2g} to {high:.2g})"
    yield BenchmarkResult(NAME, text, 1000 * false / days, goal="<= 1", met=1000 * false / days <= 1)
    for where, bursts in (("up to 14 bursts a day", (0.0, 0.01)), ("86 bursts a day", (MOST_BURSTS,))):
        for at_deploy in (False, True):
            delays = [delay_min(seed, 2.0, bursts, at_deploy=at_deploy) for seed in range(steps)]
            seen = [delay for delay in delays if delay is not None]
            text = f"doubling {'at' if at_deploy else 'without'} a deploy, {where}"
            share = 100 * len(seen) / steps
            yield BenchmarkResult(
                NAME, f"{text}: found at its place within 3 h, %", share, goal=">= 90", met=share >= 90
            )
            middle = float(np.median(seen)) if seen else float("nan")
            goal = ("<= 15", middle <= 15) if len(bursts) > 1 else (None, None)
            yield BenchmarkResult(NAME, f"{text}: minutes until it is known (median)", middle, None, None, *goal)


def poisson_interval(count: int, level: float = 0.95) -> tuple[float, float]:
    """Return the bounds of the mean of a Poisson count (Garwood 1936)."""
    rest = (1 - level) / 2
    low = float(chi2.ppf(rest, 2 * count)) / 2 if count else 0.0
    return low, float(chi2.ppf(1 - rest, 2 * count + 2)) / 2


def false_changes(seed: int) -> list[LatencyChangePoint]:
    """Return the change points found in a service-day without a change."""
    return [one for one in _found(_day(seed)) if one.seen_ms > BEFORE * MINUTE_MS]


def _day(seed: int) -> SimulatedInterval:
    rng = default_rng([seed, 21])
    bursts, rhythm = float(rng.choice([0.0, 0.01, MOST_BURSTS])), float(rng.choice([0.0, 0.5, 1.0]))
    per_second, bounds = float(rng.choice([2.0, 10.0, 50.0])), BOUNDS if rng.random() < 0.5 else NATIVE_BOUNDS
    seen = weather(rng, BEFORE + MINUTES_A_DAY, rhythm=rhythm, bursts=bursts)
    deploy_ms = int(rng.integers(BEFORE, BEFORE + MINUTES_A_DAY)) * MINUTE_MS
    return SimulatedInterval(
        counts_of(rng, seen, per_second, _with_load(seen), bounds=bounds), bounds, (deploy_ms,), rng
    )


def _with_load(seen: TrafficProfile) -> Floats:
    followed: Floats = seen.load**FOLLOWS_LOAD
    return followed


def delay_min(seed: int, ratio: float, bursts: Sequence[float], *, at_deploy: bool) -> int | None:
    """Return the minutes until a step is detected at its position (± five minutes); None if it is not."""
    rng = default_rng([seed, 22])
    seen = weather(rng, STRETCH, bursts=float(rng.choice(bursts)))
    slower = _with_load(seen) * np.where(np.arange(STRETCH) < BEFORE, 1.0, ratio)
    bounds = BOUNDS if seed % 2 else NATIVE_BOUNDS
    deploys_ms = (BEFORE * MINUTE_MS,) if at_deploy else ()
    found = _found(SimulatedInterval(counts_of(rng, seen, 20.0, slower, bounds=bounds), bounds, deploys_ms, rng))
    delays = [one.seen_ms // MINUTE_MS - BEFORE for one in found if abs(one.at_ms // MINUTE_MS - BEFORE) <= NEAR_MIN]
    return min(delays, default=None)


def _found(stretch: SimulatedInterval) -> list[LatencyChangePoint]:
    latency = cells_of(stretch.counts, bounds=stretch.bounds)
    cells = ServiceCells(latency.times_ms, MINUTE_MS, latency, latency.requests, None)
    return [change for change in find_change_points(cells, stretch.deploys_ms, stretch.rng) if change.signal != "qps"]
