"""False alarms of trace comparisons: every split of traces of one binary into two sides, on real captures.

Splits share traces, so they are not independent; the interval is that of the same number of independent comparisons.
"""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from bench.benchmark_results import BenchmarkResult
from bench.captures import DECODE, ROOT, corpus
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.exec_traces.compare_traces import compare_traces
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.exec_traces.trace_thresholds import DEFAULT_TRACE_THRESHOLDS

NAME = "traces"
GOAL = 0.01
MOST_A_SIDE = 3
EXAMPLE = ROOT / "worker" / "example" / "traces"
VARIANTS = ("base", "hogs", "tickers", "garbage")
# Captures of one binary in the corpus, and one file of each repeated pair.
CASES = (
    ("tso-sched", ("aa1", "aa2", "base")),
    ("dd-mapchan", ("aa1", "aa2", "base")),
    ("inject", ("aa1", "aa2", "base")),
)
PAIRS = (("base", "base2"), ("rep_base1", "rep_base2"), ("rep_head1", "rep_head2"))


def false_alarms() -> Iterator[BenchmarkResult]:
    """Numbers of comparisons of equal binaries with a significant finding, or with a verdict of a change."""
    alarms = unchanged = comparisons = 0
    for traces in _sets():
        for seed, (base, candidate) in enumerate(_splits(traces)):
            found = compare_traces(base, candidate, DEFAULT_TRACE_THRESHOLDS, np.random.default_rng(seed), _ignore)
            comparisons += 1
            alarms += found.verdict not in {"unchanged", "inconclusive"} or any(
                f.is_significant for f in found.findings
            )
            unchanged += found.verdict == "unchanged"
    low, high = binomtest(alarms, comparisons).proportion_ci(method="wilson")
    what = f"A/A: % of {comparisons} comparisons with an alarm (95% CI {100 * low:.1f}-{100 * high:.1f}%)"
    yield BenchmarkResult(NAME, what, 100 * alarms / comparisons, goal="<= 1", met=low <= GOAL)
    yield BenchmarkResult(NAME, "A/A: % that are unchanged, with a bound", 100 * unchanged / comparisons)


def _ignore(_step: str, _fraction: float) -> None:
    """Ignore progress."""


def _sets() -> Iterator[list[TraceArtifact]]:
    for variant in VARIANTS:
        yield [_decoded(path) for path in sorted((EXAMPLE / variant).glob("*.trace.gz"))]
    folder = corpus()
    if folder is None:
        return
    for case, variants in CASES:
        paths = [path for each in variants for path in sorted((folder / "cases" / case / each).glob("trace.*.out.gz"))]
        yield [_decoded(path) for path in paths]
    for pair in PAIRS:
        yield [_decoded(folder / "traces" / "gen-svc" / f"{name}.trace") for name in pair]


def _splits(traces: Sequence[TraceArtifact]) -> Iterator[tuple[list[TraceArtifact], list[TraceArtifact]]]:
    """Return all pairs of disjoint sets of equal size, each pair once."""
    for size in range(1, MOST_A_SIDE + 1):
        for base in combinations(range(len(traces)), size):
            rest = [number for number in range(base[0] + 1, len(traces)) if number not in base]
            for candidate in combinations(rest, size):
                yield [traces[number] for number in base], [traces[number] for number in candidate]


def _decoded(path: Path) -> TraceArtifact:
    with tempfile.NamedTemporaryFile(suffix=".col") as out:
        subprocess.run([str(DECODE), "trace", str(path), out.name], check=True, capture_output=True)
        table = TraceTable.parse(Path(out.name).read_bytes())
    sidecar = path.with_name(path.name + ".facts.json")
    facts = RunMetadata.from_json(json.loads(sidecar.read_text())) if sidecar.is_file() else RunMetadata()
    return TraceArtifact(path.name, table, facts)
