"""Accuracy of latency over builds with simulated traffic: false alarms of unchanged builds, and delay of slower ones.

Each build runs for `HOURS` in bursty traffic (`synthetic_traffic`) with a random placement (3%); windows are drawn from a pool
that is measured once. Every evaluation uses both quantiles of the series, like the worker's.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.random import Generator, default_rng

from bench.benchmark_results import BenchmarkResult
from bench.synthetic_traffic import cells_of, counts_of, weather
from slowpath.analysis.builds.change_detection import scan_history
from slowpath.analysis.builds.latency_measurements import DeploymentLatency, measure_latency
from slowpath.analysis.builds.series_matrix import SeriesMatrix
from slowpath.analysis.kinds.metrics.changes.exclusive_latency import ALL, ExclusiveLatency
from slowpath.analysis.series.series_rows import F64

NAME: Final = "series"
POOL, HOURS, PER_SECOND = 200, 4, 20.0
PLACEMENTS: Final = 0.03
LINES, BUILDS, FIRST = 120, 100, 10
STEPPED, BEFORE, AFTER = 60, 60, 12


def latency() -> Iterator[BenchmarkResult]:
    """Yield all results; takes about a minute."""
    rng = default_rng(12)
    values, errors = _pool(rng)
    for number, name in enumerate(("p50", "p99")):
        spread = 100 * float(np.std(np.log(values[number])))
        yield BenchmarkResult(
            NAME, f"latency, windows of {HOURS} h: {name} of one build differs between windows by, %", spread
        )
    reported = sum(_builds_until_reported(_line(rng, values, errors, BUILDS), FIRST) is not None for _ in range(LINES))
    share = 100 * reported / LINES
    what = f"latency: unchanged lines of {BUILDS} builds reported in any evaluation, % of {LINES}"
    yield BenchmarkResult(NAME, what, share, goal="<= 1", met=share <= 1)
    for ratio in (1.10, 1.20, 1.50):
        delays = []
        for _ in range(STEPPED):
            line = _line(rng, values, errors, BEFORE + AFTER, ratio)
            at = _builds_until_reported(line, BEFORE + 1)
            delays.append(AFTER + 1 if at is None else at - BEFORE)
        step = f"latency alone, {100 * (ratio - 1):.0f} % more after {BEFORE} builds"
        share = 100 * float(np.mean(np.array(delays) <= AFTER))
        yield BenchmarkResult(NAME, f"{step}: reported within {AFTER} builds, %", share)
        middle = float(np.median(delays))
        yield BenchmarkResult(NAME, f"{step}: builds until it is reported (median; {AFTER + 1}: more)", middle)


def _pool(rng: Generator) -> tuple[F64, F64]:
    """[quantiles, windows] Return the measurements of windows of one build, and their standard errors."""
    values, errors = np.empty((2, POOL)), np.empty((2, POOL))
    for number in range(POOL):
        cells = cells_of(counts_of(rng, weather(rng, 60 * HOURS), PER_SECOND))
        deploys = [DeploymentLatency("production", ExclusiveLatency({ALL: cells}, ""))]
        held = measure_latency(deploys, rng)[0].bases["quantile"]
        values[:, number], errors[:, number] = held.value, held.error
    return values, errors


def _line(rng: Generator, values: F64, errors: F64, builds: int, ratio: float = 1.0) -> SeriesMatrix:
    """Return builds in random windows and placements; those after `BEFORE` are slower by the factor."""
    drawn = rng.integers(0, values.shape[1], builds)
    slower = np.exp(rng.normal(0, PLACEMENTS, builds)) * np.where(np.arange(builds) < BEFORE, 1.0, ratio)
    subjects = ("production p50", "production p99")
    counts = np.ones(builds, np.int32)
    return SeriesMatrix(
        "latency", "quantile", "ns", subjects, values[:, drawn] * slower, errors[:, drawn] * slower, counts,
        ((), ()), (None, None),
    )  # fmt: skip


def _builds_until_reported(line: SeriesMatrix, first: int) -> int | None:
    """Return the number of builds until a change is reported; None if never."""
    for builds in range(first, len(line.counts) + 1):
        cut = SeriesMatrix(
            line.kind, line.basis, line.unit, line.subjects, line.values[:, :builds], line.errors[:, :builds],
            line.counts[:builds], line.callers, line.categories,
        )  # fmt: skip
        alike = {"latency": np.zeros(builds, np.int32)}
        if any(group.is_reported for group in scan_history([cut], alike, [], frozenset()).groups):
            return builds
    return None
