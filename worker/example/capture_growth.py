"""Recapture the example's stack-growth logs: `python worker/example/capture_growth.py --goroot COPY --out FOLDER`.

COPY is a copy of Go 1.26.8 with `artifacts-growth/newstack.patch` applied: its runtime prints a stack trace at every
1,000th growth of each stack size, and the total numbers at the end of the process.
"""

import argparse
import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "ingester"
VARIANTS = {"inlined": "", "helper": "helper", "pool": "helper,pool"}
"""Build tags of each variant."""
COMMITS = {
    "inlined": "3f1c0a7be2d94856a1b07c93d5e84f6027ab19c4",
    "helper": "9b6e24d1f7035ca8e46d2f9017c3b85ad06f7e12",
    "pool": "c52d80e9a4417bf36e1f0958db2ac67403e91d5b",
}
"""Invented commits, as in `capture.py`."""
WRITTEN = re.compile(r'^ingester_write_requests_total\{outcome="written"\} (\d+)$', re.MULTILINE)
START_SECONDS = 0.5
FIRST_PORT = 7651


def main() -> int:
    """Build the variants and record each several times; return the exit code."""
    options = _options()
    port = FIRST_PORT
    with tempfile.TemporaryDirectory() as folder:
        programs = Path(folder)
        for variant, tags in VARIANTS.items():
            build(options.goroot, tags, programs / variant, ".")
        build(options.goroot, "", programs / "feeder", "./cmd/feeder")
        for number in range(options.rounds):
            order = sorted(VARIANTS)
            random.Random(number).shuffle(order)  # noqa: S311 - an order, reproducible per round; no secret
            for variant in order:
                record(options, programs, variant, number, f"127.0.0.1:{port}")
                port += 1
    return 0


def build(goroot: Path, tags: str, out: Path, package: str) -> None:
    """Build one program with the patched runtime, without local paths."""
    command = [
        str(goroot / "bin" / "go"),
        "build",
        "-trimpath",
        "-buildvcs=false",
        "-tags",
        tags,
        "-o",
        str(out),
        package,
    ]
    setting = {"GOROOT": str(goroot), "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"}
    subprocess.run(command, cwd=SOURCE, check=True, env={**os.environ, **setting})


def record(options: argparse.Namespace, programs: Path, variant: str, number: int, listen: str) -> None:
    """Run a new process of a variant under load; its stderr is the log."""
    folder = options.out / variant
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile() as log:
        began = time.time_ns()
        child = subprocess.Popen([programs / variant, "-listen", listen], stderr=log, env={"GOMAXPROCS": "2"})
        time.sleep(START_SECONDS)
        load = ["-rate", str(options.rate), "-seed", str(number + 1), "-for", f"{options.seconds}s"]
        subprocess.run(
            [programs / "feeder", "-url", f"http://{listen}/write", *load], check=True, env={"GOMAXPROCS": "1"}
        )
        with urllib.request.urlopen(f"http://{listen}/metrics") as page:
            written = WRITTEN.search(page.read().decode())
        child.send_signal(signal.SIGTERM)
        child.wait(10)
        wall_ns = time.time_ns() - began
        log.seek(0)
        name = folder / f"growth.{number:02d}.log.gz"
        name.write_bytes(gzip.compress(log.read(), 9, mtime=0))
    facts = {
        "run": f"ingester/{variant}/growth-{number:02d}",
        "requests": int(written[1]) if written else 0,
        "wall_ns": wall_ns,
        "go_version": "go1.26.8",
        "goos": "linux",
        "goarch": "amd64",
        "gomaxprocs": 2,
        "commit": COMMITS[variant],
    }
    Path(f"{name}.facts.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    print(f"round {number}  {variant:<8} {facts['requests']:>8,} requests", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Recapture the example's stack-growth logs.")
    parser.add_argument("--goroot", type=Path, required=True, help="a copy of Go with newstack.patch applied")
    parser.add_argument("--out", type=Path, required=True, help="output folder; existing logs are overwritten")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rate", type=int, default=5_000, help="batches per second")
    parser.add_argument("--seconds", type=float, default=10.0, help="seconds of load per process")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
