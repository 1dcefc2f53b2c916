"""Compare two sets of spans."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from numpy.random import Generator

from slowpath.analysis.findings.findings import Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.comparison_sides import KindSides, of_type
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_caveats import find_span_caveats
from slowpath.analysis.kinds.spans.span_findings import findings_of
from slowpath.analysis.kinds.spans.span_inputs import SpanComparisonInputs, ground_of_two
from slowpath.analysis.kinds.spans.span_thresholds import SpanThresholds
from slowpath.analysis.kinds.spans.span_verdict import detectable_effects, reason_of, verdict_of
from slowpath.analysis.kinds.spans.spans_page import page_of
from slowpath.analysis.kinds.spans.spans_page_document import SpansPage


@dataclass(frozen=True)
class SpanComparison:
    """The result of comparing spans: verdict, findings, caveats."""

    base: tuple[SpanArtifact, ...]
    candidate: tuple[SpanArtifact, ...]
    verdict: Verdict
    findings: tuple[Finding, ...]
    caveats: tuple[Caveat, ...]
    detectable: tuple[MinimumDetectableEffect, ...]
    reason: str | None
    """Why nothing was found or decided, if no finding explains it."""
    _ground: SpanComparisonInputs
    cost_shifts: tuple[CostShift, ...] = ()

    def page(self, base_label: str = "base", candidate_label: str = "candidate") -> SpansPage:
        """Build the document of the page."""
        return page_of(self._ground, (base_label, candidate_label))


def compare_sides(sides: KindSides, progress: Callable[[str, float], None]) -> SpanComparison:
    """Compare the spans of two sides that both have some."""
    base, candidate = (of_type(SpanArtifact, side) for side in (sides.base, sides.candidate))
    return compare_spans(base, candidate, SpanThresholds(), sides.rng, progress)


def compare_spans(
    base: Sequence[SpanArtifact],
    candidate: Sequence[SpanArtifact],
    thresholds: SpanThresholds,
    rng: Generator,
    progress: Callable[[str, float], None],
) -> SpanComparison:
    """Compare two sets of at least one artifact each; raises `ValueError` for an empty one."""
    if not base or not candidate:
        raise ValueError("spans are needed on both sides")
    progress("comparing gaps between spans", 0.0)
    ground = ground_of_two(base, candidate, thresholds, rng)
    progress("judging calls and gaps", 0.8)
    findings = findings_of(ground)
    verdict = verdict_of(ground, findings)
    progress("done", 1.0)
    return SpanComparison(
        base=tuple(base),
        candidate=tuple(candidate),
        verdict=verdict,
        findings=findings,
        caveats=find_span_caveats(ground),
        detectable=detectable_effects(ground),
        reason=reason_of(ground, verdict),
        _ground=ground,
    )
