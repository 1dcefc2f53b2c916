"""What all findings and the page of two span sets stand on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from slowpath.analysis.findings.findings import Effect
from slowpath.analysis.kinds.spans.call_amplification import CallAmplification, amplifications
from slowpath.analysis.kinds.spans.call_paths import CallPaths, paths_of
from slowpath.analysis.kinds.spans.gap_significance import (
    GapTable,
    NewGap,
    TestedGap,
    gap_table,
    judge_gaps,
    judge_new_gaps,
)
from slowpath.analysis.kinds.spans.service_calls import ServiceCalls, calls_of
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_forest import SpanForest
from slowpath.analysis.kinds.spans.span_gaps import find_gaps
from slowpath.analysis.kinds.spans.span_thresholds import SpanThresholds
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort, cohort_of
from slowpath.analysis.stats.side_generators import side_generators


@dataclass(frozen=True)
class SpanComparisonInputs:
    """Both sides in one forest, their holes and calls, and what was decided about each. One side alone stands twice."""

    forest: SpanForest
    sides: tuple[TraceCohort, TraceCohort]
    calls: ServiceCalls
    gaps: GapTable
    judged: Mapping[int, TestedGap]
    new_gaps: Sequence[NewGap]
    amplified: Sequence[CallAmplification]
    thresholds: SpanThresholds
    alone: bool

    @property
    def shown(self) -> tuple[TraceCohort, ...]:
        """The sides that there are."""
        return self.sides[:1] if self.alone else self.sides

    @cached_property
    def paths(self) -> CallPaths:
        """Call paths and critical paths; only the page needs them."""
        return paths_of(self.forest)

    @property
    def rate(self) -> float:
        """Requests a second of the candidate: as its facts say, else as it was recorded (sampling makes that too small)."""
        return request_rate(self.sides[1])

    def certain(self, change: Effect, least: float) -> bool:
        """Whether to rely on it: with one artifact on a side, only far beyond what sets of one build differ by."""
        if min(side.artifacts for side in self.sides) > 1:
            return True
        if change.ci_of == "difference":
            return False
        nearest = change.ci_low if change.difference > 0 else 1 / max(change.ci_high, 1e-12)
        return bool(np.isfinite(nearest)) and nearest >= least


def request_rate(side: TraceCohort) -> float:
    """Requests a second."""
    mine = np.unique(side.forest.artifact_of_trace[side.traces]).tolist()
    facts = [side.forest.artifacts[number].facts for number in mine]
    if facts and all(each.requests and each.wall_ns for each in facts):
        return sum(each.requests or 0 for each in facts) / (sum(each.wall_ns or 0 for each in facts) / 1e9)
    return side.requests / max(side.seconds, 1e-3)


def ground_of_two(
    base: Sequence[SpanArtifact], candidate: Sequence[SpanArtifact], thresholds: SpanThresholds, rng: Generator
) -> SpanComparisonInputs:
    """Join, cut and judge two sets."""
    forest = SpanForest.of([*base, *candidate])
    generators = side_generators(rng, map(_content, base), map(_content, candidate))
    sides = (
        cohort_of(forest, (0, len(base)), thresholds, generators[0]),
        cohort_of(forest, (len(base), len(base) + len(candidate)), thresholds, generators[1]),
    )
    calls = calls_of(forest)
    table = gap_table(forest, find_gaps(forest), sides)
    return SpanComparisonInputs(
        forest,
        sides,
        calls,
        table,
        judge_gaps(table, thresholds, generators),
        judge_new_gaps(table, thresholds),
        amplifications(forest, calls, sides, thresholds, generators),
        thresholds,
        alone=False,
    )


def ground_of_one(artifacts: Sequence[SpanArtifact], thresholds: SpanThresholds) -> SpanComparisonInputs:
    """The same of one set: nothing is judged."""
    forest = SpanForest.of(artifacts)
    side = cohort_of(forest, (0, len(artifacts)), thresholds, None)
    none = cohort_of(forest, (len(artifacts), len(artifacts)), thresholds, None)
    calls = calls_of(forest)
    table = gap_table(forest, find_gaps(forest), (side, none))
    amplified = amplifications(forest, calls, (side, none), thresholds, None)
    return SpanComparisonInputs(forest, (side, none), calls, table, {}, (), amplified, thresholds, alone=True)


def _content(artifact: SpanArtifact) -> tuple[float, ...]:
    """Numbers that tell one set of spans from another."""
    spans = artifact.table.spans
    return (float(len(spans.start_ns)), float((spans.end_ns - spans.start_ns).sum()), float(spans.start_ns.sum()))
