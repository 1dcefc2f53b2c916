"""Cost of reading an execution trace, compared with `go tool trace` on the same file: CPU seconds and peak memory.

The benchmark records the traces from the example's timestamp client under load, and caches them. The peer is Go's `cmd/trace`,
built before, so that building is not counted. It is measured from its start until its first page responds, without requesting a
view. For the largest trace that page does not appear on an ordinary machine (it needs more than 20 GB); then only the peer's
parsing is compared, up to its line "Splitting trace". The peer is stopped at a limit of memory or time; its cost until then is a
lower bound, and so is the reported ratio. Slowpath's cost is that of the whole reader: latencies, P occupancy, garbage collector,
series, tiles, written to a file. Events are counted by the reader.
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
"""A client under high load; with tickers it is the busy one."""


@dataclass(frozen=True)
class TraceRecording:
    """A trace to record: approximate size, and load."""

    name: str
    megabytes: int
    flags: tuple[str, ...]

    def path(self) -> Path:
        """Return the path of the cached trace."""
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
    """The peer's cost until its page responded, or until it was stopped."""

    cost: Cost
    finished: bool


class NoPeer(Exception):
    """Go or its `cmd/trace` is not available; the message gives the reason in one line."""


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes some minutes, most for the peer and, once, for recording."""
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
    """Yield the time from two traces of 10 MB to findings, with a running stack."""
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
    # A stopped peer has cost at least this much: a reached goal is certain, a missed one is not.
    met = True if ratio >= 3 else False if theirs.finished else None
    yield BenchmarkResult(
        NAME, f"{size}: CPU s, peer's parsing {how}", ours.cpu_s, theirs.cost.cpu_s, ratio, ">= 3x less", met
    )


def read(path: Path, *flags: str) -> tuple[Cost, int]:
    """Read a trace like the worker; return the cost and the number of events."""
    with tempfile.TemporaryDirectory(prefix="slowpath-bench-") as folder:
        out = Path(folder, "out.col")
        spent = cost([str(DECODE), "trace", *flags, str(path), str(out)])
        return spent, int(read_columns(out.read_bytes(), "slowpath.trace").header["events"])


def recorded(go: Path, recording: TraceRecording) -> None:
    """Record a trace, unless it is cached."""
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
    """Return Go's trace tool, built once per version of Go. Raises `NoPeer`."""
    completed = subprocess.run(
        [str(go), "env", "GOVERSION"], check=True, capture_output=True, text=True, env=_environment()
    )
    binary = FOLDER / f"go-tool-trace-{completed.stdout.strip()}"
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
    """Return the peer's cost until its first page responds, or until it has parsed; it is stopped then, or at its limits."""
    with tempfile.NamedTemporaryFile("w+", suffix=".log") as log:
        child = subprocess.Popen(
            [str(binary), "-http=127.0.0.1:0", str(path)],
            stdout=log,
            stderr=log,
            env={**os.environ, "BROWSER": shutil.which("true") or "true"},  # otherwise it would open a browser
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
    """Return whether the page responds at the address that the peer printed."""
    match = re.search(r"listening on (http://\S+)", log)
    if match is None:
        return False
    with urllib.request.urlopen(match.group(1), timeout=30) as page:  # noqa: S310 - a loopback address printed by the peer
        return bool(page.read())


def _peak_bytes(pid: int) -> int:
    """Return the peak memory of a process; 0 if it has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("VmHWM:")), 0)


def _available_bytes() -> int:
    """Return the available memory."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
