"""Compare benchmarks: from benchstat's rows to findings and the document of the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from slowpath.analysis.findings.combined_verdict import VERDICT_OF
from slowpath.analysis.findings.findings import Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.benchmarks.bench_compare_output import BenchCompareOutput
from slowpath.analysis.kinds.benchmarks.benchmark_caveats import find_benchmark_caveats
from slowpath.analysis.kinds.benchmarks.benchmark_findings import (
    KIND,
    TestedBenchmarkRow,
    evaluate_rows,
    findings_of,
    name_of,
)
from slowpath.analysis.kinds.benchmarks.benchmark_page_document import (
    FORMAT,
    BenchmarkPage,
    BenchmarkPageRow,
    BenchmarkSideLabel,
    BenchmarkSideLabels,
)
from slowpath.analysis.kinds.benchmarks.benchmark_thresholds import DEFAULT_BENCH_THRESHOLDS, BenchThresholds
from slowpath.analysis.kinds.comparison_sides import KindSides

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
    caveats: tuple[Caveat, ...]
    detectable: tuple[MinimumDetectableEffect, ...]
    cost_shifts: tuple[CostShift, ...] = ()
    reason: str | None = None

    def page(self, base_label: str = "base", candidate_label: str = "candidate") -> BenchmarkPage:
        """Build the document of the page."""
        return BenchmarkPage(
            format=FORMAT,
            sides=BenchmarkSideLabels(BenchmarkSideLabel(base_label), BenchmarkSideLabel(candidate_label)),
            rows=[_page_row(row) for row in self.rows],
            geomeans=self.answer.geomeans,
            unpaired=self.answer.unpaired,
            differs=self.answer.differs,
            warnings=self.answer.warnings,
        )


def _page_row(tested: TestedBenchmarkRow) -> BenchmarkPageRow:
    row, has_ratio_ci = tested.row, tested.change.ci_of == "ratio"
    return BenchmarkPageRow(
        name=row.name,
        unit=row.unit,
        config=row.config,
        base=row.base,
        candidate=row.candidate,
        ratio=row.ratio,
        p=row.p_value,
        alpha=row.alpha,
        significant=row.significant,
        better=row.better,
        exact=row.exact,
        warnings=row.warnings,
        state=tested.state,
        direction=tested.direction if row.significant else None,
        q_value=tested.q_value,
        low=tested.change.ci_low if has_ratio_ci else None,
        high=tested.change.ci_high if has_ratio_ci else None,
    )


def compare_sides(sides: KindSides, _progress: Callable[[str, float], None]) -> BenchComparison:
    """Compare the benchmarks of two sides by the helper's rows."""
    return compare_benchmarks(sides.helper_output)


def compare_benchmarks(rows_json: object, thresholds: BenchThresholds = DEFAULT_BENCH_THRESHOLDS) -> BenchComparison:
    """Compare the decoded output of `slowpath-decode bench-compare`. Raises `ValueError` for other JSON."""
    answer = BenchCompareOutput.from_json(rows_json)
    rows = evaluate_rows(answer.rows, thresholds)
    findings = findings_of(rows, thresholds)
    return BenchComparison(
        answer=answer,
        rows=tuple(rows),
        verdict=_verdict(findings, rows, thresholds),
        findings=tuple(findings[: thresholds.most_findings]),
        caveats=tuple(find_benchmark_caveats(answer, rows, thresholds)),
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
