"""The board's page in a real browser without a GPU: 24 panels of 720 points painted, and work per frame while the cursor moves.

The measuring itself is `frontend/bench/board.mjs`, beside what it measures.
"""

from collections.abc import Iterator

from bench.benchmark_results import BenchmarkResult
from bench.captures import ROOT
from bench.flame_graph_page import measured_by

SCRIPT = ROOT / "frontend" / "bench" / "board.mjs"


def run() -> Iterator[BenchmarkResult]:
    """Yield what the browser measured. Raises `RuntimeError` when it measured nothing."""
    yield from measured_by(SCRIPT, "board-page")
