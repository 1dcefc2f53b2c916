"""CPU time, memory and accuracy of a million series over builds in one call, which is FBDetect's scale.

One series in a hundred has a step of 5% between build 20 and 180; normal noise with a coefficient of variation of 3%.
"""

import resource
import time
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.random import default_rng

from bench.benchmark_results import BenchmarkResult
from bench.series_noise import BUILDS, F64, I64, noise, stepped
from slowpath.analysis.series.change_points import find_in_many
from slowpath.analysis.series.online_detection import evaluate_many

NAME: Final = "series"
SERIES: Final = 1_000_000
DRAWN_AT_ONCE: Final = 10_000
EVERY: Final = 100
RATIO: Final = 1.05
MOST_CPU_S: Final = 120
MOST_BYTES: Final = 4_000_000_000
MOST_FALSE: Final = 0.2
"""Per 1,000 builds: the goal of the same detector with few series."""
LEAST_FOUND: Final = 90.0
NEAR: Final = 5


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes about three minutes and 3 GB."""
    series, at = _drawn()
    begin = time.process_time()
    found = find_in_many(series)
    took_s = time.process_time() - begin
    places = [[point.index for point in points] for points in found]
    false = 1000 * sum(len(one) for one, step in zip(places, at.tolist(), strict=True) if step == BUILDS)
    hits = [
        any(abs(index - step) <= NEAR for index in one)
        for one, step in zip(places, at.tolist(), strict=True)
        if step < BUILDS
    ]
    share = 100 * sum(hits) / len(hits)
    what = "1,000,000 series of 200 builds"
    per_build = false / (BUILDS * (SERIES - len(hits)))
    yield _result(f"{what}: s of CPU", took_s, f"<= {MOST_CPU_S}", met=took_s <= MOST_CPU_S)
    yield _result(f"{what}: false alarms per 1,000 builds", per_build, f"<= {MOST_FALSE}", met=per_build <= MOST_FALSE)
    yield _result(f"{what}: % of 5% steps found", share, f">= {LEAST_FOUND:.0f}", met=share >= LEAST_FOUND)
    del found, places
    begin = time.process_time()
    evaluate_many(series)
    took_s = time.process_time() - begin
    yield _result(f"{what}, newest build: s of CPU", took_s, f"<= {MOST_CPU_S}", met=took_s <= MOST_CPU_S)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    yield _result(f"{what}: peak memory in GB", peak / 1e9, "<= 4", met=peak <= MOST_BYTES)


def _drawn() -> tuple[F64, I64]:
    rng = default_rng(8)
    at = np.where(np.arange(SERIES) % EVERY == 0, rng.integers(20, 181, SERIES), BUILDS)
    series = np.empty((SERIES, BUILDS))
    for first in range(0, SERIES, DRAWN_AT_ONCE):
        part = slice(first, first + DRAWN_AT_ONCE)
        series[part] = stepped(noise(rng, "gauss", DRAWN_AT_ONCE), at[part], RATIO)
    return series, at


def _result(what: str, value: float, goal: str, *, met: bool) -> BenchmarkResult:
    return BenchmarkResult(NAME, what, value, None, None, goal, met)
