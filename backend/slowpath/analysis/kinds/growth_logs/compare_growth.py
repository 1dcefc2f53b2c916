"""Compare two sets of growth logs: findings, and the data of the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from slowpath.analysis.findings.combined_verdict import VERDICT_OF
from slowpath.analysis.findings.findings import Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.comparison_sides import KindSides, of_type
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_caveats import find_caveats
from slowpath.analysis.kinds.growth_logs.growth_counts import TOTAL, GrowthCounts, measure
from slowpath.analysis.kinds.growth_logs.growth_findings import KIND, find_cost_shifts, findings_of
from slowpath.analysis.kinds.growth_logs.growth_page import GrowthSet, plain, rows_of, sets_table
from slowpath.analysis.kinds.growth_logs.growth_page_document import FORMAT, GrowthPage
from slowpath.analysis.kinds.growth_logs.growth_significance import GrowthChanges, changes_of
from slowpath.analysis.kinds.growth_logs.growth_thresholds import DEFAULT_GROWTH_THRESHOLDS, GrowthThresholds


@dataclass(frozen=True)
class GrowthComparison:
    """Base against candidate: what grew more often, and who pays."""

    base: tuple[GrowthArtifact, ...]
    candidate: tuple[GrowthArtifact, ...]
    verdict: Verdict
    findings: tuple[Finding, ...]
    cost_shifts: tuple[CostShift, ...]
    caveats: tuple[Caveat, ...]
    detectable: tuple[MinimumDetectableEffect, ...]
    measured: GrowthCounts
    changes: GrowthChanges
    thresholds: GrowthThresholds
    reason: str | None = None

    def page(self, base_label: str = "base", candidate_label: str = "candidate") -> GrowthPage:
        """Build the document of the page."""
        sets = [
            GrowthSet(base_label, self.base, "base"),
            GrowthSet(candidate_label, self.candidate, "candidate"),
        ]
        return GrowthPage(
            format=FORMAT,
            normalization=self.measured.basis.id,
            sets=sets_table(sets, self.thresholds),
            rows=rows_of(self.measured, self.changes, self.thresholds),
        )


def compare_sides(sides: KindSides, progress: Callable[[str, float], None]) -> GrowthComparison:
    """Compare the logs of two sides that both have some."""
    base, candidate = (of_type(GrowthArtifact, side) for side in (sides.base, sides.candidate))
    return compare_growth(base, candidate, progress=progress)


def compare_growth(
    base: Sequence[GrowthArtifact],
    candidate: Sequence[GrowthArtifact],
    thresholds: GrowthThresholds = DEFAULT_GROWTH_THRESHOLDS,
    progress: Callable[[str, float], None] = lambda _step, _fraction: None,
) -> GrowthComparison:
    """Compare two sets of at least one log each; raises `ValueError` for an empty one."""
    if not base or not candidate:
        raise ValueError("growth logs are needed on both sides")
    progress("counting stack growths", 0.0)
    measured = measure(base, candidate, thresholds)
    changes = changes_of(measured, thresholds)
    findings = findings_of(measured, changes, thresholds)
    detectable = MinimumDetectableEffect(KIND, TOTAL, _detectable(measured, thresholds))
    progress("counting stack growths", 1.0)
    return GrowthComparison(
        base=tuple(base),
        candidate=tuple(candidate),
        verdict=_verdict(findings, detectable, measured, thresholds),
        findings=tuple(findings[: thresholds.most_findings]),
        cost_shifts=tuple(find_cost_shifts(measured, changes)),
        caveats=tuple(find_caveats(measured, thresholds)),
        detectable=(detectable,),
        measured=measured,
        changes=changes,
        thresholds=thresholds,
    )


def _detectable(measured: GrowthCounts, thresholds: GrowthThresholds) -> float | None:
    ratio = float(measured.total.comparison.detectable(thresholds.alpha_total, thresholds.power)[0])
    return plain(ratio) if ratio < 1e6 else None


def _verdict(
    findings: Sequence[Finding],
    detectable: MinimumDetectableEffect,
    measured: GrowthCounts,
    thresholds: GrowthThresholds,
) -> Verdict:
    """Decide by the total if it is significant, else by significant callers; *unchanged* only if a small change would have been found.

    Callers that changed both ways while the total is not significant are mixed.
    """
    certain = [finding for finding in findings if finding.is_significant]
    whole = next((finding for finding in certain if finding.subject == TOTAL), None)
    if whole is not None:
        return VERDICT_OF[whole.direction]
    directions = {finding.direction for finding in certain}
    if directions:
        return VERDICT_OF[directions.pop()] if len(directions) == 1 else "mixed"
    seen = detectable.ratio is not None and detectable.ratio <= thresholds.unchanged_within
    steady = not findings and seen and min(measured.replicates) >= thresholds.fewest_replicates
    return "unchanged" if steady and measured.basis.id != "count" else "inconclusive"
