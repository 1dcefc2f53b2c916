"""Changes of latency: how often one is marked where nothing changed, and how soon a step is, on made-up days (`traffic`).

A service-day is 24 hours, minute by minute: with or without a day's rhythm that latency follows, without bursts, with 14 and with
86 a day, at 2, 10 and 50 requests a second. A step is put into the middle of a stretch of nine hours, at a deploy or not.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.random import Generator, default_rng

from bench.results import Result
from bench.traffic import MINUTES_A_DAY, Floats, Weather, cells_of, counts_of, weather
from slowpath.analysis.metrics.changes import ServiceChange, find_changes
from slowpath.analysis.metrics.service_cells import MINUTE_MS, ServiceCells

NAME = "changes"
DAYS: Final = 300
STEPS: Final = 60
BEFORE: Final = 360
STRETCH: Final = 540
FOLLOWS_LOAD: Final = 0.25
"""Latency goes with load to this power."""
NEAR_MIN: Final = 5


def run() -> Iterator[Result]:
    """All results; two minutes."""
    yield from results(DAYS, STEPS)


def results(days: int, steps: int) -> Iterator[Result]:
    """The same of so many days and steps."""
    false = sum(len(_found(*_day(seed), deploys_ms=())) for seed in range(days))
    per_thousand = 1000 * false / days
    told = f"false changes of latency per 1,000 service-days ({false} in {days})"
    yield Result(NAME, told, per_thousand, goal="<= 1 per 1,000, beyond what so few days can tell", met=false <= 1)
    for where, bursts in (("up to 14 bursts a day", (0.0, 0.01)), ("86 bursts a day", (0.06,))):
        for at_deploy in (False, True):
            delays = [_delay_min(seed, 2.0, bursts, at_deploy=at_deploy) for seed in range(steps)]
            seen = [delay for delay in delays if delay is not None]
            told = f"doubling {'at' if at_deploy else 'without'} a deploy, {where}"
            yield Result(NAME, f"{told}: found within 3 h, %", 100 * len(seen) / steps)
            middle = float(np.median(seen)) if seen else float("nan")
            goal = ("<= 15", middle <= 15) if len(bursts) > 1 else (None, None)
            yield Result(NAME, f"{told}: minutes until it is known (median)", middle, None, None, *goal)


def _day(seed: int) -> tuple[Floats, Generator]:
    rng = default_rng([seed, 21])
    bursts, rhythm = float(rng.choice([0.0, 0.01, 0.06])), float(rng.choice([0.0, 0.5]))
    per_second = float(rng.choice([2.0, 10.0, 50.0]))
    seen = weather(rng, MINUTES_A_DAY, rhythm=rhythm, bursts=bursts)
    return counts_of(rng, seen, per_second, slower=_with_load(seen)), rng


def _with_load(seen: Weather) -> Floats:
    followed: Floats = seen.load**FOLLOWS_LOAD
    return followed


def _delay_min(seed: int, ratio: float, bursts: Sequence[float], *, at_deploy: bool) -> int | None:
    rng = default_rng([seed, 22])
    seen = weather(rng, STRETCH, bursts=float(rng.choice(bursts)))
    slower = _with_load(seen) * np.where(np.arange(STRETCH) < BEFORE, 1.0, ratio)
    found = _found(
        counts_of(rng, seen, 20.0, slower=slower), rng, deploys_ms=(BEFORE * MINUTE_MS,) if at_deploy else ()
    )
    delays = [one.seen_ms // MINUTE_MS - BEFORE for one in found if abs(one.at_ms // MINUTE_MS - BEFORE) <= NEAR_MIN]
    return min(delays, default=None)


def _found(counts: Floats, rng: Generator, *, deploys_ms: Sequence[int]) -> list[ServiceChange]:
    latency = cells_of(counts)
    cells = ServiceCells(latency.times_ms, MINUTE_MS, latency, latency.requests, None)
    return [change for change in find_changes(cells, deploys_ms, rng) if change.signal != "qps"]
