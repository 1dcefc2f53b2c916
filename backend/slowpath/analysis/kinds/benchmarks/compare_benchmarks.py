"""The front door of benchmarks: benchstat's rows in, findings and the page's data out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slowpath.analysis.findings.combined_verdict import VERDICT_OF
from slowpath.analysis.findings.findings import Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.benchmarks.bench_compare_output import BenchCompareOutput
from slowpath.analysis.kinds.benchmarks.benchmark_caveats import doubts_of
from slowpath.analysis.kinds.benchmarks.benchmark_findings import KIND, TestedBenchmarkRow, findings_of, judged, name_of
from slowpath.analysis.kinds.benchmarks.benchmark_thresholds import DEFAULT_BENCH_THRESHOLDS, BenchThresholds
from slowpath.analysis.kinds.comparison_sides import Sides

FORMAT = "slowpath.benchmark-comparison/1"
TIME_UNITS = frozenset({"sec/op", "ns/op", "B/s", "MB/s"})
"""Units of the time an operation takes; they take precedence over bytes and allocations per operation."""
MOST_DETECTABLE = 5


@dataclass(frozen=True)
class BenchComparison:
    """Base against candidate, benchmark by benchmark."""

    answer: BenchCompareOutput
    rows: tuple[TestedBenchmarkRow, ...]
    verdict: Verdict
    findings: tuple[Finding, ...]
    doubts: tuple[Caveat, ...]
    detectable: tuple[MinimumDetectableEffect, ...]
    moves: tuple[CostShift, ...] = ()
    reason: str | None = None

    def page(self, base_label: str = "base", candidate_label: str = "candidate") -> dict[str, Any]:
        """`slowpath.benchmark-comparison/1`: the answer of bench-compare, and in each row what became of it."""
        rows = [_page_row(raw, row) for raw, row in zip(self.answer.raw["rows"], self.rows, strict=True)]
        kept = {name: self.answer.raw.get(name) or [] for name in ("geomeans", "unpaired", "differs", "warnings")}
        labels = {"base": {"label": base_label}, "candidate": {"label": candidate_label}}
        return {"format": FORMAT, "sides": labels, "rows": rows, **kept}


def _page_row(raw: Mapping[str, Any], row: TestedBenchmarkRow) -> dict[str, Any]:
    of_ratio = row.change.ci_of == "ratio"
    return {
        **raw,
        "state": row.state,
        "direction": row.direction if row.row.significant else None,
        "q_value": row.q_value,
        "low": row.change.ci_low if of_ratio else None,
        "high": row.change.ci_high if of_ratio else None,
    }


def compare_sides(sides: Sides, _progress: Callable[[str, float], None]) -> BenchComparison:
    """Compare the benchmarks of two sides by the helper's rows."""
    return compare_benchmarks(sides.benchmark_rows)


def compare_benchmarks(rows_json: object, thresholds: BenchThresholds = DEFAULT_BENCH_THRESHOLDS) -> BenchComparison:
    """From the decoded JSON of `slowpath-decode bench-compare`; raises `ValueError` when it is not that."""
    answer = BenchCompareOutput.from_json(rows_json)
    rows = judged(answer.rows, thresholds)
    findings = findings_of(rows, thresholds)
    return BenchComparison(
        answer=answer,
        rows=tuple(rows),
        verdict=_verdict(findings, rows, thresholds),
        findings=tuple(findings[: thresholds.most_findings]),
        doubts=tuple(doubts_of(answer, rows, thresholds)),
        detectable=tuple(_detectable(rows)),
    )


def _verdict(findings: Sequence[Finding], rows: Sequence[TestedBenchmarkRow], thresholds: BenchThresholds) -> Verdict:
    """By what is certain: time before other units, mixed where it went both ways; unchanged where intervals are narrow."""
    certain = [finding for finding in findings if finding.is_significant]
    timed = [finding for finding in certain if finding.unit in TIME_UNITS]
    directions = {finding.direction for finding in timed or certain}
    if directions:
        return VERDICT_OF[directions.pop()] if len(directions) == 1 else "mixed"
    narrow = [
        row.change.ci_of == "ratio"
        and 1 / thresholds.unchanged_within <= row.change.ci_low
        and row.change.ci_high <= thresholds.unchanged_within
        and row.change.confidence_level >= thresholds.confidence
        for row in rows
    ]
    return "unchanged" if rows and not findings and all(narrow) else "inconclusive"


def _detectable(rows: Sequence[TestedBenchmarkRow]) -> list[MinimumDetectableEffect]:
    """Of the first benchmarks, about the smallest ratio that would have been found: how far the interval reaches."""
    several = len({row.row.config.get("pkg") for row in rows}) > 1
    return [
        MinimumDetectableEffect(
            KIND, f"{name_of(row.row, several=several)}|{row.row.unit}", row.change.ci_high / row.change.ratio
        )
        for row in rows
        if row.change.ci_of == "ratio" and row.change.ratio and not row.row.exact
    ][:MOST_DETECTABLE]
