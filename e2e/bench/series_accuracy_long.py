"""Slower results for build series: other seeds, few builds, latency, and the best possible recall."""

from collections.abc import Iterator

from bench.benchmark_results import BenchmarkResult
from bench.series_accuracy import again, young
from bench.series_bounds import bounds
from bench.series_latency import latency


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes about five minutes."""
    yield from again()
    yield from young()
    yield from latency()
    yield from bounds()
