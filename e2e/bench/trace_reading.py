"""What reading an execution trace costs, against `go tool trace` on the same file: CPU seconds and peak memory.

The traces are recorded by the benchmark itself, from the example's timestamp client under load, and kept. The peer is
Go's own `cmd/trace`, built beside, so that building it is not counted; it is started as a person starts it, and measured
up to the moment when its first page answers, without a request for any view. Of the largest trace that page does not
come on an ordinary machine (it takes more than 20 GB): there the peer's parsing is what is compared, up to its line
"Splitting trace", and it is stopped when it takes too much memory or time. What it has cost until then is the least that
it costs, so the ratio told is the least too. Ours is the whole reader: delays, blame, collector, series, tiles, written
to a file. Events are counted as the reader counts them.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.benchmark_results import BenchmarkResult
from bench.captures import DECODE, ROOT
from bench.compare_speed import Cost, cost
from bench.comparison_client import compare, newcomer, upload
from bench.generated_profiles import FOLDER
from bench.process_cost import cpu_seconds
from bench.stack_benchmarks import beside_stack
from bench.trace_pairs import false_alarms
from bootstrap_parts.install_steps import find_go, go_environment
from slowpath.analysis.formats.column_file import read_columns

NAME = "traces"
SOURCE = ROOT / "worker" / "example" / "timestamps"
MB = 1_000_000
PEER_SECONDS = 150.0
MEMORY_GOAL_BYTES = 256 << 20
UPLOAD_GOAL_SECONDS = 6.0
SERVICE = ("-callers", "64", "-pause", "2ms")
"""A client that is asked a lot; with tickers beside it, it is the busy one."""


@dataclass(frozen=True)
class TraceRecording:
    """A trace to be recorded: about how large, and under which load."""

    name: str
    megabytes: int
    flags: tuple[str, ...]

    def path(self) -> Path:
        """Where it is kept."""
        return FOLDER / f"trace-{self.name}.trace"


ORDINARY = (
    TraceRecording("service-17", 17, (*SERVICE, "-tickers", "300", "-tick", "10ms", "-tick-steps", "2000")),
    TraceRecording("garbage-47", 47, (*SERVICE, "-garbage", "50", "-pingers", "8")),
)
LARGEST = TraceRecording("handover-190", 190, ("-callers", "16", "-pingers", "8"))
PAIR = (
    TraceRecording("base-10", 10, SERVICE),
    TraceRecording("candidate-10", 10, (*SERVICE, "-tickers", "300", "-tick", "50ms", "-tick-steps", "20000")),
)


@dataclass(frozen=True)
class Peer:
    """What the peer has cost until it was there, or until it was stopped."""

    cost: Cost
    finished: bool


class NoPeer(Exception):
    """There is no Go here, or it has no `cmd/trace`; the message says so in one line."""


def run() -> Iterator[BenchmarkResult]:
    """All results; some minutes, most of them the peer's and, once, recording."""
    yield from false_alarms()
    go = find_go()
    if go is None:
        print("bench: traces: left out, there is no Go here to record traces with", flush=True)
        return
    for recording in (*ORDINARY, LARGEST, *PAIR):
        recorded(go, recording)
    try:
        peer = peer_binary(go)
    except NoPeer as error:
        print(f"bench: traces: no peer to compare with: {error}", flush=True)
        peer = None
    for recording in ORDINARY:
        yield from _ordinary(recording, peer)
    yield from _largest(peer)
    yield from beside_stack("bench.trace_reading")


def inside() -> Iterator[BenchmarkResult]:
    """From two traces of 10 MB to findings, beside a stack."""
    person = newcomer()
    paths = [recording.path() for recording in PAIR]
    began = time.monotonic()
    base, candidate = upload(person, paths)
    uploaded = time.monotonic() - began
    found = compare(person, [base], [candidate])
    seconds = uploaded + found.findings_s
    size = f"a pair of {paths[0].stat().st_size / MB:.0f} and {paths[1].stat().st_size / MB:.0f} MB"
    yield BenchmarkResult(NAME, f"{size}: s until both are decoded", uploaded)
    yield BenchmarkResult(
        NAME,
        f"{size}: s from upload to findings",
        seconds,
        goal=f"< {UPLOAD_GOAL_SECONDS:.0f}",
        met=seconds < UPLOAD_GOAL_SECONDS,
    )


def _ordinary(recording: TraceRecording, peer: Path | None) -> Iterator[BenchmarkResult]:
    path = recording.path()
    ours, events = read(path)
    size = f"{path.stat().st_size / MB:.0f} MB, {events / 1e6:.1f} M events"
    if peer is None:
        yield BenchmarkResult(NAME, f"{size}: CPU s", ours.cpu_s)
        yield BenchmarkResult(NAME, f"{size}: peak MB", ours.peak_bytes / MB)
        return
    theirs = peer_cost(peer, path, until_page=True)
    if not theirs.finished:
        print(f"bench: traces: {path.name}: the peer was stopped before its page came", flush=True)
    cpu, memory = theirs.cost.cpu_s / ours.cpu_s, theirs.cost.peak_bytes / ours.peak_bytes
    yield BenchmarkResult(NAME, f"{size}: CPU s", ours.cpu_s, theirs.cost.cpu_s, cpu, ">= 8x less", cpu >= 8)
    yield BenchmarkResult(
        NAME,
        f"{size}: peak MB",
        ours.peak_bytes / MB,
        theirs.cost.peak_bytes / MB,
        memory,
        ">= 10x less",
        memory >= 10,
    )


def _largest(peer: Path | None) -> Iterator[BenchmarkResult]:
    path = LARGEST.path()
    ours, events = read(path)
    quick, _ = read(path, "--histograms-only")
    size = f"{path.stat().st_size / MB:.0f} MB, {events / 1e6:.1f} M events"
    speed, quick_speed = events / ours.cpu_s / 1e6, events / quick.cpu_s / 1e6
    yield BenchmarkResult(NAME, f"{size}: M events a CPU s", speed, goal=">= 4", met=speed >= 4)
    yield BenchmarkResult(
        NAME, f"{size}: M events a CPU s, histograms only", quick_speed, goal=">= 6", met=quick_speed >= 6
    )
    yield BenchmarkResult(
        NAME, f"{size}: peak MB", ours.peak_bytes / MB, goal="<= 268", met=ours.peak_bytes <= MEMORY_GOAL_BYTES
    )
    if peer is None:
        return
    theirs = peer_cost(peer, path, until_page=False)
    ratio = theirs.cost.cpu_s / ours.cpu_s
    how = "to its end" if theirs.finished else f"stopped at {theirs.cost.peak_bytes / 1e9:.1f} GB: at least"
    # A peer that was stopped has cost at least so much: enough is enough, too little says nothing.
    met = True if ratio >= 3 else False if theirs.finished else None
    yield BenchmarkResult(
        NAME, f"{size}: CPU s, peer's parsing {how}", ours.cpu_s, theirs.cost.cpu_s, ratio, ">= 3x less", met
    )


def read(path: Path, *flags: str) -> tuple[Cost, int]:
    """Read a trace as the worker does; returns what it cost and how many events there were."""
    with tempfile.TemporaryDirectory(prefix="slowpath-bench-") as folder:
        out = Path(folder, "out.col")
        spent = cost([str(DECODE), "trace", *flags, str(path), str(out)])
        return spent, int(read_columns(out.read_bytes(), "slowpath.trace").header["events"])


def recorded(go: Path, recording: TraceRecording) -> None:
    """Record a trace, unless it is there."""
    path = recording.path()
    if path.exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    program, part = FOLDER / "timestamps", path.with_suffix(".part")
    _build(go, program, ".", SOURCE)
    limits = ["-for", "5m", "-bytes", str(recording.megabytes * MB)]
    subprocess.run([str(program), "-trace", str(part), *limits, *recording.flags], check=True, capture_output=True)
    part.rename(path)


def peer_binary(go: Path) -> Path:
    """Go's own trace tool, built once for each version of Go. Raises `NoPeer`."""
    said = subprocess.run([str(go), "env", "GOVERSION"], check=True, capture_output=True, text=True, env=_environment())
    binary = FOLDER / f"go-tool-trace-{said.stdout.strip()}"
    if not binary.exists():
        try:
            _build(go, binary, "cmd/trace", SOURCE)
        except subprocess.CalledProcessError as error:
            raise NoPeer(f"cmd/trace does not build: {error.stderr.strip()[-200:]}") from error
    return binary


def _build(go: Path, out: Path, package: str, folder: Path) -> None:
    command = [str(go), "build", "-o", str(out), package]
    subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder, env=_environment())


def _environment() -> dict[str, str]:
    return {**os.environ, **go_environment()}


def peer_cost(binary: Path, path: Path, *, until_page: bool) -> Peer:
    """What the peer costs until its first page answers, or until it has parsed; it is stopped then, or at its limits."""
    with tempfile.NamedTemporaryFile("w+", suffix=".log") as log:
        child = subprocess.Popen(
            [str(binary), "-http=127.0.0.1:0", str(path)],
            stdout=log,
            stderr=log,
            env={**os.environ, "BROWSER": shutil.which("true") or "true"},  # it would open one
            start_new_session=True,
        )
        try:
            return _watched(child, Path(log.name), most_bytes=_available_bytes() // 2, until_page=until_page)
        finally:
            child.kill()
            child.wait()


def _watched(child: "subprocess.Popen[bytes]", log: Path, *, most_bytes: int, until_page: bool) -> Peer:
    deadline = time.monotonic() + PEER_SECONDS
    while True:
        there = _answers(log.read_text()) if until_page else "Splitting trace" in log.read_text()
        spent = Cost(cpu_seconds({child.pid}), _peak_bytes(child.pid))
        if there or spent.peak_bytes > most_bytes or time.monotonic() > deadline:
            return Peer(spent, finished=there)
        if child.poll() is not None:
            raise RuntimeError(f"go tool trace ended with {child.returncode}: {log.read_text().strip()[-300:]}")
        time.sleep(0.02)


def _answers(log: str) -> bool:
    """Tells whether the page answers at the address that the peer has told."""
    told = re.search(r"listening on (http://\S+)", log)
    if told is None:
        return False
    with urllib.request.urlopen(told.group(1), timeout=30) as page:  # noqa: S310 - a loopback address the peer told
        return bool(page.read())


def _peak_bytes(pid: int) -> int:
    """The most memory that a process has had at a time; 0 for one that has gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("VmHWM:")), 0)


def _available_bytes() -> int:
    """Memory that can be had without pushing anybody out."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
