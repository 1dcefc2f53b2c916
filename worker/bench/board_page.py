"""The board's page in a real browser without a GPU: 24 panels of 720 points painted, and work per frame while the cursor moves.

The measuring itself is `frontend/bench/board.mjs`, beside what it measures.
"""

from collections.abc import Iterator

from bench.captures import ROOT
from bench.flame import measured_by
from bench.results import Result

SCRIPT = ROOT / "frontend" / "bench" / "board.mjs"


def run() -> Iterator[Result]:
    """Yield what the browser measured. Raises `RuntimeError` when it measured nothing."""
    yield from measured_by(SCRIPT, "board-page")
