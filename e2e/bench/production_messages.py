"""Messages about production: how many without a change, and how long one takes after a step, on simulated days (`synthetic_traffic`).

The simulation gives cells of half a minute, which a scrape interval of 15 seconds allows, and minutes as their sums; both go through
the detection, and each change for the worse through the confirmation, as in the jobs. A service-day has 24 hours after six hours of known
history, with or without a daily rhythm that latency follows, without bursts, with 14 and with 86 per day, and one deployment without
effect. A message is sent as soon as the samples after a detection confirm it; to its delay belong one scrape, until the last cell is
complete, and the pauses before both jobs. Changes of load, and of a gauge of requests in flight that follows load and latency, are
counted beside those of latency: they are listed, and sent to channels that choose them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator, default_rng

from bench.benchmark_results import BenchmarkResult
from bench.change_detection_accuracy import BEFORE, FOLLOWS_LOAD, MOST_BURSTS, NEAR_MIN, poisson_interval
from bench.synthetic_traffic import BOUNDS, MINUTES_A_DAY, NATIVE_BOUNDS, Floats, TrafficProfile, counts_of, weather
from slowpath.analysis.kinds.metrics.changes.latency_change_points import (
    LatencyChangePoint,
    SignalKind,
    find_change_points,
    kind_of,
)
from slowpath.analysis.kinds.metrics.changes.level_measurement import measure_level
from slowpath.analysis.kinds.metrics.panels.gauge_cells import GaugeCells
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, ServiceCells
from slowpath.analysis.stats.histogram_cells import HistogramCells
from slowpath.evidence.metrics.rules import COMPACTION_INTERVAL_MS, DETECT_AFTER_S
from slowpath.evidence.metrics.service.change_detection import FINE_MS, FRESH_MS
from slowpath.verdicts.production_events.rules.event_states import CONFIRM_WITHIN

NAME = "inbox"
DAYS: Final = 1_500
STEPS: Final = 60
STRETCH: Final = 480
CELL_MS: Final = 30_000
SCRAPE_MS: Final = 15_000
JOB_MS: Final = round(1000 * DETECT_AFTER_S) + COMPACTION_INTERVAL_MS // 2 + 1_000
"""The pause before the detection, half the interval at which it is enqueued, and one second for it and the job that follows."""
KINDS: Final[tuple[SignalKind, ...]] = ("latency", "load", "gauge")
GOAL: Final = 1.0
"""Messages in 1,000 service-days."""
GOAL_MIN: Final = 3.0


@dataclass(frozen=True)
class SimulatedService:
    """Half minutes of a service, and its deployments."""

    counts: Floats
    bounds: Floats
    deploys_ms: Sequence[int]
    rng: Generator
    in_flight: Floats | None = None
    """[M] of minutes: the mean of what four scrapes saw."""

    def cells(self, cell_ms: int, from_ms: int, to_ms: int) -> ServiceCells:
        """Return the complete cells of this length in a time range."""
        wide = cell_ms // CELL_MS
        first, last = -(-from_ms // cell_ms), min(to_ms // cell_ms, len(self.counts) // wide)
        counts = self.counts[first * wide : last * wide].reshape(max(last - first, 0), wide, -1).sum(axis=1)
        times = np.arange(first + 1, last + 1, dtype=np.int64) * cell_ms
        latency = HistogramCells(times, self.bounds, counts)
        gauges = {}
        if cell_ms == MINUTE_MS and self.in_flight is not None:
            gauges = {"in_flight": GaugeCells(self.in_flight[first:last], is_count=True)}
        return ServiceCells(times, cell_ms, latency, latency.requests, None, gauges)

    @property
    def end_ms(self) -> int:
        """End of the last cell."""
        return len(self.counts) * CELL_MS


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes some five minutes."""
    yield from results(DAYS, STEPS)


def results(days: int, steps: int) -> Iterator[BenchmarkResult]:
    """Yield the results for a number of days and steps."""
    detected, sent = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    for seed in range(days):
        for change, at in listed_changes(_day(seed)):
            detected[kind_of(change.signal)] += 1
            sent[kind_of(change.signal)] += at is not None
    for kind in KINDS:
        low, high = (1000 * bound / days for bound in poisson_interval(sent[kind]))
        text = f"{kind}: messages per 1,000 service-days without a change ({sent[kind]} in {days}, "
        text += f"95 % interval {low:.2g} to {high:.2g}; {detected[kind]} unconfirmed included)"
        share = 1000 * sent[kind] / days
        yield BenchmarkResult(NAME, text, share, goal="<= 1", met=share <= GOAL)
    for at_deploy in (True, False):
        delays = [delay_min(seed, at_deploy=at_deploy) for seed in range(steps)]
        seen = [delay for delay in delays if delay is not None]
        where = f"a doubling {'at' if at_deploy else 'without'} a deployment, scrape of 15 s"
        share = 100 * len(seen) / steps
        yield BenchmarkResult(NAME, f"{where}: messages sent, %", share, goal=">= 90", met=share >= 90)
        middle = float(np.median(seen)) if seen else float("nan")
        goal = ("<= 3", middle <= GOAL_MIN) if at_deploy else (None, None)
        yield BenchmarkResult(NAME, f"{where}: minutes until the message (median)", middle, None, None, *goal)


def worse_changes(service: SimulatedService) -> list[tuple[LatencyChangePoint, int | None]]:
    """Return the changes of latency for the worse, each with the time of its message; None: not confirmed."""
    return [(change, at) for change, at in listed_changes(service) if kind_of(change.signal) == "latency"]


def listed_changes(service: SimulatedService) -> list[tuple[LatencyChangePoint, int | None]]:
    """Return the changes after the history that open events, each with the time of its message; None: not confirmed."""
    found: list[LatencyChangePoint] = []
    minutes = service.cells(MINUTE_MS, 0, service.end_ms)
    for cells in _grids(service):
        learned = minutes if cells.cell_ms < MINUTE_MS else None
        for change in find_change_points(cells, service.deploys_ms, service.rng, minutes=learned):
            kind = kind_of(change.signal)
            alike = [other for other in found if kind_of(other.signal) == kind]
            is_new = all(abs(change.at_ms - other.at_ms) > MINUTE_MS for other in alike)
            if (kind == "load" or change.ratio > 1) and change.seen_ms > BEFORE * MINUTE_MS and is_new:
                found.append(change)
    return [(change, message_ms(service, change)) for change in found]


def _grids(service: SimulatedService) -> Iterator[ServiceCells]:
    """Yield half minutes around each deployment, as far as the detection reads them, and all minutes."""
    for at in service.deploys_ms:
        yield service.cells(CELL_MS, max(0, at + FRESH_MS - FINE_MS), at + FRESH_MS)
    yield service.cells(MINUTE_MS, 0, service.end_ms)


def message_ms(service: SimulatedService, change: LatencyChangePoint) -> int | None:
    """Return when the message about a change is sent; None if later samples do not confirm it."""
    begin = change.low_ms - 65 * MINUTE_MS
    last_ms = min(service.end_ms, change.seen_ms + round(1000 * CONFIRM_WITHIN.total_seconds()))
    for at in range(change.seen_ms + CELL_MS, last_ms + 1, CELL_MS):
        grids = [service.cells(cell_ms, max(0, begin), at) for cell_ms in (MINUTE_MS, CELL_MS)]
        if measure_level(grids, change, at, service.rng).persists:
            return at + SCRAPE_MS + JOB_MS
    return None


def _day(seed: int) -> SimulatedService:
    rng = default_rng([seed, 31])
    bursts, rhythm = float(rng.choice([0.0, 0.01, MOST_BURSTS])), float(rng.choice([0.0, 0.5, 1.0]))
    per_second, bounds = float(rng.choice([2.0, 10.0, 50.0])), BOUNDS if rng.random() < 0.5 else NATIVE_BOUNDS
    seen = _halved(weather(rng, BEFORE + MINUTES_A_DAY, rhythm=rhythm, bursts=bursts))
    deploy_ms = int(rng.integers(BEFORE, BEFORE + MINUTES_A_DAY)) * MINUTE_MS
    counts = counts_of(rng, seen, per_second / 2, seen.load**FOLLOWS_LOAD, bounds=bounds)
    return SimulatedService(counts, bounds, (deploy_ms,), rng, _in_flight(counts, bounds, default_rng([seed, 33])))


def _in_flight(counts: Floats, bounds: Floats, rng: Generator) -> Floats:
    """[M] Return the requests in flight that four scrapes of a minute see on average: arrivals x their time."""
    upper = np.append(bounds[:-1], 2 * bounds[-2])
    seconds = (counts * (upper + np.append(0.0, upper[:-1])) / 2).sum(axis=1)
    expected = seconds / (CELL_MS / 1000)
    seen = rng.poisson(np.repeat(expected, CELL_MS // SCRAPE_MS))
    means: Floats = seen.reshape(-1, MINUTE_MS // SCRAPE_MS).mean(axis=1)
    return means


def delay_min(seed: int, *, at_deploy: bool) -> float | None:
    """Return the minutes from a doubling to its message; None if there is none at its place (± five minutes)."""
    rng = default_rng([seed, 32])
    seen = _halved(weather(rng, STRETCH, bursts=float(rng.choice([0.0, 0.01]))))
    factor = np.where(np.arange(2 * STRETCH) < 2 * BEFORE, 1.0, 2.0)
    bounds = BOUNDS if seed % 2 else NATIVE_BOUNDS
    counts = counts_of(rng, seen, 10.0, seen.load**FOLLOWS_LOAD * factor, bounds=bounds)
    step_ms = BEFORE * MINUTE_MS
    service = SimulatedService(counts, bounds, (step_ms,) if at_deploy else (), rng)
    sent = [
        (at - step_ms) / MINUTE_MS
        for change, at in worse_changes(service)
        if at is not None and abs(change.at_ms - step_ms) <= NEAR_MIN * MINUTE_MS
    ]
    return min(sent, default=None)


def _halved(minutes: TrafficProfile) -> TrafficProfile:
    """Return each minute as two halves. A burst lasts minutes, so both halves are in it."""
    return TrafficProfile(np.repeat(minutes.load, 2), np.repeat(minutes.burst, 2))
