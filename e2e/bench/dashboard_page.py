"""The dashboard in a real browser without GPU: painting 24 panels of 720 points, and work per frame while the cursor moves.

The measurement is implemented in `frontend/bench/board.mjs`.
"""

from collections.abc import Iterator

from bench.benchmark_results import BenchmarkResult
from bench.captures import ROOT
from bench.flame_graph_page import measured_by

SCRIPT = ROOT / "frontend" / "bench" / "board.mjs"


def run() -> Iterator[BenchmarkResult]:
    """Yield the measurements of the browser. Raises `RuntimeError` without measurements."""
    yield from measured_by(SCRIPT, "board-page")
