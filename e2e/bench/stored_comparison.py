"""Two stored sets of 20 profiles with 100,000 stacks each: from the request to the findings, compared with pprof on the same files.

`pprof -proto` sums and writes the profiles, without a tree, findings or intervals. Both are measured as wall time, one after the
other on the same machine. The goal applies to sets of 100,000 distinct stacks shared by their profiles, as of one program. Sets in
which every profile has 100,000 different stacks (four million in total) are measured without a goal.
"""

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from bench.benchmark_results import BenchmarkResult
from bench.compare_speed import pprof_binary
from bench.comparison_client import compare, newcomer, upload
from bench.generated_profiles import FOLDER, sides
from bench.process_cost import cpu_seconds, parents, tree
from bench.stack_benchmarks import beside_stack

NAME = "stored"
STACKS = 100_000
PROFILES = 20
ROUNDS = 3
GOAL = 10.0


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes some minutes, most of them pprof's."""
    yield from beside_stack("bench.stored_comparison")


def inside() -> Iterator[BenchmarkResult]:
    """Yield the results, with a running stack."""
    yield from _measured("shared stacks", pooled=True, rounds=ROUNDS)
    yield from _measured("no shared stacks", pooled=False, rounds=1)


def _measured(what: str, *, pooled: bool, rounds: int) -> Iterator[BenchmarkResult]:
    base, candidate = sides(STACKS, PROFILES, pooled=pooled)
    person = newcomer()
    before = _stack_cpu_s()
    base_ids, candidate_ids = upload(person, base), upload(person, candidate)
    uploading = _stack_cpu_s() - before
    found, theirs = [], []
    for number in range(rounds):
        # Each round uses a new pair, to exclude cached results: one profile less per side than the round before.
        remaining = PROFILES - number
        found.append(compare(person, base_ids[:remaining], candidate_ids[:remaining]))
        theirs.append(_pprof_seconds(base[:remaining], candidate[:remaining]))
    ours, peer = median(each.findings_s for each in found), median(theirs)
    size = f"2 x {PROFILES} profiles, {STACKS:,} stacks each, {what}"
    goal = (f">= {GOAL:.0f}x faster", peer / ours >= GOAL) if pooled else (None, None)
    yield BenchmarkResult(NAME, f"{size}: s to findings", ours, peer, peer / ours, *goal)
    yield BenchmarkResult(NAME, f"{size}: s to the picture", median(each.picture_s for each in found))
    yield BenchmarkResult(NAME, f"{size}: CPU s of upload and decoding, per file", uploading / (2 * PROFILES))


def _stack_cpu_s() -> float:
    """Return the CPU time of the whole stack: all processes started by the parent, except this one."""
    return cpu_seconds(tree(os.getppid(), parents(), without=os.getpid()))


def _pprof_seconds(base: Sequence[Path], candidate: Sequence[Path]) -> float:
    """Return the wall seconds of `pprof -proto -diff_base`; each base file has a flag."""
    flags = [word for path in base for word in ("-diff_base", str(path))]
    out = FOLDER / "peer.pb.gz"
    command = [str(pprof_binary()), "-symbolize=none", "-proto", "-output", str(out), *flags]
    began = time.monotonic()
    subprocess.run([*command, *map(str, candidate)], check=True, capture_output=True)
    seconds = time.monotonic() - began
    out.unlink()
    return seconds
