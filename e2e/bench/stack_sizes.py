"""Exactness of stack sizes: predicted growths of the example, recorded growths, growths by names of a mixed program, silence.

The measuring is the long tests of `compilerdiff` in Go, which print what they counted. Needs Go 1.26.8 for the mixed program:
its runtime is patched to print every growth. No peer: no other tool predicts stack growth.
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
LIMIT_S = 1500


def run() -> Iterator[BenchmarkResult]:
    """Yield the shares that the tests counted. Raises `CalledProcessError` if a test fails."""
    started = time.monotonic()
    found = run_measuring_tests(TESTS, "./internal/compilerdiff")
    names = ("predictions", "records", "mixed-names", "mixed-addresses", "silent")
    predictions, records, mixed, addressed, silent = (found[each] for each in names)
    yield share(NAME, "predicted variants of the example", predictions["right"], predictions["variants"], 1.0)
    yield share(NAME, "recorded growths with the depth of the runtime", records["inside"], records["growths"], 1.0)
    yield share(NAME, "mixed program, by names: stack size right", mixed["edge"], mixed["growths"], 0.97)
    yield share(NAME, "mixed program, by names: depth in the interval", mixed["inside"], mixed["growths"], 0.99)
    yield share(NAME, "mixed program, by names: interval of one value", mixed["exact"], mixed["growths"], 0.90)
    yield share(NAME, "with addresses: stack size right", addressed["edge"], addressed["growths"], 1.0)
    yield share(NAME, "with addresses: depth in the interval", addressed["inside"], addressed["growths"], 1.0)
    yield share(NAME, "with addresses: interval of one value", addressed["exact"], addressed["growths"], 0.90)
    yield share(NAME, "pairs with equal hot code without a warning", silent["silent"], silent["pairs"], 1.0)
    yield BenchmarkResult(NAME, "duration of all, s", time.monotonic() - started)


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
