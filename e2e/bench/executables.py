"""Reader of executables: frames against prologues, a 90 MB program, one commit built twice, damaged files.

The measuring is tests of the decoder in Go, which print what they counted. The go commands are those of the module proxy.
SLOWPATH_LARGE_EXECUTABLES names two large programs, separated by a colon; without it the go command is compared with itself,
and its times say nothing about the goals. No peer: no other tool reads frames and inline trees of stripped programs.
"""

import os
import re
import subprocess
from collections.abc import Iterator

from bench.benchmark_results import BenchmarkResult
from bench.stack_sizes import LIMIT_S, run_measuring_tests, share
from bootstrap_parts.install_steps import find_go
from bootstrap_parts.project_paths import DECODE

NAME = "executables"
TESTS = "TestFramesOfGoCommands|TestLargeExecutables|TestTwoBuildsOfOneCommit"
EXECUTIONS = 1_000_000
EXECUTED = re.compile(r"execs: (\d+)")
LARGE_BYTES = 80_000_000
"""An executable from this size on is compared with the goals for one of 90 MB."""
MIB = 1 << 20


def run() -> Iterator[BenchmarkResult]:
    """Yield what the tests counted. Raises `CalledProcessError` if a test fails."""
    found = run_measuring_tests(TESTS, "./internal/gobinary", "./internal/compilerdiff")
    for name, counted in found.items():
        if name.startswith("prologues-"):
            what = f"frames equal to the prologue, go command of {name.removeprefix('prologues-')}"
            yield share(NAME, what, counted["equal"], counted["functions"], 0.999)
            yield _at_most(
                f"its functions with a damaged table ({name.removeprefix('prologues-')})", counted["damaged"], 0
            )
    yield from _large(found["large"])
    yield _at_most("findings of one commit built twice (other path, -trimpath)", found["one-commit"]["findings"], 0)
    yield _fuzz()


def _large(counted: dict[str, int]) -> Iterator[BenchmarkResult]:
    size = f"{counted['bytes'] / 1e6:.0f} MB, {counted['functions']:,} functions"
    is_large = counted["bytes"] >= LARGE_BYTES and bool(os.environ.get("SLOWPATH_LARGE_EXECUTABLES"))
    for what, value, goal in (
        (f"opening a program ({size}) without disassembly, CPU s", counted["open_us"] / 1e6, 0.5),
        (f"its peak memory ({size}), MiB", counted["peak_bytes"] / MIB, 256),
        (f"comparing 200 functions of two ({size}), CPU s", counted["diff_us"] / 1e6, 2.0),
    ):
        yield _at_most(what, value, goal) if is_large else BenchmarkResult(NAME, what, value)


def _at_most(what: str, value: float, goal: float) -> BenchmarkResult:
    return BenchmarkResult(NAME, what, value, goal=f"<= {goal:g}", met=value <= goal)


def _fuzz() -> BenchmarkResult:
    """Read a million damaged executables: an error or less evidence, never a crash. Raises `CalledProcessError`."""
    fuzzing = ["-run=^$", "-fuzz=^FuzzReadProgram$", f"-fuzztime={EXECUTIONS}x", "-fuzzminimizetime=20x"]
    command = [str(find_go()), "test", *fuzzing, "-parallel=2", f"-timeout={LIMIT_S}s", "./internal/gobinary"]
    printed = subprocess.run(command, cwd=DECODE, check=True, capture_output=True, text=True).stdout
    executed = max((int(each) for each in EXECUTED.findall(printed)), default=0)
    what = "damaged executables read without a crash"
    return BenchmarkResult(NAME, what, executed, goal=f">= {EXECUTIONS:,}", met=executed >= EXECUTIONS)
