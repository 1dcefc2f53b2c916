"""Recapture the execution traces: `python worker/example/traces/capture.py --out FOLDER` (about a minute).

Every trace is recorded from a new process; the variants alternate in a random order per round. A trace shows the scheduler of
the process, but not other load of the machine: a recording whose threads waited for a CPU is discarded and repeated.
"""

import argparse
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.local_process import this_machine

SOURCE = Path(__file__).resolve().parents[1] / "timestamps"
RETRY_SECONDS = 5.0


@dataclass(frozen=True)
class Variant:
    """Arguments of a variant, and its commit (invented: the variants are flags of one program)."""

    flags: tuple[str, ...]
    commit: str


VARIANTS = {
    "base": Variant(("-for", "2.5s"), "71ad0c35e9f84b0621d7c3a95be08f46d213c0ae"),
    "hogs": Variant(("-for", "5s", "-hogs", "4"), "e04b96f2c1d8537a60e9b4f7128ac5d3907f61bb"),
    "tickers": Variant(("-for", "2.5s", "-tickers", "1000"), "2c8f5d1790ba64e3f9a10d827b56ce43f08d912a"),
    "garbage": Variant(
        ("-for", "2s", "-garbage", "400", "-gogc", "25", "-samples"), "b93e7a4d08c21f65d7a8e10b4c39f5726e1d0843"
    ),
}
"""All variants except `garbage` are recorded without the CPU profiler, whose signals would disturb the measurement."""


class HostNotQuiet(Exception):
    """The machine was busy with other load during all tries."""


def main() -> int:
    """Build the program and record all variants; return the exit code."""
    options = _options()
    go = options.go or shutil.which("go") or "/usr/local/go/bin/go"
    with tempfile.TemporaryDirectory(prefix="timestamps-") as folder:
        program = Path(folder, "timestamps")
        command = [go, "build", "-trimpath", "-buildvcs=false", "-o", str(program), "."]
        subprocess.run(command, cwd=SOURCE, check=True, env={**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"})
        for number in range(options.first, options.first + options.rounds):
            order = sorted(set(options.only or VARIANTS))
            random.Random(number).shuffle(order)  # noqa: S311 - an order, reproducible per round; no secret
            for name in order:
                capture(options, program, name, number)
    return 0


def capture(options: argparse.Namespace, program: Path, name: str, number: int) -> None:
    """Record one trace of a new process of a variant, compressed if that is smaller, with its run metadata."""
    recorded = program.with_name("recorded.trace")
    command = [str(program), "-trace", str(recorded), "-seed", str(number + 1), *VARIANTS[name].flags]
    metadata = calmly(command, options.nice, options.denied, options.tries)
    content = recorded.read_bytes()
    packed = gzip.compress(content, 9, mtime=0)
    smaller = len(packed) < len(content)
    path = options.out / name / f"run.{number:02d}.trace{'.gz' if smaller else ''}"
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = _facts(metadata, f"timestamps/{name}/{number:02d}", VARIANTS[name].commit)
    path.write_bytes(packed if smaller else content)
    path.with_name(path.name + ".facts.json").write_text(json.dumps(facts.to_json()), encoding="utf-8")
    size = path.stat().st_size / 1000
    print(f"round {number}  {name:<8} {metadata['requests']:>6,} timestamps  {size:6.0f} kB", flush=True)


def calmly(command: list[str], nice: int, denied: float, tries: int) -> dict[str, Any]:
    """Run a command until its threads hardly waited for a CPU; return its output. Raises `HostNotQuiet`."""
    for _ in range(tries):
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        if nice:
            Path(f"/proc/{child.pid}/autogroup").write_text(str(nice), encoding="ascii")
        printed, _ = child.communicate()
        if child.returncode != 0:
            raise subprocess.CalledProcessError(child.returncode, command)
        document: dict[str, Any] = json.loads(printed)
        share = document.pop("denied_ns") / document["wall_ns"]
        if share <= denied:
            return document
        print(f"its threads waited {share:.0%} of the time for a CPU: retrying", file=sys.stderr, flush=True)
        time.sleep(RETRY_SECONDS)
    raise HostNotQuiet(f"threads waited more than {denied:.0%} of the time for a CPU in each of {tries} tries")


def _facts(metadata: dict[str, Any], run: str, commit: str) -> RunMetadata:
    machine = this_machine()
    about = {"cpu_model": machine.cpu_model, "cpu_flags": list(machine.cpu_flags)}
    return RunMetadata.from_json({**metadata, **about, "run": run, "commit": commit})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Recapture the example's execution traces.")
    parser.add_argument("--out", type=Path, required=True, help="folder to fill")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--first", type=int, default=0, help="number of the first round, to continue an interrupted run"
    )
    parser.add_argument("--only", action="append", choices=sorted(VARIANTS), help="only this variant; may be repeated")
    parser.add_argument(
        "--nice", type=int, default=0, help="autogroup niceness; -20 prevents other load from starving the example"
    )
    parser.add_argument(
        "--denied", type=float, default=0.4, help="allowed wait of its threads for a CPU, as a share of the trace"
    )
    parser.add_argument("--tries", type=int, default=20, help="maximum number of tries per recording")
    parser.add_argument("--go", help="the Go command")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
