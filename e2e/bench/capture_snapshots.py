"""Capture A/A data of cumulative profiles: `python -m bench.capture_snapshots --program NAME --out FOLDER`.

Runs two processes of the same binary under the same load, and takes snapshots of their allocs, mutex and heap profiles in
turns, as `slowpath collect --against` does. The load of both has the same phases; both are restarted after each round.
Writes `FOLDER/NAME/RR.S/KIND.NN.pb.gz` with its run metadata, where RR is the round and S the process.
"""

import argparse
import contextlib
import gzip
import json
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.aa_load import RunningProgram, build_load, build_program, running
from bench.aa_programs import PROGRAMS, Phase, Program
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.units import Nanoseconds
from slowpath_cli.collect.collect_plan import SnapshotKind

KINDS: tuple[SnapshotKind, ...] = ("allocs", "mutex", "heap")
PHASES = (Phase("steady", 12), Phase("load step", 8, rate=1.4), Phase("garbage", 6, heavy=0.1))
WARM_SECONDS = 8.0


@dataclass(frozen=True)
class SnapshotCapture:
    """A program and its load generator, built, and how long to capture them."""

    program: Program
    binary: Path
    load: Path
    seconds: float
    rate: float


def main() -> int:
    """Build and capture; return the exit code."""
    parser = argparse.ArgumentParser(prog="capture_snapshots", description="Capture A/A data of cumulative profiles.")
    parser.add_argument("--program", required=True, choices=sorted(n for n, p in PROGRAMS.items() if p.package is None))
    parser.add_argument("--out", type=Path, required=True, help="folder to fill; a folder per program, new each time")
    parser.add_argument("--rounds", type=int, default=5, help="number of times that both processes are started")
    parser.add_argument("--seconds", type=float, default=5.0, help="time between two snapshots of a process")
    parser.add_argument("--rate", type=float, default=1.0, help="multiple of the program's usual rate of requests")
    parser.add_argument("--install", type=Path, default=Path("/srv/aa"), help="where the binaries go")
    options = parser.parse_args()
    go = shutil.which("go") or "/usr/local/go/bin/go"
    options.install.mkdir(parents=True, exist_ok=True)
    program, load = PROGRAMS[options.program], options.install / "load"
    binary = options.install / f"{program.source or program.name}-mutex"
    if not load.exists():
        build_load(go, load)
    if not binary.exists():
        build_program(go, program, binary, records_mutexes=True)
    asked = SnapshotCapture(program, binary, load, options.seconds, options.rate)
    for number in range(options.rounds):
        capture_round(asked, options.out / program.name, number)
    return 0


def capture_round(asked: SnapshotCapture, folder: Path, number: int) -> None:
    """Capture two new processes over all phases."""
    with contextlib.ExitStack() as stack:
        sides = [stack.enter_context(running(asked.program, asked.binary, asked.load, 0)) for _ in range(2)]
        folders = [folder / f"{number:02d}.{side}" for side in range(2)]
        for each in folders:
            each.mkdir(parents=True)
        _enter(sides, PHASES[0], asked.rate)
        time.sleep(WARM_SECONDS)
        taken = 0
        _take(sides, folders, taken)
        for phase in PHASES:
            _enter(sides, phase, asked.rate)
            for _ in range(phase.profiles):
                time.sleep(asked.seconds)
                taken += 1
                _take(sides, folders, taken)
        print(f"{asked.program.name} round {number}: {taken + 1} snapshots of 2 processes", flush=True)


def _enter(sides: list[RunningProgram], phase: Phase, rate: float) -> None:
    for side in sides:
        params = {"rate": side.program.rate * phase.rate * rate, "heavy": phase.heavy}
        side.http.post(f"{side.control}/phase", params=params).raise_for_status()


def _take(sides: list[RunningProgram], folders: list[Path], taken: int) -> None:
    order = list(zip(sides, folders, strict=True))
    for side, folder in order[::-1] if taken % 2 else order:
        for kind in KINDS:
            answer = side.http.get(f"{side.pprof}/{kind}", timeout=60).raise_for_status()
            answered, _ = side.requests()
            facts = RunMetadata(
                run=folder.name,
                requests=answered or None,
                cpu_ns=Nanoseconds(side.cpu_ns()),
                ended_at_ms=time.time_ns() // 1_000_000,
            )
            body = gzip.compress(gzip.decompress(answer.content), 9, mtime=0)
            (folder / f"{kind}.{taken:02d}.pb.gz").write_bytes(body)
            sidecar = json.dumps(facts.to_json()) + "\n"
            (folder / f"{kind}.{taken:02d}.facts.json").write_text(sidecar, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
