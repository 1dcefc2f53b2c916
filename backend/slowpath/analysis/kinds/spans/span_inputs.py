"""The inputs of all findings and of the page of two span sets."""

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
    compare_gaps,
    find_new_gaps,
    gap_table,
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
    """Both sides in one forest, their gaps and calls, and the test results. A single side is stored twice."""

    forest: SpanForest
    sides: tuple[TraceCohort, TraceCohort]
    calls: ServiceCalls
    gaps: GapTable
    tested: Mapping[int, TestedGap]
    new_gaps: Sequence[NewGap]
    amplified: Sequence[CallAmplification]
    thresholds: SpanThresholds
    alone: bool

    @property
    def shown(self) -> tuple[TraceCohort, ...]:
        """Return the existing sides."""
        return self.sides[:1] if self.alone else self.sides

    @cached_property
    def paths(self) -> CallPaths:
        """Return call paths and critical paths, which only the page uses."""
        return paths_of(self.forest)

    @property
    def rate(self) -> float:
        """Return the candidate's requests per second.

        From its metadata, else as recorded (too low with sampling).
        """
        return request_rate(self.sides[1])

    def certain(self, change: Effect, least: float) -> bool:
        """Return whether a change is certain: with one artifact on a side only far beyond the usual variation."""
        if min(side.artifacts for side in self.sides) > 1:
            return True
        if change.ci_of == "difference":
            return False
        nearest = change.ci_low if change.difference > 0 else 1 / max(change.ci_high, 1e-12)
        return bool(np.isfinite(nearest)) and nearest >= least


def request_rate(side: TraceCohort) -> float:
    """Return requests per second."""
    artifacts = np.unique(side.forest.artifact_of_trace[side.traces]).tolist()
    facts = [side.forest.artifacts[number].facts for number in artifacts]
    if facts and all(each.requests and each.wall_ns for each in facts):
        return sum(each.requests or 0 for each in facts) / (sum(each.wall_ns or 0 for each in facts) / 1e9)
    return side.requests / max(side.seconds, 1e-3)


def ground_of_two(
    base: Sequence[SpanArtifact], candidate: Sequence[SpanArtifact], thresholds: SpanThresholds, rng: Generator
) -> SpanComparisonInputs:
    """Concatenate, compute and test two sets."""
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
        compare_gaps(table, thresholds, generators),
        find_new_gaps(table, thresholds),
        amplifications(forest, calls, sides, thresholds, generators),
        thresholds,
        alone=False,
    )


def ground_of_one(artifacts: Sequence[SpanArtifact], thresholds: SpanThresholds) -> SpanComparisonInputs:
    """Compute the same for one set, without tests."""
    forest = SpanForest.of(artifacts)
    side = cohort_of(forest, (0, len(artifacts)), thresholds, None)
    none = cohort_of(forest, (len(artifacts), len(artifacts)), thresholds, None)
    calls = calls_of(forest)
    table = gap_table(forest, find_gaps(forest), (side, none))
    amplified = amplifications(forest, calls, (side, none), thresholds, None)
    return SpanComparisonInputs(forest, (side, none), calls, table, {}, (), amplified, thresholds, alone=True)


def _content(artifact: SpanArtifact) -> tuple[float, ...]:
    """Return numbers that identify a set of spans."""
    spans = artifact.table.spans
    return (float(len(spans.start_ns)), float((spans.end_ns - spans.start_ns).sum()), float(spans.start_ns.sum()))
