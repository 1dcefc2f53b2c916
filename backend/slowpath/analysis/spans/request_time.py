"""The mean duration of a request on both sides, and how it changed: what decides where gaps moved both ways."""

import numpy as np

from slowpath.analysis.findings import Change
from slowpath.analysis.spans.cohort import Cohort, block_sums, redrawn
from slowpath.analysis.spans.forest import F64
from slowpath.analysis.spans.thresholds import SpanThresholds


def request_time_change(sides: tuple[Cohort, Cohort], thresholds: SpanThresholds) -> Change | None:
    """The difference of the means in ns, with its interval over redrawn traces; None where a side has no request."""
    if not all(side.requests for side in sides):
        return None
    base, candidate = (float(side.root_ns.mean()) for side in sides)
    drawn = _redrawn_mean(sides[1]) - _redrawn_mean(sides[0])
    tail = (1 - thresholds.confidence) / 2
    low, high = (float(bound) for bound in np.quantile(drawn, [tail, 1 - tail]))
    ratio = candidate / base if base > 0 else None
    return Change(ratio, candidate - base, low, high, thresholds.confidence, "difference")


def _redrawn_mean(side: Cohort) -> F64:
    time = redrawn(side, block_sums(side, side.traces, side.root_ns.astype(np.float64)))
    count = redrawn(side, block_sums(side, side.traces, np.ones(side.requests)))
    mean: F64 = time / np.maximum(count, 1.0)
    return mean
