"""Linear scaling: ten times the work may cost at most 12 times as much, for decoding, comparing and building views.

Costs are CPU seconds, work is the number of stacks (of the same depth, nearly all different). Each cost is the minimum of
three runs, each in a separate process.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import numpy as np

from bench.benchmark_results import BenchmarkResult
from bench.captures import DECODE
from bench.compare_speed import cost
from bench.generated_profiles import generated
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import DEFAULT_THRESHOLDS
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import compare_profiles

NAME = "linear"
SMALL, TIMES = 20_000, 10
MOST = 1.2
RUNS = 3
WHAT = ("decoding", "comparing", "cutting a view")


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes less than a minute."""
    small, large = (_costs(SMALL * times) for times in (1, TIMES))
    for what, before, after in zip(WHAT, small, large, strict=True):
        ratio = growth(before, after, TIMES)
        yield BenchmarkResult(
            NAME,
            f"{what}: CPU s at {SMALL * TIMES:,} stacks (peer: at {SMALL:,}, times {TIMES})",
            after,
            before * TIMES,
            ratio,
            f"<= {MOST}x of linear",
            ratio <= MOST,
        )


def growth(before: float, after: float, times: float) -> float:
    """Return the cost of `times` as much work, as a multiple of `times` the cost."""
    return after / (before * times)


def _costs(stacks: int) -> tuple[float, ...]:
    """Return the CPU seconds of each of `WHAT` for two profiles of this number of stacks: the minimum of the runs."""
    with tempfile.TemporaryDirectory(prefix="slowpath-bench-") as folder:
        decoded = [Path(folder, f"{draw}.col") for draw in (1, 2)]
        packed = [generated(stacks, draw, pooled=False) for draw in (1, 2)]
        runs = []
        for _ in range(RUNS):
            decoding = sum(
                cost([str(DECODE), "profile", str(source), str(out)]).cpu_s
                for source, out in zip(packed, decoded, strict=True)
            )
            runs.append((decoding, *_analysed(decoded)))
    return tuple(min(each) for each in zip(*runs, strict=True))


def _analysed(decoded: Sequence[Path]) -> tuple[float, float]:
    command = [sys.executable, "-m", "bench.linear_scaling", *map(str, decoded)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    comparing, cutting = json.loads(done.stdout)
    return float(comparing), float(cutting)


def analyse(paths: Sequence[str]) -> tuple[float, float]:
    """Return the CPU seconds of comparing two decoded profiles, and of building the first view."""
    base, candidate = (
        ProfileArtifact(path, ProfileTable.parse(Path(path).read_bytes()), RunMetadata()) for path in paths
    )
    began = _cpu_s()
    comparison = compare_profiles(
        [base], [candidate], DEFAULT_THRESHOLDS, np.random.default_rng(1), lambda _step, _done: None
    )
    compared = _cpu_s()
    view = next(comparison.views())
    for part in ("all", "first", "rest"):
        view.diff_columns(part)
    view.function_columns()
    view.line_columns()
    return compared - began, _cpu_s() - compared


def _cpu_s() -> float:
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    print(json.dumps(analyse(sys.argv[1:])))
