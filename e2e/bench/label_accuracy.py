"""Diff by label: power, false alarms and cost.

Profiles are real captures of a program whose endpoints share all their code (`capture_labels`), joined to 3,000 samples (30 s
of one busy core) and to 6,000 (of two: the goal is for these). +20% on the endpoint with the share closest to 5% must be found by its label, where the whole profile shows
nothing. A/A: no label may have a significant finding; beside the program's own labels, a generated one with 1,000 values is
given to the samples at random. The cost is that of the comparison of decoded files with 1,000 values, against the same without
labels. `SLOWPATH_BENCH_ROUNDS` multiplies the draws.
"""

import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.aa_draws import ROUNDS
from bench.benchmark_results import BenchmarkResult
from bench.captures import DECODE, OWN, decoded
from bench.counted_shares import Count, wilson
from bench.labelled_sets import LabelledPool, pool_of, with_random_label
from bench.product_comparison import compared
from bench.resampled_sets import Draw, in_turns
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison
from slowpath.units import Nanoseconds

NAME = "labels"
PROFILES, SAMPLES = 10, 3_000
EFFECT, SHARE, POWER = 0.20, 0.05, 0.90
TWO_CORES = 2 * SAMPLES
EFFECTS, EQUALS, MANY_EQUALS = 60 * ROUNDS, 400 * ROUNDS, 60 * ROUNDS
MANY_VALUES, REPEATS = 1_000, 3
KIND = "profile.label"
FOLDER = OWN / "labels" / "service"
GENERATED = OWN.parents[2] / ".slowpath" / "bench" / "labels"


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes a few minutes of one core."""
    pool = pool_of([decoded(path) for path in sorted(FOLDER.glob("*.pb.gz"))])
    yield from _power(pool, SAMPLES, has_goal=False)
    yield from _power(pool, TWO_CORES, has_goal=True)
    for values, reserved, draws in (("the program's labels", pool, EQUALS), *_generated(pool)):
        yield from _false_alarms(values, reserved, draws)
    yield from _cost()


def _generated(pool: LabelledPool) -> Iterator[tuple[str, LabelledPool, int]]:
    many = with_random_label(pool, "user", MANY_VALUES, np.random.default_rng(1))
    yield f"a label with {MANY_VALUES:,} values", many, MANY_EQUALS


def _draw(pool: LabelledPool, seed: int, samples: int = SAMPLES) -> Draw:
    return in_turns(pool.profiles(2 * PROFILES, samples, np.random.default_rng([seed, PROFILES])), PROFILES)


def _power(pool: LabelledPool, samples: int, *, has_goal: bool) -> Iterator[BenchmarkResult]:
    endpoints = {label for each in pool.label_sets for label in each if label[0] == "endpoint"}
    label = min(sorted(endpoints), key=lambda each: abs(pool.share(each) - SHARE))
    by_label, by_profile, elsewhere = Count(), Count(), Count()
    for seed in range(EFFECTS):
        drawn, rng = _draw(pool, seed, samples), np.random.default_rng([seed, 2])
        slower = tuple(pool.with_effect(each, label, EFFECT, rng) for each in drawn.candidate)
        comparison = compared(drawn.base, slower)
        found = [each for each in comparison.findings if each.is_significant]
        subject = "=".join(label)
        located = [each for each in found if each.kind == KIND]
        by_label.add(any(subject in each.subject and each.direction == "worse" for each in located))
        elsewhere.add(any(subject not in each.subject for each in located))
        by_profile.add(any(each.kind != KIND for each in found))
    what = f"+{EFFECT:.0%} on an endpoint with {pool.share(label):.1%} of the CPU, {PROFILES} profiles of {samples:,} samples per side"
    met = wilson(by_label.hits, by_label.trials)[1] >= POWER if has_goal else None
    yield _share(f"{what}: found by its label", by_label, f">= {POWER}" if has_goal else None, met)
    low = wilson(by_profile.hits, by_profile.trials)[0]
    yield _share(f"{what}: found in the whole profile", by_profile, "< 0.2", low < 0.2)
    yield _share(f"{what}: another value reported", elsewhere, None, None)


def _false_alarms(values: str, pool: LabelledPool, draws: int) -> Iterator[BenchmarkResult]:
    alarms = Count()
    for seed in range(draws):
        drawn = _draw(pool, 10_000 + seed)
        alarms.add(_has_label_alarm(compared(drawn.base, drawn.candidate)))
    met = wilson(alarms.hits, alarms.trials)[0] <= 0.01
    yield _share(f"A/A over {values}, {PROFILES} profiles per side: alarms", alarms, "<= 0.01", met)


def _has_label_alarm(comparison: ProfileComparison) -> bool:
    return any(each.kind == KIND and each.is_significant for each in comparison.findings)


def _share(what: str, counted: Count, goal: str | None, met: bool | None) -> BenchmarkResult:
    return BenchmarkResult(NAME, f"{what} ({counted.text})", counted.share, goal=goal, met=met)


def _cost() -> Iterator[BenchmarkResult]:
    files = [_generate(seed) for seed in range(2 * PROFILES)]
    labelled = min(_cpu_seconds(lambda: _compare(files, labels=True)) for _ in range(REPEATS))
    plain = min(_cpu_seconds(lambda: _compare(files, labels=False)) for _ in range(REPEATS))
    ratio = labelled / plain
    what = f"comparison of {PROFILES} profiles per side with {MANY_VALUES:,} label values, CPU s (peer: without labels)"
    yield BenchmarkResult(NAME, what, labelled, peer=plain, ratio=ratio, goal="ratio <= 2", met=ratio <= 2)


def _generate(seed: int) -> Path:
    """Return a decoded file of a generated profile whose samples have one of 1,000 values."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    packed, columns = GENERATED / f"{seed}.pb.gz", GENERATED / f"{seed}.col"
    shape = {"samples": SAMPLES, "functions": 2_000, "depth": 30, "labels": MANY_VALUES, "draw": seed}
    options = [word for name, value in shape.items() for word in (f"-{name}", str(value))]
    subprocess.run([str(DECODE), "generate", *options, str(packed)], check=True, capture_output=True)
    subprocess.run([str(DECODE), "profile", str(packed), str(columns)], check=True, capture_output=True)
    return columns


def _compare(files: list[Path], *, labels: bool) -> None:
    profiles = [_read(path, number, labels=labels) for number, path in enumerate(files)]
    compared(profiles[::2], profiles[1::2])


def _read(path: Path, number: int, *, labels: bool) -> ProfileArtifact:
    table = ProfileTable.parse(path.read_bytes(), checked=True)
    seconds = Nanoseconds(10**9)
    table = replace(table, time_ns=Nanoseconds((number + 1) * 40 * seconds), duration_ns=Nanoseconds(30 * seconds))
    facts = RunMetadata(run=str(number), requests=30_000, wall_ns=Nanoseconds(30 * seconds))
    return ProfileArtifact(path.name, table if labels else replace(table, sample_labels=None), facts)


def _cpu_seconds(work: Callable[[], None]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin
