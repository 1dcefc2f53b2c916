"""Capture labelled profiles: `python -m bench.capture_labels --out FOLDER [--profiles 40] [--cpu-seconds 12]`.

Builds the program in `label_sources`, whose endpoints share all their code, and records consecutive CPU profiles of it with
labels, each with its run metadata. They are the data of `npm run bench -- --only labels`.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "label_sources"


def main() -> int:
    """Build and capture; return the exit code."""
    parser = argparse.ArgumentParser(prog="capture_labels", description="Capture labelled CPU profiles.")
    parser.add_argument("--out", type=Path, required=True, help="folder to fill, created if it does not exist")
    parser.add_argument("--profiles", type=int, default=40, help="(default %(default)d)")
    parser.add_argument("--cpu-seconds", type=float, default=12.0, help="of a profile (default %(default)g)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    go = shutil.which("go") or "/usr/local/go/bin/go"
    with tempfile.TemporaryDirectory(prefix="labels-") as folder:
        binary = Path(folder) / "labels"
        subprocess.run([go, "build", "-trimpath", "-o", str(binary), "."], cwd=SOURCES, check=True)
        size = ["-profiles", str(options.profiles), "-cpu", f"{options.cpu_seconds}s"]
        subprocess.run([str(binary), "-out", str(options.out), *size], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
