"""Compare the mean duration of a request: it decides the verdict if gaps changed in both directions."""

import numpy as np

from slowpath.analysis.findings.findings import Effect
from slowpath.analysis.kinds.spans.span_forest import F64
from slowpath.analysis.kinds.spans.span_thresholds import SpanThresholds
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort, block_sums, resample_sums


def request_time_change(sides: tuple[TraceCohort, TraceCohort], thresholds: SpanThresholds) -> Effect | None:
    """Return the difference of means (ns) with its interval from resampled traces.

    None if a side has no request.
    """
    if not all(side.requests for side in sides):
        return None
    base, candidate = (float(side.root_ns.mean()) for side in sides)
    resampled = _resampled_mean(sides[1]) - _resampled_mean(sides[0])
    tail = (1 - thresholds.confidence) / 2
    low, high = (float(bound) for bound in np.quantile(resampled, [tail, 1 - tail]))
    ratio = candidate / base if base > 0 else None
    return Effect(ratio, candidate - base, low, high, thresholds.confidence, "difference")


def _resampled_mean(side: TraceCohort) -> F64:
    time = resample_sums(side, block_sums(side, side.traces, side.root_ns.astype(np.float64)))
    count = resample_sums(side, block_sums(side, side.traces, np.ones(side.requests)))
    mean: F64 = time / np.maximum(count, 1.0)
    return mean
