"""Exactness of stack sizes: predicted growths of the example, recorded growths, growths by names of a mixed program, silence.

The measuring is the long tests of `compilerdiff` in Go, which print what they counted. The runtimes of several versions of Go
(`SLOWPATH_GROWTH_VERSIONS`) are patched to print every growth. Programs run on amd64 and on arm64, on the machine itself or by
QEMU: an architecture is left out if the machine is of the other one and has no qemu-aarch64 (qemu-x86_64), also as `-static`.
No peer: no other tool predicts stack growth.
"""

import re
import subprocess
import time
from collections.abc import Iterator

from bench.benchmark_results import BenchmarkResult
from bench.counted_shares import wilson
from bootstrap_parts.install_steps import find_go
from bootstrap_parts.project_paths import DECODE

NAME = "stack-sizes"
TESTS = "TestPredictionsOfTheExample|TestRecordedGrowths|TestGrowthsOfAMixedProgram|TestPairsWithEqualHotCode"
MEASURED = re.compile(r"^measured (\S+) (.*)$", re.MULTILINE)
MIXED = "mixed-names-"
"""Begins the names of what was counted of the mixed program, before the version of Go and the architecture."""
ARCHITECTURES = ("amd64", "arm64")
LIMIT_S = 1500


def run() -> Iterator[BenchmarkResult]:
    """Yield the shares that the tests counted. Raises `CalledProcessError` if a test fails."""
    started = time.monotonic()
    found = run_measuring_tests(TESTS, "./internal/compilerdiff")
    records, silent = found["records"], found["silent"]
    for arch in ARCHITECTURES:
        yield _predictions(arch, found.get(f"predictions-{arch}"))
    yield share(NAME, "recorded growths with the depth of the runtime", records["inside"], records["growths"], 1.0)
    for version in (name.removeprefix(MIXED) for name in found if name.startswith(MIXED)):
        yield from _mixed(version, found[MIXED + version], found[f"mixed-addresses-{version}"])
    yield share(NAME, "pairs with equal hot code without a warning", silent["silent"], silent["pairs"], 1.0)
    yield BenchmarkResult(NAME, "duration of all, s", time.monotonic() - started)


def _predictions(arch: str, counted: dict[str, int] | None) -> BenchmarkResult:
    """Return how many variants of the example grew as predicted on an architecture, if its programs run here."""
    if counted is None:
        return BenchmarkResult(NAME, f"programs run for {arch}: this machine needs QEMU for it", 0)
    return share(NAME, f"predicted variants of the example, {arch}", counted["right"], counted["variants"], 1.0)


def _mixed(version: str, named: dict[str, int], addressed: dict[str, int]) -> Iterator[BenchmarkResult]:
    """Yield how well the depths of the mixed program are known with a version of Go on an architecture, by names and by addresses."""
    for how, counted, goals in (
        ("by names", named, (0.97, 0.99, 0.90)),
        ("with addresses", addressed, (1.0, 1.0, 0.90)),
    ):
        what = f"mixed program, Go {version.removeprefix('go')}, {how}"
        for name, key, goal in zip(("stack size right", "depth in the interval", "interval of one value"), ("edge", "inside", "exact"), goals, strict=True):  # fmt: skip
            yield share(NAME, f"{what}: {name}", counted[key], counted["growths"], goal)


def run_measuring_tests(tests: str, *packages: str) -> dict[str, dict[str, int]]:
    """Run long tests of the decoder, and return what they counted by name. Raises `CalledProcessError` if one fails."""
    command = [str(find_go()), "test", "-tags", "long", "-count=1", "-v", "-timeout", f"{LIMIT_S}s", "-run", tests]
    printed = subprocess.run([*command, *packages], cwd=DECODE, check=True, capture_output=True, text=True).stdout
    return {
        name: {key: int(count) for key, _, count in (each.partition("=") for each in values.split())}
        for name, values in MEASURED.findall(printed)
    }


def share(benchmark: str, what: str, right: int, total: int, goal: float) -> BenchmarkResult:
    """Return a share with its confidence interval; it meets the goal unless the interval excludes it."""
    low, high = wilson(right, total)
    text = f"{what} ({right} of {total}, 95% CI {100 * low:.1f}-{100 * high:.1f}%)"
    return BenchmarkResult(benchmark, text, right / total, goal=f">= {goal:g}", met=high >= goal)
