"""Compare two sets of execution traces."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from numpy.random import Generator

from slowpath.analysis.findings.findings import Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.comparison_sides import KindSides, of_type
from slowpath.analysis.kinds.exec_traces.blocked_findings import blocked_findings
from slowpath.analysis.kinds.exec_traces.blocked_time import blocked_rates
from slowpath.analysis.kinds.exec_traces.gc_findings import GcComparison, compare_gc
from slowpath.analysis.kinds.exec_traces.host_effects import drop_host_noise
from slowpath.analysis.kinds.exec_traces.load_estimate import load_of
from slowpath.analysis.kinds.exec_traces.occupancy_findings import main_occupants
from slowpath.analysis.kinds.exec_traces.p_occupancy import OccupancyTable
from slowpath.analysis.kinds.exec_traces.scheduler_latency_findings import delay_findings
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_caveats import find_trace_caveats
from slowpath.analysis.kinds.exec_traces.trace_inputs import TraceComparisonInputs
from slowpath.analysis.kinds.exec_traces.trace_page import page_of
from slowpath.analysis.kinds.exec_traces.trace_page_blocked import blocked_time_of
from slowpath.analysis.kinds.exec_traces.trace_page_document import TracePage
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.kinds.exec_traces.trace_verdict import (
    decide_verdict,
    detectable_effects,
    ranked,
    reason_of,
    seen_effects,
)
from slowpath.analysis.kinds.exec_traces.wait_costs import costs_of
from slowpath.analysis.kinds.exec_traces.wait_significance import compare_waiters
from slowpath.analysis.kinds.exec_traces.waiters import match_waiters
from slowpath.analysis.kinds.exec_traces.waiting_findings import group_findings, renamed_groups, total_finding
from slowpath.analysis.kinds.exec_traces.waiting_rates import waiting_of
from slowpath.analysis.stats.side_generators import side_generators


@dataclass(frozen=True)
class TraceComparison:
    """The result of comparing execution traces: verdict, findings, caveats."""

    base: tuple[TraceArtifact, ...]
    candidate: tuple[TraceArtifact, ...]
    verdict: Verdict
    findings: tuple[Finding, ...]
    caveats: tuple[Caveat, ...]
    detectable: tuple[MinimumDetectableEffect, ...]
    cost_shifts: tuple[CostShift, ...]
    reason: str | None
    """Why nothing was found or decided, if no finding explains it."""
    _ground: TraceComparisonInputs
    _gc: GcComparison

    def page(self, base_label: str = "base", candidate_label: str = "candidate") -> TracePage:
        """Build the document of the page."""
        ground = self._ground
        page = page_of(
            ground.matched,
            ground.tested_waiters,
            ground.occupancy,
            (self._gc.base, self._gc.candidate),
            (base_label, candidate_label),
        )
        return replace(page, blocked=blocked_time_of(ground))


def compare_sides(sides: KindSides, progress: Callable[[str, float], None]) -> TraceComparison:
    """Compare the traces of two sides that both have some."""
    base, candidate = (of_type(TraceArtifact, side) for side in (sides.base, sides.candidate))
    return compare_traces(base, candidate, TraceThresholds(), sides.rng, progress)


def compare_traces(
    base: Sequence[TraceArtifact],
    candidate: Sequence[TraceArtifact],
    thresholds: TraceThresholds,
    rng: Generator,
    progress: Callable[[str, float], None],
) -> TraceComparison:
    """Compare two sets of traces, at least one per side; calls `progress(step, fraction)` meanwhile."""
    progress("matching goroutines", 0.0)
    generators = side_generators(rng, map(_content, base), map(_content, candidate))
    matched = match_waiters(base, candidate, thresholds)
    progress("comparing scheduler delays", 0.1)
    tested = compare_waiters(matched, thresholds, generators)
    progress("looking for who held the processors", 0.7)
    occupancy = OccupancyTable(matched, thresholds.draws, generators)
    tested = drop_host_noise(matched, tested, occupancy, thresholds)
    waiting = waiting_of(matched, tested, thresholds, generators)
    blocked = blocked_rates(matched, thresholds, generators)
    ground = TraceComparisonInputs(matched, tested, occupancy, costs_of(matched), waiting, thresholds, blocked)
    delays = delay_findings(ground)
    accused = main_occupants(ground, delays)
    groups = group_findings(ground, delays)
    total = total_finding(ground, delays, groups)
    progress("comparing garbage collection", 0.9)
    gc = compare_gc(ground, generators)
    found = [*delays.values(), *accused, *groups, *([total] if total is not None else []), *gc.findings]
    findings = ranked([*found, *blocked_findings(ground)], thresholds)
    seen = seen_effects(tested, thresholds)
    verdict = decide_verdict(ground, findings, seen, gc)
    progress("done", 1.0)
    return TraceComparison(
        base=tuple(base),
        candidate=tuple(candidate),
        verdict=verdict,
        findings=findings,
        caveats=tuple(find_trace_caveats(ground, load_of(matched))),
        detectable=detectable_effects(ground, seen, gc),
        cost_shifts=renamed_groups(ground),
        reason=reason_of(ground, verdict, seen, gc),
        _ground=ground,
        _gc=gc,
    )


def _content(artifact: TraceArtifact) -> tuple[float, ...]:
    """Return numbers that distinguish one trace from another."""
    waiters = artifact.table.waiters
    return (artifact.table.seconds(), float(waiters.total_ns.sum()), float(waiters.max_ns.sum()))
