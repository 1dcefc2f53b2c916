"""Cost of a comparison, compared with `pprof -diff_base` on the same files: CPU seconds and peak memory of cold processes.

The peer is github.com/google/pprof, built from the Go module proxy at a pinned version. Slowpath's cost is that of the whole
command (`slowpath compare --json`): start of Python, decoding in child processes, findings. CPU and memory of children
count; large files are decoded one after the other, so the largest process determines the peak.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

from bench.benchmark_results import BenchmarkResult
from bench.captures import DECODE, EXAMPLE, ROOT, corpus
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable

NAME = "compare"
PPROF_VERSION = "v0.0.0-20260906184651-6331bc6350fe"
FOLDER = ROOT / ".slowpath" / "bench"
SMALL_CPU_SECONDS = 0.5
LEAST_TIMES = 5
LARGE_BYTES = 5_000_000
"""Uncompressed size from which the goal is a ratio."""
MANY_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "wide": ("-samples", "100000", "-depth", "30", "-branching", "30"),
    "deep": ("-samples", "20000", "-depth", "400", "-branching", "3"),
    "recursive": ("-samples", "60000", "-depth", "60", "-recursive", "20", "-branching", "10"),
    "flat": ("-samples", "400000", "-depth", "4", "-branching", "50"),
    "many labels": ("-samples", "100000", "-depth", "30", "-branching", "10", "-labels", "50000"),
    "many lines": ("-samples", "100000", "-depth", "30", "-branching", "10", "-lines", "10"),
}
"""Shapes of generated profiles with 200,000 functions."""


@dataclass(frozen=True)
class Cost:
    """CPU seconds (user and system) and peak resident memory of a process and its children."""

    cpu_s: float
    peak_bytes: int


@dataclass(frozen=True)
class Pair:
    """Two files to compare; `large` pairs have goals of ratio, small ones goals of absolute time."""

    name: str
    base: Path
    candidate: Path
    large: bool


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; pprof needs some minutes for the large pairs."""
    pprof = pprof_binary()
    compile_sources()
    cpu_ratios = []
    for pair in _pairs():
        ours = cost(
            [
                sys.executable,
                "-m",
                "slowpath_cli.main",
                "compare",
                "--base",
                str(pair.base),
                "--candidate",
                str(pair.candidate),
                "--json",
            ]
        )
        theirs = cost([str(pprof), "-symbolize=none", "-diff_base", str(pair.base), "-top", str(pair.candidate)])
        cpu, memory = theirs.cpu_s / ours.cpu_s, ours.peak_bytes / theirs.peak_bytes
        if pair.large:
            cpu_ratios.append(cpu)
            yield BenchmarkResult(
                NAME,
                f"{pair.name}: CPU s",
                ours.cpu_s,
                theirs.cpu_s,
                cpu,
                f"at least {LEAST_TIMES}x less",
                cpu >= LEAST_TIMES,
            )
            yield BenchmarkResult(
                NAME,
                f"{pair.name}: peak MB",
                ours.peak_bytes / 1e6,
                theirs.peak_bytes / 1e6,
                memory,
                "<= 0.6x",
                memory <= 0.6,
            )
        else:
            met = ours.cpu_s < SMALL_CPU_SECONDS
            yield BenchmarkResult(
                NAME, f"{pair.name}: CPU s", ours.cpu_s, theirs.cpu_s, cpu, f"< {SMALL_CPU_SECONDS} s", met
            )
    if cpu_ratios:
        mean = prod(cpu_ratios) ** (1 / len(cpu_ratios))
        yield BenchmarkResult(
            NAME, f"{len(cpu_ratios)} large pairs: CPU, geometric mean of times less", mean, goal=">= 5", met=mean >= 5
        )


def cost(command: Sequence[str]) -> Cost:
    """Run a command without output, and read its resource usage from the kernel."""
    null = os.open(os.devnull, os.O_RDWR)
    pid = os.posix_spawn(
        command[0],
        list(command),
        environment(),
        file_actions=[(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1)],
    )
    _, status, usage = os.wait4(pid, 0)
    os.close(null)
    if os.waitstatus_to_exitcode(status) not in {0, 1, 3}:
        raise RuntimeError(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def environment() -> dict[str, str]:
    """Return the environment of a measured command, with compiled Python files like an installed command."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {
        **inherited,
        "PYTHONPATH": f"{ROOT / 'backend'}:{ROOT / 'worker'}:{ROOT / 'e2e'}",
        "PYTHONPYCACHEPREFIX": str(FOLDER / "compiled"),
    }


def compile_sources() -> None:
    """Import the command once, so that no measured run includes compiling."""
    command = [sys.executable, "-c", "import slowpath_cli.main, slowpath_cli.commands.compare"]
    subprocess.run(command, check=True, env=environment())


def pprof_binary() -> Path:
    """Return the peer's binary, built once."""
    binary = FOLDER / f"pprof-{PPROF_VERSION}"
    if not binary.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        go = shutil.which("go") or str(ROOT / ".slowpath" / "tools" / "bin" / "go")
        environment = {**os.environ, "GOBIN": str(FOLDER), "GOFLAGS": "-mod=mod"}
        subprocess.run([go, "install", f"github.com/google/pprof@{PPROF_VERSION}"], check=True, env=environment)
        (FOLDER / "pprof").rename(binary)
    return binary


def _pairs() -> Iterator[Pair]:
    yield Pair(
        "example, 2 x 0.1 MB", EXAMPLE / "inlined" / "cpu.00.pb.gz", EXAMPLE / "helper" / "cpu.00.pb.gz", large=False
    )
    folder = corpus()
    if folder is not None:
        stress = folder / "pprof" / "datadog" / "fastdelta-stress-failure.2.before.pprof"
        go = folder / "pprof" / "golang"
        yield Pair(
            "corpus heap, 2 x 0.7 MB", stress, stress.with_name("fastdelta-stress-failure.2.after.pprof"), large=False
        )
        yield Pair(
            "corpus Go compiler, 0.7 and 0.6 MB",
            go / "compile-default-go1.26.8.pgo",
            go / "compile-default-go1.24.13.pgo",
            large=False,
        )
        yield from _large_files(folder)
    for shape, arguments in MANY_FUNCTIONS.items():
        base, candidate = _of_many_functions(shape, arguments)
        yield Pair(f"generated, 200,000 functions, {shape}", base, candidate, large=True)
    for size, samples, pooled in (
        ("20 MB", 200_000, True),
        ("40 MB", 400_000, False),
        ("60 MB", 600_000, True),
        ("170 MB", 1_650_000, True),
    ):
        base, candidate = _generated(samples, pooled=pooled)
        stacks = "the same stacks" if pooled else "mostly different stacks"
        yield Pair(f"generated, 2 x {size} unpacked, {stacks}", base, candidate, large=True)


def _large_files(folder: Path) -> Iterator[Pair]:
    """Return every large profile of a corpus with the largest other one of the same sample type, or with itself."""
    large = [path for path in sorted(folder.rglob("*")) if path.is_file() and _unpacked_bytes(path) >= LARGE_BYTES]
    counted = {path: types for path in large if (types := _sample_types(path)) is not None}
    for path, types in counted.items():
        beside = [each for each, theirs in counted.items() if theirs == types and each != path]
        base = max(beside, key=_unpacked_bytes, default=path)
        yield Pair(f"corpus {path.relative_to(folder)}", base, path, large=True)


def _sample_types(path: Path) -> tuple[SampleType, ...] | None:
    """Return the sample type of a profile; None if the file is not a profile."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    out = FOLDER / "large.col"
    done = subprocess.run([str(DECODE), "profile", "--brief", str(path), str(out)], capture_output=True, check=False)
    return ProfileTable.parse(out.read_bytes()).sample_types if done.returncode == 0 else None


def _unpacked_bytes(path: Path) -> int:
    """Return the uncompressed size of a file (from gzip's trailer)."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        if not packed or path.stat().st_size < 18:
            return path.stat().st_size
        file.seek(-4, os.SEEK_END)
        return int.from_bytes(file.read(4), "little")


def _of_many_functions(shape: str, arguments: Sequence[str]) -> tuple[Path, Path]:
    """Return two profiles of a program with 200,000 functions, some 10% slower in the second."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    name = shape.replace(" ", "-")
    paths = FOLDER / f"functions-{name}-1.pb.gz", FOLDER / f"functions-{name}-2.pb.gz"
    for path, draw, slower in zip(paths, ("1", "2"), ("0", "10"), strict=True):
        if not path.exists():
            listed = ["-functions", "200000", "-draw", draw, "-slower", slower]
            subprocess.run([str(DECODE), "generate", *arguments, *listed, str(path)], check=True)
    return paths


def _generated(samples: int, *, pooled: bool) -> tuple[Path, Path]:
    """Return two profiles of one program, some of whose functions are 10% slower in the second."""
    paths = []
    for draw, slower in ((1, 0), (2, 10)):
        path = FOLDER / f"generated-{samples}-{'pool' if pooled else 'free'}-{draw}.pb.gz"
        if not path.exists():
            FOLDER.mkdir(parents=True, exist_ok=True)
            command = [str(DECODE), "generate", "-samples", str(samples), "-draw", str(draw), "-slower", str(slower)]
            subprocess.run([*command, *(["-pool"] if pooled else []), str(path)], check=True)
        paths.append(path)
    return paths[0], paths[1]
