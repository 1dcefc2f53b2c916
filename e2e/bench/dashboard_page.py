"""The dashboard in a real browser without GPU: painting 24 panels of 720 points, and work per frame while the cursor moves.

The measurement is implemented in `e2e/bench/browser/dashboard.mjs`.
"""

from collections.abc import Iterator
from pathlib import Path

from bench.benchmark_results import BenchmarkResult
from bench.flame_graph_page import measured_by

SCRIPT = Path(__file__).parent / "browser" / "dashboard.mjs"


def run() -> Iterator[BenchmarkResult]:
    """Yield the measurements of the browser. Raises `RuntimeError` without measurements."""
    yield from measured_by(SCRIPT, "board-page")
