"""Recapture the example's artifacts: `python worker/example/capture.py --out FOLDER`.

Every profile is recorded from a new process. The variants alternate in a random order per round, so that other load of the
machine affects all of them equally. Uses the code of `slowpath collect`.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from example.capture_processes import read_options, running, wait_for
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.collect_plan import CollectPlan, PlannedRecording
from slowpath_cli.collect.output_sinks import FolderSink
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import CompletedRecording, FailedRecording, check_mounted, record
from slowpath_cli.collect.request_counters import RequestCounter
from slowpath_cli.collect.run_observer import make_observer
from slowpath_cli.core.collect_errors import CollectError

SOURCE = Path(__file__).resolve().parent / "ingester"
VARIANTS = {"inlined": "", "helper": "helper", "pool": "helper,pool"}
"""Build tags of each variant."""
COMMITS = {
    "inlined": "3f1c0a7be2d94856a1b07c93d5e84f6027ab19c4",
    "helper": "9b6e24d1f7035ca8e46d2f9017c3b85ad06f7e12",
    "pool": "c52d80e9a4417bf36e1f0958db2ac67403e91d5b",
}
"""Invented commits: the variants are build tags of one source tree."""
WRITTEN = RequestCounter(re.compile(r'^ingester_write_requests_total\{outcome="written"\}$'))
WARM_SECONDS = 1.5
FIRST_PORT = 7421


def main() -> int:
    """Build and capture the variants; return the exit code."""
    options = read_options(
        "Recapture the example's artifacts.",
        Path("/srv/ingester"),
        rounds=10,
        rate=70_000,
        rate_of="batches",
        seconds=5.0,
    )
    go = options.go or shutil.which("go") or "/usr/local/go/bin/go"
    options.install.mkdir(parents=True, exist_ok=True)
    for variant, tags in VARIANTS.items():
        build(go, tags, options.install / variant, ".")
    build(go, "", options.install / "feeder", "./cmd/feeder")
    port = FIRST_PORT
    for number in range(options.first, options.first + options.rounds):
        order = sorted(VARIANTS)
        random.Random(number).shuffle(order)  # noqa: S311 - an order, reproducible per round; no secret
        for variant in order:
            port += 1
            capture(options, variant, number, port)
    return 0


def build(go: str, tags: str, out: Path, package: str) -> None:
    """Build one program without local paths."""
    command = [go, "build", "-trimpath", "-buildvcs=false", "-tags", tags, "-o", str(out), package]
    subprocess.run(command, cwd=SOURCE, check=True, env={**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"})


def capture(options: argparse.Namespace, variant: str, number: int, port: int) -> None:
    """Capture a new process of a variant under load: one CPU profile, and in round 0 snapshots at the start and the end."""
    listen = f"127.0.0.1:{port}"
    program = (
        options.install / "ingester"
    )  # profiles contain the name of the binary, which must not differ between variants
    shutil.copy(options.install / variant, program)
    sink = FolderSink(options.out / variant)
    recordings = [_of_round(recording, number) for recording in _plan(number, options.seconds).recordings()]
    sink.prepare([recording.name for recording in recordings])
    feeder = [
        str(options.install / "feeder"),
        "-url",
        f"http://{listen}/write",
        "-rate",
        str(options.rate),
        "-seed",
        str(number + 1),
    ]
    with PprofClient() as client, running([str(program), "-listen", listen], {"GOMAXPROCS": "2"}, options.nice):
        wait_for(f"http://{listen}/healthz")
        with running(feeder, {"GOMAXPROCS": "1"}, options.nice):
            time.sleep(WARM_SECONDS)
            known = RunMetadata(run=f"ingester/{variant}/{number:02d}", commit=COMMITS[variant])
            address = PprofTarget.parse(listen)
            for result in record(
                client,
                address,
                make_observer(client, address, WRITTEN, known, check_mounted(client, address)),
                recordings,
            ):
                if isinstance(result, FailedRecording):
                    raise CollectError(f"{variant}: {result.recording.name}: {result.error}")
                if isinstance(result, CompletedRecording):
                    sink.put(result.recording.name, result.body, result.facts)
                    _print_capture(number, variant, result.recording, result.facts)


def _plan(number: int, seconds: float) -> CollectPlan:
    return CollectPlan(profiles=1, seconds=seconds, snapshots=("heap", "allocs") if number == 0 else ())


def _of_round(recording: PlannedRecording, number: int) -> PlannedRecording:
    return replace(recording, name=f"cpu.{number:02d}.pb.gz") if recording.kind == "cpu" else recording


def _print_capture(number: int, variant: str, recording: PlannedRecording, facts: RunMetadata) -> None:
    if recording.is_window and facts.requests and facts.cpu_ns:
        cost = facts.cpu_ns / facts.requests / 1000
        print(f"round {number}  {variant:<8} {facts.requests:>8,} requests  {cost:6.2f} µs of CPU each", flush=True)


if __name__ == "__main__":
    sys.exit(main())
