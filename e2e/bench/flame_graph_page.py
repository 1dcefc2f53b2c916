"""The flame graph with half a million nodes in a real browser without GPU: first frame, and work per frame.

The measurement is implemented in `e2e/bench/browser/flame.mjs`; this module converts its lines to results.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.benchmark_results import BenchmarkResult
from bench.captures import ROOT

SCRIPT = Path(__file__).parent / "browser" / "flame.mjs"
MOST_SECONDS = 300.0


def run() -> Iterator[BenchmarkResult]:
    """Yield the measurements of the browser. Raises `RuntimeError` without measurements."""
    yield from measured_by(SCRIPT, "flame")


def measured_by(script: Path, name: str) -> Iterator[BenchmarkResult]:
    """Yield the measurements of a script of `browser`, one JSON line each. Raises `RuntimeError` without measurements."""
    node = shutil.which("node") or "node"
    ended = subprocess.run(
        [node, str(script)], cwd=ROOT / "frontend", capture_output=True, text=True, timeout=MOST_SECONDS, check=False
    )
    lines = [line for line in ended.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"{script.name} measured nothing: {ended.stderr[-500:]}")
    for line in lines:
        measured = json.loads(line)
        goal = measured.get("goal")
        goal_text = f"<= {goal}" if isinstance(goal, int | float) else goal
        yield BenchmarkResult(
            name,
            measured["what"],
            measured["value"],
            measured.get("peer"),
            measured.get("ratio"),
            goal_text,
            measured["met"],
        )
