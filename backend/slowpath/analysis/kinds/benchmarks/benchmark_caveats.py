"""Why a comparison of benchmarks may mislead."""

from collections.abc import Iterator

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.wording import format_number, join_list, pluralize
from slowpath.analysis.kinds.benchmarks.bench_compare_output import BenchCompareOutput
from slowpath.analysis.kinds.benchmarks.benchmark_findings import TestedBenchmarkRow
from slowpath.analysis.kinds.benchmarks.benchmark_thresholds import BenchThresholds

# benchstat needs this many values per side before its test can be significant at 5%.
FEWEST_VALUES = 4
MEANINGS = {
    "cpu": "times on different machines are not comparable",
    "goos": "system calls and scheduling differ",
    "goarch": "the compiler generates different code, so times are not comparable",
    "gomaxprocs": "parallel benchmarks and the garbage collector depend on it",
    "pkg": "equal names may refer to different code",
    "go": "compiler and runtime changed too",
    "toolchain": "compiler and runtime changed too",
}


def find_benchmark_caveats(
    answer: BenchCompareOutput, rows: list[TestedBenchmarkRow], thresholds: BenchThresholds
) -> list[Caveat]:
    """Return the caveats of configuration, sample counts and variation."""
    return [
        *_configuration(answer),
        *_few(rows, thresholds),
        *_many(rows),
        *_noisy(rows, thresholds),
        *_directions(rows),
        *_unpaired(answer),
        *_warnings(answer),
    ]


def _configuration(answer: BenchCompareOutput) -> Iterator[Caveat]:
    for differs in answer.differs:
        meaning = MEANINGS.get(differs.key, "the results were compared nevertheless")
        yield Caveat(
            f"bench-{differs.key}",
            f"Benchmarks differ in {differs.key}: {_values(differs.base)} in base, {_values(differs.candidate)} in candidate; "
            f"{meaning}.",
        )


def _values(values: tuple[str, ...]) -> str:
    known = [value or "none" for value in values[:3]] or ["none"]
    return join_list(known) + (f" and {len(values) - 3} more" if len(values) > 3 else "")


def _few(rows: list[TestedBenchmarkRow], thresholds: BenchThresholds) -> Iterator[Caveat]:
    sampled = [row for row in rows if not row.row.exact]
    counts = [min(row.row.base.n, row.row.candidate.n) for row in sampled]
    untestable = sum(1 for row in sampled if max(row.row.base.n, row.row.candidate.n) < FEWEST_VALUES)
    few = sum(1 for count in counts if count < thresholds.enough_values)
    if untestable:
        yield Caveat(
            "bench-too-few",
            f"{pluralize(untestable, 'benchmark result')} of {len(rows):,} {'has' if untestable == 1 else 'have'} fewer than {FEWEST_VALUES} values per side: "
            f"no difference can be significant. Run with -count {2 * thresholds.enough_values - 2}.",
        )
    elif few:
        yield Caveat(
            "bench-few",
            f"{pluralize(few, 'benchmark result')} of {len(rows):,} {'has' if few == 1 else 'have'} fewer than {thresholds.enough_values} values per side: "
            "only large changes are detectable. Run with -count 10.",
        )


def _many(rows: list[TestedBenchmarkRow]) -> Iterator[Caveat]:
    """Warn that benchstat tests each row alone: among many, some differ by chance."""
    tested = [row for row in rows if row.row.p_value is not None]
    different = sum(1 for row in tested if row.row.significant)
    if different and len(tested) >= 10:
        yield Caveat(
            "bench-many",
            f"{different} of {len(tested):,} results differ at 5% each; {format_number(0.05 * len(tested))} would by chance alone. Significant "
            "findings remain after correction for multiple tests.",
        )


def _noisy(rows: list[TestedBenchmarkRow], thresholds: BenchThresholds) -> Iterator[Caveat]:
    """Warn of medians with wide intervals: the machine was busy, or its clock rate changed."""
    wide = [(max(_reach(row.row.base.low, row.row.base.high, row.row.base.center),
                 _reach(row.row.candidate.low, row.row.candidate.high, row.row.candidate.center)), row) for row in rows]  # fmt: skip
    noisy = [(reach, row) for reach, row in wide if reach > thresholds.noisy_from]
    if noisy:
        reach, worst = max(noisy, key=lambda pair: pair[0])
        yield Caveat(
            "bench-noisy",
            f"{pluralize(len(noisy), 'benchmark result')} of {len(rows):,} vary by more than ±{format_number(100 * thresholds.noisy_from)}% "
            f"({worst.row.name} {worst.row.unit}: ±{format_number(100 * reach)}%). Use a quiet machine with a fixed clock rate, and more values.",
        )


def _reach(low: float | None, high: float | None, center: float) -> float:
    """Return the interval's larger half relative to the center, as benchstat prints it.

    0 without an interval.
    """
    if low is None or high is None or center <= 0:
        return 0.0
    return max(high / center - 1, 1 - low / center)


def _directions(rows: list[TestedBenchmarkRow]) -> Iterator[Caveat]:
    units = sorted({row.row.unit for row in rows if row.row.better is None and row.row.significant})
    if units:
        yield Caveat(
            "bench-direction",
            f"The direction of {join_list(units[:5])} is unknown: changes of {'it' if len(units) == 1 else 'them'} are listed but not evaluated. "
            f"Add a line 'Unit {units[0]} better=higher' (or lower) to the output.",
        )


def _unpaired(answer: BenchCompareOutput) -> Iterator[Caveat]:
    for side, other in (("base", "candidate"), ("candidate", "base")):
        names = sorted({each.name for each in answer.unpaired if each.side == side})
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            yield Caveat(
                f"bench-only-{side}",
                f"Only the {side} has {join_list(names[:3])}{more}, without a counterpart in the {other}.",
            )


def _warnings(answer: BenchCompareOutput) -> Iterator[Caveat]:
    for warning in answer.warnings:
        yield Caveat("bench-output", warning if warning.endswith(".") else f"{warning}.")
