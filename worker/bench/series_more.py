"""What takes longer of series over builds: other seeds, few builds, latency."""

from collections.abc import Iterator

from bench.results import Result
from bench.series import again, young
from bench.series_latency import latency


def run() -> Iterator[Result]:
    """All results; about five minutes."""
    yield from again()
    yield from young()
    yield from latency()
