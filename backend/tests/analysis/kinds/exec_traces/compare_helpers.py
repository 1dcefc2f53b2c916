"""A whole comparison of traces in one word, for tests."""

from collections.abc import Sequence

import numpy as np

from slowpath.analysis.kinds.exec_traces.compare_traces import TraceComparison, compare_traces
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_thresholds import DEFAULT_TRACE_THRESHOLDS


def compared(base: Sequence[TraceArtifact], candidate: Sequence[TraceArtifact], seed: int = 1) -> TraceComparison:
    """Compare with the thresholds that the product uses."""
    return compare_traces(base, candidate, DEFAULT_TRACE_THRESHOLDS, np.random.default_rng(seed), _ignore_progress)


def _ignore_progress(_step: str, _fraction: float) -> None:
    """Progress goes nowhere."""
