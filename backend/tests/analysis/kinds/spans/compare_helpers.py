"""Comparing for tests: a fixed generator, no progress."""

from collections.abc import Sequence

import numpy as np

from slowpath.analysis.kinds.spans.compare_spans import SpanComparison, compare_spans
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_thresholds import DEFAULT_SPAN_THRESHOLDS, SpanThresholds


def compared(
    base: Sequence[SpanArtifact],
    candidate: Sequence[SpanArtifact],
    thresholds: SpanThresholds = DEFAULT_SPAN_THRESHOLDS,
    seed: int = 1,
) -> SpanComparison:
    """Compare two sets."""
    return compare_spans(base, candidate, thresholds, np.random.default_rng(seed), lambda _step, _fraction: None)


def subjects(comparison: SpanComparison) -> list[str]:
    """What was found, by its subject."""
    return [finding.subject for finding in comparison.findings]
