"""The mean duration of a request on both sides, and how it changed: what decides where gaps moved both ways."""

import numpy as np

from slowpath.analysis.findings.findings import Effect
from slowpath.analysis.kinds.spans.span_forest import F64
from slowpath.analysis.kinds.spans.span_thresholds import SpanThresholds
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort, block_sums, resample_sums


def request_time_change(sides: tuple[TraceCohort, TraceCohort], thresholds: SpanThresholds) -> Effect | None:
    """The difference of the means in ns, with its interval over redrawn traces; None where a side has no request."""
    if not all(side.requests for side in sides):
        return None
    base, candidate = (float(side.root_ns.mean()) for side in sides)
    drawn = _redrawn_mean(sides[1]) - _redrawn_mean(sides[0])
    tail = (1 - thresholds.confidence) / 2
    low, high = (float(bound) for bound in np.quantile(drawn, [tail, 1 - tail]))
    ratio = candidate / base if base > 0 else None
    return Effect(ratio, candidate - base, low, high, thresholds.confidence, "difference")


def _redrawn_mean(side: TraceCohort) -> F64:
    time = resample_sums(side, block_sums(side, side.traces, side.root_ns.astype(np.float64)))
    count = resample_sums(side, block_sums(side, side.traces, np.ones(side.requests)))
    mean: F64 = time / np.maximum(count, 1.0)
    return mean
