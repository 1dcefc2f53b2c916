"""Recapture the pool of profiles: `python worker/example/builds/capture.py --out FOLDER`.

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
from dataclasses import dataclass, replace
from pathlib import Path

from example.capture_processes import read_options, running, wait_for
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.collect_plan import CollectPlan
from slowpath_cli.collect.output_sinks import FolderSink
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import CompletedRecording, FailedRecording, check_mounted, record
from slowpath_cli.collect.request_counters import RequestCounter
from slowpath_cli.collect.run_observer import make_observer
from slowpath_cli.core.collect_errors import CollectError

HERE = Path(__file__).resolve().parent
COUNTED = RequestCounter(re.compile(r'^quoter_requests_total\{outcome="quoted"\}$'))
WARM_SECONDS = 0.5
FIRST_PORT = 7501


@dataclass(frozen=True)
class Variant:
    """A variant of the program: changes to its sources, and its environment."""

    changes: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]


TWO = (("GOMAXPROCS", "2"),)
VARIANTS = {
    "base": Variant((), TWO),
    "moved": Variant(("moved",), TWO),
    "slower": Variant(("moved", "slower"), TWO),
    "smaller": Variant(("moved", "slower"), (("GOMAXPROCS", "1"), ("GOGC", "25"))),
}


def main() -> int:
    """Build and capture the variants; return the exit code."""
    options = read_options(
        "Recapture the pool of profiles.", Path("/srv/quoter"), rounds=64, rate=4_000, rate_of="baskets", seconds=3.0
    )
    options.install.mkdir(parents=True, exist_ok=True)
    for name, variant in VARIANTS.items():
        build(options, name, variant)
    port = FIRST_PORT
    for number in range(options.first, options.first + options.rounds):
        order = sorted(VARIANTS)
        random.Random(number).shuffle(order)  # noqa: S311 - an order, reproducible per round; no secret
        for name in order:
            port = port + 1 if port < FIRST_PORT + 400 else FIRST_PORT
            capture(options, name, number, port)
    return 0


def build(options: argparse.Namespace, name: str, variant: Variant) -> None:
    """Build one variant of the program without local paths."""
    source = options.install / f"{name}.source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(HERE / "quoter", source)
    for change in variant.changes:
        shutil.copytree(HERE / "changes" / change, source, dirs_exist_ok=True)
    go = options.go or shutil.which("go") or "/usr/local/go/bin/go"
    environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    for out, package in ((name, "."), ("shopper", "./cmd/shopper")):
        command = [go, "build", "-trimpath", "-buildvcs=false", "-o", str(options.install / out), package]
        subprocess.run(command, cwd=source, check=True, env=environment)


def capture(options: argparse.Namespace, name: str, number: int, port: int) -> None:
    """Record one CPU profile of a new process of a variant under load."""
    listen = f"127.0.0.1:{port}"
    program = (
        options.install / "quoter"
    )  # profiles contain the name of the binary, which must not differ between variants
    shutil.copy(options.install / name, program)
    sink = FolderSink(options.out / name)
    planned = CollectPlan(profiles=1, seconds=options.seconds, snapshots=()).recordings()
    recordings = [replace(each, name=f"cpu.{number:02d}.pb.gz") for each in planned]
    sink.prepare([each.name for each in recordings])
    shopper = [str(options.install / "shopper"), "-url", f"http://{listen}/quote"]
    shopper += ["-rate", str(options.rate), "-seed", str(number + 1)]
    environment = dict(VARIANTS[name].environment)
    with PprofClient() as client, running([str(program), "-listen", listen], environment, options.nice):
        wait_for(f"http://{listen}/healthz")
        with running(shopper, {"GOMAXPROCS": "1"}, options.nice):
            time.sleep(WARM_SECONDS)
            address = PprofTarget.parse(listen)
            known = RunMetadata(run=f"quoter/{name}/{number:02d}")
            observer = make_observer(client, address, COUNTED, known, check_mounted(client, address))
            for result in record(client, address, observer, recordings):
                if isinstance(result, FailedRecording):
                    raise CollectError(f"{name}: {result.recording.name}: {result.error}")
                if isinstance(result, CompletedRecording):
                    sink.put(result.recording.name, result.body, result.facts)
                    _print_capture(number, name, result)


def _print_capture(number: int, name: str, result: CompletedRecording) -> None:
    facts = result.facts
    if facts.requests and facts.cpu_ns:
        cost = facts.cpu_ns / facts.requests / 1000
        print(f"{number} {name:<8} {facts.requests:>8,} requests {cost:7.2f} µs {len(result.body)} bytes", flush=True)


if __name__ == "__main__":
    sys.exit(main())
