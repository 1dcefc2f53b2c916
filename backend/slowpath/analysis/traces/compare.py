"""The front door: two sets of execution traces in, one answer out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from slowpath.analysis.findings import Detectable, Doubt, Finding, Move, Verdict
from slowpath.analysis.side_generators import side_generators
from slowpath.analysis.sides import Sides, of_type
from slowpath.analysis.traces.artifact import TraceArtifact
from slowpath.analysis.traces.blame import BlameTable
from slowpath.analysis.traces.blame_findings import blame_findings
from slowpath.analysis.traces.costs import costs_of
from slowpath.analysis.traces.delay_findings import delay_findings
from slowpath.analysis.traces.doubts import trace_doubts
from slowpath.analysis.traces.gc_findings import GcCompared, compare_gc
from slowpath.analysis.traces.ground import Ground
from slowpath.analysis.traces.judging import judge
from slowpath.analysis.traces.load import load_of
from slowpath.analysis.traces.machine import without_small_moods
from slowpath.analysis.traces.page import page_of
from slowpath.analysis.traces.thresholds import TraceThresholds
from slowpath.analysis.traces.verdicts import detectable_effects, ranked, reason_of, seen_effects, verdict_of
from slowpath.analysis.traces.victims import match
from slowpath.analysis.traces.waiting import waiting_of
from slowpath.analysis.traces.waiting_findings import group_findings, moves_of, total_finding


@dataclass(frozen=True)
class TraceComparison:
    """Base against candidate: the verdict, what was found, and why it may mislead."""

    base: tuple[TraceArtifact, ...]
    candidate: tuple[TraceArtifact, ...]
    verdict: Verdict
    findings: tuple[Finding, ...]
    doubts: tuple[Doubt, ...]
    detectable: tuple[Detectable, ...]
    moves: tuple[Move, ...]
    reason: str | None
    """Why nothing was found or decided, where no finding says it."""
    _ground: Ground
    _gc: GcCompared

    def page(self, base_label: str = "base", candidate_label: str = "candidate") -> dict[str, Any]:
        """Everything that the page draws, as plain JSON values (`slowpath.trace-comparison/1`)."""
        ground = self._ground
        return page_of(
            ground.matched,
            ground.judged,
            ground.blame,
            (self._gc.base, self._gc.candidate),
            (base_label, candidate_label),
        )


def compare_sides(sides: Sides, progress: Callable[[str, float], None]) -> TraceComparison:
    """Compare the traces of two sides that both have some."""
    base, candidate = (of_type(TraceArtifact, side.traces) for side in (sides.base, sides.candidate))
    return compare_traces(base, candidate, TraceThresholds(), sides.rng, progress)


def compare_traces(
    base: Sequence[TraceArtifact],
    candidate: Sequence[TraceArtifact],
    thresholds: TraceThresholds,
    rng: Generator,
    progress: Callable[[str, float], None],
) -> TraceComparison:
    """Compare two sets of traces, at least one a side; `progress(step, fraction)` is told along the way."""
    progress("matching goroutines", 0.0)
    generators = side_generators(rng, map(_content, base), map(_content, candidate))
    matched = match(base, candidate, thresholds)
    progress("comparing scheduler delays", 0.1)
    judged = judge(matched, thresholds, generators)
    progress("looking for who held the processors", 0.7)
    blame = BlameTable(matched, thresholds.draws, generators)
    judged = without_small_moods(matched, judged, blame, thresholds)
    waiting = waiting_of(matched, judged, thresholds, generators)
    ground = Ground(matched, judged, blame, costs_of(matched), waiting, thresholds)
    delays = delay_findings(ground)
    accused = blame_findings(ground, delays)
    groups = group_findings(ground, delays)
    total = total_finding(ground, delays, groups)
    progress("comparing garbage collection", 0.9)
    gc = compare_gc(ground, generators)
    found = [*delays.values(), *accused, *groups, *([total] if total is not None else []), *gc.findings]
    findings = ranked(found, thresholds)
    seen = seen_effects(judged, thresholds)
    verdict = verdict_of(ground, findings, seen, gc)
    progress("done", 1.0)
    return TraceComparison(
        base=tuple(base),
        candidate=tuple(candidate),
        verdict=verdict,
        findings=findings,
        doubts=tuple(trace_doubts(ground, load_of(matched))),
        detectable=detectable_effects(ground, seen, gc),
        moves=moves_of(ground),
        reason=reason_of(ground, verdict, seen, gc),
        _ground=ground,
        _gc=gc,
    )


def _content(artifact: TraceArtifact) -> tuple[float, ...]:
    """Numbers that tell one trace from another."""
    victims = artifact.table.victims
    return (artifact.table.seconds(), float(victims.total_ns.sum()), float(victims.max_ns.sum()))
