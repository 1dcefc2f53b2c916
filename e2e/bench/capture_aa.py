"""Capture A/A data: `python -m bench.capture_aa --program NAME --out FOLDER [--minutes 60]`.

Builds a public program from its module, runs it under load, and records consecutive CPU profiles of the same binary with
their run metadata (requests, CPU time of the process, wall time). The load has phases (see `aa_programs`): a higher rate,
more garbage, a noisy neighbor; the process is restarted after each cycle of phases. Writes `FOLDER/NAME/NNN.pb.gz` and
`NNN.facts.json` in order of time, and `manifest.json`.
"""

import argparse
import contextlib
import gzip
import itertools
import json
import platform
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench.aa_load import RunningProgram, build_load, build_program, neighbor, running
from bench.aa_programs import PROGRAMS, Phase, Program
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.units import Nanoseconds
from slowpath_cli.collect.build_id import read_build_id
from slowpath_cli.collect.buildinfo import read_build_info
from slowpath_cli.collect.local_process import this_machine

SECONDS = 5.0
MINUTES = 60.0
WARM_SECONDS = 8.0
SETTLE_SECONDS = 1.0


@dataclass(frozen=True)
class CapturedProfile:
    """One profile with its run metadata, and the number of requests that failed or could not be sent meanwhile."""

    body: bytes
    facts: RunMetadata
    failed: int


def main() -> int:
    """Build and capture; return the exit code."""
    parser = argparse.ArgumentParser(prog="capture_aa", description="Capture A/A data of real programs under load.")
    parser.add_argument("--program", action="append", required=True, choices=sorted(PROGRAMS), help="may be repeated")
    parser.add_argument("--out", type=Path, required=True, help="folder to fill; a folder per program, new each time")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of profiles per program (default %(default)g)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="length of a profile (default %(default)g)")
    parser.add_argument(
        "--install", type=Path, default=Path("/srv/aa"), help="where the binaries go: profiles name this path"
    )
    parser.add_argument("--nice", type=int, default=0, help="autogroup niceness of the program and its load")
    options = parser.parse_args()
    go = shutil.which("go") or "/usr/local/go/bin/go"
    options.install.mkdir(parents=True, exist_ok=True)
    load = options.install / "load"
    build_load(go, load)
    for name in options.program:
        program = PROGRAMS[name]
        binary = options.install / (program.source or program.name)
        if not binary.exists():
            build_program(go, program, binary)
        profiles = round(options.minutes * 60 / options.seconds)
        capture(Capture(program, binary, load, profiles, options.seconds, options.nice), options.out / name)
    return 0


@dataclass(frozen=True)
class Capture:
    """A program and its load generator, built, with the number and duration of the profiles."""

    program: Program
    binary: Path
    load: Path
    profiles: int
    seconds: float
    nice: int


def capture(asked: Capture, folder: Path) -> None:
    """Fill a folder with profiles of one program."""
    folder.mkdir(parents=True)
    taken: list[dict[str, object]] = []
    process = 0
    while len(taken) < asked.profiles:
        with running(asked.program, asked.binary, asked.load, asked.nice) as under_load:
            under_load.enter(asked.program.phases[0])
            time.sleep(WARM_SECONDS)
            for phase, captured in itertools.islice(_profiles(under_load, asked), asked.profiles - len(taken)):
                number = len(taken)
                facts = replace(captured.facts, run=f"{asked.program.name}/{process:02d}")
                sidecar = json.dumps(facts.to_json(), indent=1) + "\n"
                (folder / f"{number:03d}.facts.json").write_text(sidecar, encoding="utf-8")
                (folder / f"{number:03d}.pb.gz").write_bytes(captured.body)
                taken.append({"profile": number, "process": process, "phase": phase.name, "failed": captured.failed})
                _print_capture(asked.program, number, phase, captured)
        _write_manifest(asked.program, folder, asked.seconds, taken)
        process += 1


def _profiles(process: RunningProgram, asked: Capture) -> Iterator[tuple[Phase, CapturedProfile]]:
    for phase in asked.program.phases:
        process.enter(phase)
        with neighbor(asked.load) if phase.neighbor else contextlib.nullcontext():
            time.sleep(SETTLE_SECONDS)
            for _ in range(phase.profiles):
                yield phase, captured_profile(process, asked.seconds)


def captured_profile(process: RunningProgram, seconds: float) -> CapturedProfile:
    """Record one CPU profile of a program under load, with its run metadata."""
    started_at, began = time.time_ns(), time.monotonic_ns()
    (answered, failed), cpu = process.requests(), process.cpu_ns()
    body = process.profile(seconds)
    (answered_after, failed_after), cpu_after = process.requests(), process.cpu_ns()
    ended = time.monotonic_ns()
    build = read_build_info(Path(f"/proc/{process.pid}/exe"))
    machine = this_machine()
    facts = RunMetadata(
        requests=answered_after - answered,
        wall_ns=Nanoseconds(ended - began),
        cpu_ns=Nanoseconds(cpu_after - cpu),
        go_version=build.go_version if build else None,
        goos=platform.system().lower(),
        goarch=machine.goarch,
        gomaxprocs=_gomaxprocs(process),
        cpu_model=machine.cpu_model,
        build_id=read_build_id(body),
        started_at_ms=started_at // 1_000_000,
        ended_at_ms=(started_at + ended - began) // 1_000_000,
    )
    smaller = gzip.compress(gzip.decompress(body), 9, mtime=0)
    return CapturedProfile(smaller, facts, failed_after - failed)


def _gomaxprocs(process: RunningProgram) -> int:
    """Return the number of CPUs available to the process, which the programs use by default."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("Cpus_allowed:"))
    return int(mask.replace(",", ""), 16).bit_count()


def _write_manifest(program: Program, folder: Path, seconds: float, taken: list[dict[str, object]]) -> None:
    manifest = {
        "program": program.name,
        "module": program.module,
        "version": program.version,
        "licence": program.licence,
        "reserved": program.reserved,
        "lockstep": program.lockstep,
        "quiet": program.quiet,
        "rate": program.rate,
        "every_ms": program.every_ms,
        "seconds": seconds,
        "phases": [asdict(phase) for phase in program.phases],
        "profiles": taken,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def _print_capture(program: Program, number: int, phase: Phase, captured: CapturedProfile) -> None:
    facts = captured.facts
    requests, cpu_ns, wall_ns = facts.requests or 0, facts.cpu_ns or 0, facts.wall_ns or 1
    print(
        f"{program.name} {number:03d} {phase.name:<14} {requests:>7} requests ({captured.failed} failed) "
        f"{cpu_ns / 1000 / max(requests, 1):9.2f} us each, {cpu_ns / wall_ns:.2f} cores, {len(captured.body) / 1000:.1f} kB",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
