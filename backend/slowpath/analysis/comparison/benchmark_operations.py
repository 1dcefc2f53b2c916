"""Count the operations behind benchmark profiles from the benchmark output on the same side.

`go test -bench -cpuprofile` writes one profile over all benchmarks of a package. The output states for each result the
iterations of the final round, N. Before it, `testing` runs rounds of 1, 100, 10,000, ... operations, each up to a
hundred times the last, until the predicted N is below the next step. The rounds before N are all powers of 100 below N,
and the profile includes their operations: for N just above 1,000,000 they are as many again. They are added here.
Benchmarks with `for b.Loop()` have no such rounds and report all operations.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.kinds.benchmarks.benchmark_artifact import BenchmarkArtifact, BenchmarkResult
from slowpath.analysis.kinds.comparison_sides import ComparisonSide, of_type
from slowpath.analysis.kinds.profiles.decoded.benchmark_profiles import is_benchmark_profile, uses_loop
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.registry import BENCHMARK

RAMP_UP_FACTOR = 100
# One factor for all stacks is right only if the operations of all benchmarks changed by about the same factor.
ALIKE = 1.1
_RUN_SUFFIX = re.compile(r"-\d+$")
_HOW = "Upload the output of one go test -bench run with each profile, and profile one benchmark at a time (-bench=^Name$)."


def with_operations(
    base: ComparisonSide, candidate: ComparisonSide
) -> tuple[ComparisonSide, ComparisonSide, list[Caveat]]:
    """Return both sides with the operations of their benchmark profiles, or a caveat if these are unknown."""
    profiles = [(side, [a for a in side.profiles if is_benchmark_profile(a.table)]) for side in (base, candidate)]
    if not any(benchmark_profiles for _, benchmark_profiles in profiles):
        return base, candidate, []
    counted = [
        _count_operations(benchmark_profiles, of_type(BenchmarkArtifact, side.others.get(BENCHMARK.id, ())))
        for side, benchmark_profiles in profiles
    ]
    reason = _why_unusable(counted)
    if reason:
        sentence = (
            f"Only shares were compared: benchmarks run for a fixed time, so cost per second is meaningless, and {reason}. "
            f"{_HOW}"
        )
        return base, candidate, [Caveat("benchmark-operations", sentence)]
    with_counts = [
        _fill_operations(side, known) for (side, _), known in zip(profiles, counted, strict=True) if known is not None
    ]
    return with_counts[0], with_counts[1], []


def operations_of(results: Sequence[BenchmarkResult], *, loop: bool) -> float:
    """Return the operations of all results, including the rounds before the final one."""
    return float(sum(each.iterations + (0 if loop else _ramp_up(each.iterations)) for each in results))


def _ramp_up(iterations: int) -> int:
    tried, step = 0, 1
    while step < iterations:
        tried += step
        step *= RAMP_UP_FACTOR
    return tried


_ResultsByProfile = Mapping[int, Sequence[BenchmarkResult]]
"""Results by the identity of the profile's table."""


def _count_operations(
    profiles: Sequence[ProfileArtifact], outputs: Sequence[BenchmarkArtifact]
) -> _ResultsByProfile | None:
    """Assign results to profiles, per kind of profile; None if the assignment is ambiguous."""
    counted: dict[int, Sequence[BenchmarkResult]] = {}
    kinds: dict[str, list[ProfileArtifact]] = defaultdict(list)
    for profile in profiles:
        kinds[profile.table.kind].append(profile)
    for same_kind in kinds.values():
        shares = _assign_results(same_kind, outputs)
        if shares is None or not all(shares):
            return None
        counted |= {id(profile.table): share for profile, share in zip(same_kind, shares, strict=True)}
    return counted or None


def _assign_results(
    profiles: Sequence[ProfileArtifact], outputs: Sequence[BenchmarkArtifact]
) -> list[Sequence[BenchmarkResult]] | None:
    """Assign one output per profile by folder or number in their names, or split one output evenly, in order."""
    if len(outputs) == len(profiles) == 1:
        return [outputs[0].results]
    if len(outputs) == len(profiles):
        numbered = {_place(each.name): each.results for each in outputs}
        places = [_place(each.name) for each in profiles]
        if len(numbered) == len(outputs) and set(places) == set(numbered):
            return [numbered[place] for place in places]
        return None
    if len(outputs) != 1:
        return None
    results, count = outputs[0].results, len(profiles)
    part, left = divmod(len(results), count)
    if left or not part:
        return None
    order = sorted(range(count), key=lambda number: _place(profiles[number].name))
    parts: list[Sequence[BenchmarkResult]] = [()] * count
    for position, number in enumerate(order):
        parts[number] = results[position * part : (position + 1) * part]
    names = [[each.name for each in one] for one in parts]
    return parts if all(one == names[0] for one in names) else None


def _place(name: str) -> tuple[str, tuple[int, ...]]:
    """Return the folder of a file and the numbers in its name.

    `3/cpu.pprof` and `3/bench.txt` belong together.
    """
    folder, _, file = name.replace("\\", "/").rpartition("/")
    return folder, tuple(int(digits) for digits in re.findall(r"\d+", file))


def _why_unusable(counted: Sequence[_ResultsByProfile | None]) -> str:
    if counted[0] is None or counted[1] is None:
        return "the number of operations is unknown"
    by_name = [_by_benchmark(known) for known in (counted[0], counted[1])]
    if set(by_name[0]) != set(by_name[1]):
        return "the two sides ran different benchmarks"
    overall_factor = sum(by_name[1].values()) / sum(by_name[0].values())
    factors = [by_name[1][name] / by_name[0][name] / overall_factor for name in by_name[0]]
    if max(factors) > ALIKE or min(factors) < 1 / ALIKE:
        return "several benchmarks share the profile and their numbers of operations changed by different factors"
    return ""


def _by_benchmark(counted: _ResultsByProfile) -> dict[str, float]:
    """Sum the iterations by benchmark."""
    sums: dict[str, float] = defaultdict(float)
    for results in counted.values():
        for each in results:
            sums[_RUN_SUFFIX.sub("", each.name)] += max(each.iterations, 1)
    return sums


def _fill_operations(side: ComparisonSide, counted: _ResultsByProfile) -> ComparisonSide:
    filled = []
    for profile in side.profiles:
        results = counted.get(id(profile.table))
        known = operations_of(results, loop=uses_loop(profile.table)) if results else None
        filled.append(replace(profile, operations=known) if known else profile)
    return replace(side, profiles=tuple(filled))
