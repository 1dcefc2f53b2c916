"""Turn rows that differ into findings."""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Direction, Effect, Finding
from slowpath.analysis.kinds.benchmarks.bench_compare_output import BenchmarkRow
from slowpath.analysis.kinds.benchmarks.benchmark_thresholds import BenchThresholds
from slowpath.analysis.kinds.benchmarks.ratio_interval import ratio_interval
from slowpath.analysis.stats.false_discovery_rate import q_values

KIND = "bench"
PROFILE = "bench"


@dataclass(frozen=True)
class TestedBenchmarkRow:
    """A row with `q_value`, adjusted over all rows, and the effect with its interval."""

    row: BenchmarkRow
    q_value: float | None
    change: Effect

    @property
    def direction(self) -> Direction | None:
        """Return worse or better; None if the direction of the unit is unknown."""
        if self.row.better is None:
            return None
        increased = self.row.candidate.center > self.row.base.center
        return "worse" if increased == (self.row.better == "less") else "better"

    @property
    def state(self) -> str:
        """Return the change of the value, more, less or noise, as benchstat decides."""
        if not self.row.significant:
            return "noise"
        return "more" if self.row.candidate.center > self.row.base.center else "less"


def evaluate_rows(rows: tuple[BenchmarkRow, ...], thresholds: BenchThresholds) -> list[TestedBenchmarkRow]:
    """Test all rows, in their order."""
    p_values = np.array([1.0 if row.p_value is None else row.p_value for row in rows])
    tested = np.array([row.p_value is not None for row in rows], dtype=np.bool_)
    q = np.full(len(rows), np.nan)
    q[tested] = q_values(p_values[tested], np.ones(int(tested.sum())))
    return [
        TestedBenchmarkRow(row, None if row.p_value is None else float(q[number]), change_of(row, thresholds))
        for number, row in enumerate(rows)
    ]


def change_of(row: BenchmarkRow, thresholds: BenchThresholds) -> Effect:
    """Return the ratio of the medians with the interval of the test; a difference if there is no ratio."""
    difference = row.candidate.center - row.base.center
    if row.ratio is not None and row.ratio > 0:
        if row.exact:
            return Effect(row.ratio, difference, row.ratio, row.ratio, 1.0, "ratio")
        interval = ratio_interval(row.base.values, row.candidate.values, thresholds.confidence)
        if interval is not None:
            low, high, reached = interval
            return Effect(row.ratio, difference, min(low, row.ratio), max(high, row.ratio), reached, "ratio")
    low = _bound(row.candidate.low, row.candidate.values, least=True) - _bound(
        row.base.high, row.base.values, least=False
    )
    high = _bound(row.candidate.high, row.candidate.values, least=False) - _bound(
        row.base.low, row.base.values, least=True
    )
    return Effect(row.ratio, difference, low, high, thresholds.confidence, "difference")


def _bound(bound: float | None, values: tuple[float, ...], *, least: bool) -> float:
    if bound is not None:
        return bound
    return min(values) if least else max(values)


def findings_of(rows: list[TestedBenchmarkRow], thresholds: BenchThresholds) -> list[Finding]:
    """Return the significant rows with a direction.

    Certain before tentative, worse before better, by size.
    """
    several = len({row.row.config.get("pkg") for row in rows}) > 1
    timed = {_benchmark(each.row) for each in rows if each.row.significant and each.row.unit == "sec/op"}
    found = [
        _finding(each, each.direction, thresholds, several=several)
        for each in rows
        if each.row.significant
        and each.direction is not None
        and not (each.row.unit == "B/s" and _benchmark(each.row) in timed)  # the inverse of the time per operation
    ]
    found.sort(key=lambda f: (not f.is_significant, f.direction != "worse", -_size(f.change)))
    return found


def _benchmark(row: BenchmarkRow) -> tuple[str, str]:
    return row.config.get("pkg", ""), row.name


def _size(change: Effect) -> float:
    """Return how large an effect is, as a factor in either direction; infinite without a ratio."""
    return abs(float(np.log(change.ratio))) if change.ratio else float("inf")


def is_certain(row: TestedBenchmarkRow, thresholds: BenchThresholds) -> bool:
    """Return whether the row is significant among all rows and not negligible; exact values need no test."""
    ratio = row.row.ratio
    small = ratio is not None and ratio > 0 and max(ratio, 1 / ratio) - 1 < thresholds.least_relative
    return not small and (row.q_value is None or row.q_value <= thresholds.alpha)


def _finding(row: TestedBenchmarkRow, direction: Direction, thresholds: BenchThresholds, *, several: bool) -> Finding:
    exact, name = row.row.exact, name_of(row.row, several=several)
    text = TEXTS.get(row.row.unit, OTHER)
    certain = is_certain(row, thresholds)
    return Finding(
        kind=KIND,
        profile_kind=PROFILE,
        subject=f"{name}|{row.row.unit}",
        direction=direction,
        base=row.row.base.center,
        candidate=row.row.candidate.center,
        unit=row.row.unit,
        change=row.change,
        normalization="count" if exact else "quantile",
        q_value=row.q_value,
        attributed_callers=(),
        contributions=(),
        is_significant=certain,
        profiles_needed=None,
        mechanism=text[0] if direction == "worse" else "",
        advice=text[1] if direction == "worse" else "",
        sentence=sentence(name, row),
        quantile=None if exact else 0.5,
    )


def name_of(row: BenchmarkRow, *, several: bool) -> str:
    """Return the benchmark's name, with the last part of its package if there are several."""
    package = row.config.get("pkg", "").rpartition("/")[2]
    return f"{package}.{row.name}" if several and package else row.name


# Names of units in a sentence: the unit for formatting, and the words around it.
WORDS = {
    "sec/op": ("s", "takes more time", "takes less time", " per operation"),
    "B/op": ("bytes", "allocates more", "allocates less", " per operation"),
    "allocs/op": ("allocations", "allocates more often", "allocates less often", " per operation"),
    "B/s": ("bytes/s", "gets through more", "gets through less", ""),
}


def sentence(name: str, row: TestedBenchmarkRow) -> str:
    """Write what changed and by how much; that values are medians is not repeated."""
    unit, more, less, per = WORDS.get(row.row.unit, (row.row.unit, "counts more", "counts less", ""))
    increased = row.row.candidate.center > row.row.base.center
    values = wording.format_pair(row.row.candidate.center, row.row.base.center, unit)
    words = f"Benchmark {name} {more if increased else less}: {values}{per}"
    change = row.change
    if change.ci_of == "ratio" and change.ratio is not None:
        interval = "" if row.row.exact else f", {wording.format_interval(change.ci_low, change.ci_high)}"
        words += f" ({wording.format_ratio(change.ratio)}{interval})"
    return f"{words}."


TEXTS = {
    "sec/op": (
        "The benchmarked code takes more time per operation in isolation: warm caches, a shallow stack, nothing else running.",
        "Compare CPU profiles of the benchmark (go test -cpuprofile), and check whether production shows the same change.",
    ),
    "B/op": (
        "Each operation allocates more bytes, which also costs garbage collection in production.",
        "Find the line with go test -memprofile; preallocate, reuse buffers, avoid conversions.",
    ),
    "allocs/op": (
        "Each operation allocates more often: a value that was on the stack now escapes, or is allocated anew each time.",
        "go build -gcflags=-m lists what escapes; go test -memprofile shows where.",
    ),
    "B/s": (
        "Less throughput in the same time: the inverse of the time per operation.",
        "See the time per operation of the same benchmark.",
    ),
}
OTHER = ("A custom metric of the benchmark changed.", "The benchmark's source defines what it counts.")
