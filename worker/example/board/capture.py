"""Recapture the dashboard's artifacts: `python worker/example/board/capture.py --out FOLDER` (about three minutes).

A distributor and three ingesters run as separate processes under load. Both ways of unmarshaling a message alternate in a random
order per round, each in new processes. While the distributor's CPU is profiled, the histograms of all four are read at the ends
of short windows, and their exporters send spans to a listener, which stores them unchanged.
"""

import argparse
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from re import compile as pattern
from typing import Any

import httpx

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.collect_plan import CollectPlan
from slowpath_cli.collect.metrics_text import parse_scrape
from slowpath_cli.collect.output_sinks import FolderSink
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import CompletedRecording, FailedRecording, check_mounted, record
from slowpath_cli.collect.request_counters import RequestCounter
from slowpath_cli.collect.run_observer import make_observer

SOURCE = Path(__file__).resolve().parents[1] / "pipeline"
VARIANTS = {
    "zero-copy": "5d21e8b07f3c94a6e1b80c2d7f4963a5be108d72",
    "copy": "a84f3c19d65b720ef8c14e93b2d7056a91ce3f48",
}
"""Commits of the variants (invented: the variants are flags of one program)."""
BASE, SLOWER = "zero-copy", "copy"
TRACED = "traced"
INGESTERS = 3
ANSWERED = RequestCounter(pattern(r'^http_request_duration_seconds_count\{.*code="200"'))
FIRST_PORT = 7510
WARM_SECONDS = 9.0
"""Time until the distributor's buffer of writes is full."""
HISTOGRAM = "http_request_duration_seconds"
SMALL = {"GOMAXPROCS": "1", "GOGC": "25"}
"""Go settings of small containers: one CPU, little memory."""


def main() -> int:
    """Build the program and capture both variants; return the exit code."""
    options = _options()
    go = options.go or shutil.which("go") or "/usr/local/go/bin/go"
    for name, commit in VARIANTS.items():
        build(go, commit, options.install / name / "pipeline")
    if options.traced:
        capture_traced(options)
        return 0
    history: dict[str, list[Any]] = {name: [] for name in sorted(VARIANTS)}
    for number in range(options.rounds):
        order = sorted(VARIANTS)
        random.Random(number).shuffle(order)  # noqa: S311 - an order, reproducible per round; no secret
        for name in order:
            history[name] += capture(options, name, number)
    fields = {"format": "slowpath.example-history/1", "bounds": BOUNDS, "variants": history}
    (options.out / "history.json").write_text(json.dumps(fields, separators=(",", ":")) + "\n", encoding="utf-8")
    return 0


def build(go: str, commit: str, out: Path) -> None:
    """Build the program as the build of a commit, without local paths: two builds have two build IDs."""
    command = [
        go,
        "build",
        "-trimpath",
        "-buildvcs=false",
        "-ldflags",
        f"-X main.version={commit[:7]}",
        "-o",
        str(out),
        ".",
    ]
    subprocess.run(command, cwd=SOURCE, check=True, env={**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"})


def capture(options: argparse.Namespace, name: str, number: int) -> list[Any]:
    """Capture one round of a variant: profiles of the distributor, spans of all processes, and histogram counts by window."""
    folder = options.out / name
    sink = FolderSink(folder)
    plan = CollectPlan(profiles=1, seconds=options.seconds, snapshots=("heap", "allocs") if number == 0 else ())
    recordings = [
        replace(each, name=f"cpu.{number:02d}.pb.gz") if each.kind == "cpu" else each for each in plan.recordings()
    ]
    sink.prepare([each.name for each in recordings])
    known = RunMetadata(run=f"distributor/{name}/{number:02d}", commit=VARIANTS[name])
    with listening() as (url, spans), PprofClient() as client, running(options, name, url) as targets:
        load = ["-role", "load", "-url", f"http://{targets['distributor-0']}/api/v1/push", "-seed", str(number + 1)]
        with started(options, BASE, [*load, "-rate", str(options.rate)], {}), ThreadPoolExecutor(1) as beside:
            time.sleep(WARM_SECONDS)
            address = PprofTarget.parse(targets["distributor-0"])
            observer = make_observer(client, address, ANSWERED, known, check_mounted(client, address))
            watched = beside.submit(watch, targets, options.windows, options.seconds / options.windows)
            for result in record(client, address, observer, recordings):
                if isinstance(result, FailedRecording):
                    raise result.error
                if isinstance(result, CompletedRecording):
                    sink.put(result.recording.name, result.body, result.facts)
            windows = watched.result()
    facts = replace(known, requests=None).to_json()
    packed = gzip.compress(b"".join(spans), 9, mtime=0)  # concatenated export requests are one valid request
    (folder / f"spans.{number:02d}.otlp.gz").write_bytes(packed)
    (folder / f"spans.{number:02d}.otlp.gz.facts.json").write_text(json.dumps(facts), encoding="utf-8")
    _print_capture(number, name, windows)
    return windows


def capture_traced(options: argparse.Namespace) -> None:
    """Record a second of the distributor's execution trace, and the spans of all requests around it.

    The program writes the IDs of its spans to the trace; both use the clock of this machine.
    """
    folder = options.out / TRACED
    folder.mkdir(parents=True)
    everything = argparse.Namespace(**{**vars(options), "sampled": 1.0})
    with listening() as (url, spans), running(everything, SLOWER, url) as targets:
        load = ["-role", "load", "-url", f"http://{targets['distributor-0']}/api/v1/push", "-seed", "7"]
        with started(options, BASE, [*load, "-rate", str(options.rate)], {}):
            time.sleep(WARM_SECONDS)
            spans.clear()
            trace = httpx.get(f"http://{targets['distributor-0']}/debug/pprof/trace?seconds=1", timeout=30).content
            time.sleep(1.5)  # the exporters send once per second
            bodies = list(spans)
    facts = json.dumps(RunMetadata(run="distributor/traced/00", commit=VARIANTS[SLOWER]).to_json())
    for file, content in (("distributor.trace.gz", trace), ("spans.00.otlp.gz", b"".join(bodies))):
        (folder / file).write_bytes(gzip.compress(content, 9, mtime=0))
        (folder / f"{file}.facts.json").write_text(facts, encoding="utf-8")


@contextmanager
def listening() -> Iterator[tuple[str, list[bytes]]]:
    """Run a receiver of spans; yield its address, and the received bodies."""
    bodies: list[bytes] = []

    class Sink(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", bodies
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def running(options: argparse.Namespace, name: str, spans_url: str) -> Iterator[dict[str, str]]:
    """Run the distributor of a variant and its ingesters; yield their addresses by instance."""
    targets = {f"ingester-{n}": f"127.0.0.1:{FIRST_PORT + 1 + n}" for n in range(INGESTERS)}
    ingesters = ",".join(targets.values())
    targets["distributor-0"] = f"127.0.0.1:{FIRST_PORT}"
    fields = {"OTEL_EXPORTER_OTLP_ENDPOINT": spans_url, **SMALL}
    with ExitStack() as stack:
        for instance, listen in targets.items():
            role = instance.rpartition("-")[0]
            command = ["-role", role, "-listen", listen, "-instance", instance, "-unmarshal", name]
            command += ["-sampled", str(options.sampled), "-ingesters", ingesters]
            built = name if role == "distributor" else BASE
            stack.enter_context(started(options, built, command, fields))
        for listen in targets.values():
            _wait_for(f"http://{listen}/healthz")
        yield targets


@contextmanager
def started(
    options: argparse.Namespace, built: str, arguments: list[str], environment: dict[str, str]
) -> Iterator[None]:
    """Run one process of the program during the block."""
    scheduled = ["chrt", "--rr", str(options.realtime)] if options.realtime else []
    command = [*scheduled, str(options.install / built / "pipeline"), *arguments]
    child = subprocess.Popen(command, env={"PATH": os.environ["PATH"], **environment}, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        child.terminate()
        child.wait(10)


def watch(targets: dict[str, str], windows: int, seconds: float) -> list[Any]:
    """Read the histograms of all targets repeatedly; return the counts of each target by window."""
    began, before, found = time.monotonic(), _read(targets), []
    for number in range(1, windows + 1):
        time.sleep(max(0.0, began + number * seconds - time.monotonic()))
        after = _read(targets)
        grown = {
            instance: {
                "buckets": [b - a for a, b in zip(before[instance][0], after[instance][0], strict=True)],
                "sum": round(after[instance][1] - before[instance][1], 6),
            }
            for instance in targets
        }
        found.append({"seconds": seconds, "instances": grown})
        before = after
    return found


BOUNDS: list[str] = []
"""Upper bounds of the buckets, as in the program's metrics."""


def _read(targets: dict[str, str]) -> dict[str, tuple[list[int], float]]:
    """Return the cumulative buckets of each target in order of their bounds, and the sum."""
    found = {}
    for instance, listen in targets.items():
        scrape = parse_scrape(httpx.get(f"http://{listen}/metrics", timeout=5).text)
        buckets = [(each.labels()["le"], round(each.value)) for each in scrape.named(f"{HISTOGRAM}_bucket")]
        BOUNDS[:] = [bound for bound, _ in buckets]
        found[instance] = [count for _, count in buckets], sum(each.value for each in scrape.named(f"{HISTOGRAM}_sum"))
    return found


def _wait_for(url: str) -> None:
    for _ in range(200):
        try:
            httpx.get(url, timeout=1.0)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"{url} does not respond")


def _print_capture(number: int, name: str, windows: list[Any]) -> None:
    listed = []
    for instance in ("distributor-0", "ingester-0"):
        counts = [
            sum(column) for column in zip(*(each["instances"][instance]["buckets"] for each in windows), strict=True)
        ]
        at = next(n for n, count in enumerate(counts) if count >= 0.99 * counts[-1])
        listed.append(f"{instance} {counts[-1]:>5,} requests, p99 <= {BOUNDS[at]} s")
    print(f"round {number}  {name:<10} {'; '.join(listed)}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Recapture the dashboard's artifacts.")
    parser.add_argument("--out", type=Path, required=True, help="output folder; existing files are not overwritten")
    parser.add_argument(
        "--install", type=Path, default=Path("/srv/pipeline"), help="folder of the binaries, which profiles contain"
    )
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--rate", type=int, default=300, help="writes per second")
    parser.add_argument("--seconds", type=float, default=15.0, help="seconds of a CPU profile, and of all windows")
    parser.add_argument("--windows", type=int, default=3, help="number of histogram windows in that time")
    parser.add_argument("--sampled", type=float, default=0.02, help="share of traced requests")
    parser.add_argument("--realtime", type=int, default=0, help="real-time priority, to exclude other load")
    parser.add_argument(
        "--traced", action="store_true", help="record only a second of an execution trace with its spans"
    )
    parser.add_argument("--go", help="the Go command")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
