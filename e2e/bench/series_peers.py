"""Apache Otava as a peer, in a separate environment because it needs other versions of dependencies."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.captures import ROOT
from bench.series_noise import F64

OTAVA: Final = "apache-otava==0.8.0"
TOOLS: Final = ROOT / ".slowpath" / "tools"
OTAVA_FOLDER: Final = TOOLS / "otava"


@dataclass(frozen=True)
class PeerAnswer:
    """Return the indices of the change points of each series, and the CPU time."""

    points: list[list[int]]
    cpu_s: float


def otava_python() -> Path | None:
    """Return the Python of its environment, created if necessary; None if it is not available."""
    python = OTAVA_FOLDER / "bin" / "python"
    uv = TOOLS / "bin" / "uv"
    if python.exists() and _works(python):
        return python
    if not uv.exists():
        return None
    for command in (
        [str(uv), "venv", "--quiet", "--clear", "--python", sys.executable, str(OTAVA_FOLDER)],
        [str(uv), "pip", "install", "--quiet", "--python", str(python), OTAVA],
    ):
        if subprocess.run(command, capture_output=True, check=False, timeout=300).returncode != 0:
            return None
    return python if _works(python) else None


def _works(python: Path) -> bool:
    asked = [str(python), "-c", "import otava.analysis"]
    return subprocess.run(asked, capture_output=True, check=False, timeout=300).returncode == 0


def otava_points(python: Path, series: F64) -> PeerAnswer:
    """Return its change points of series [series, builds]."""
    program = Path(__file__).with_name("otava_points.py")
    completed = subprocess.run(
        [str(python), str(program)],
        input=json.dumps({"series": series.tolist()}),
        capture_output=True,
        text=True,
        check=True,
        timeout=900,
    )
    answer = json.loads(completed.stdout)
    return PeerAnswer(answer["points"], answer["cpu_s"])
