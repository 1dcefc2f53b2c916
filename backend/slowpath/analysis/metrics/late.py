"""Samples that came long after their own time: they may change what somebody has already looked at."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from slowpath.analysis.metrics.samples import Samples, by_series
from slowpath.analysis.metrics.series import LateRun

LATE_MS: Final = 5 * 60_000
"""So long after its own time a sample is late."""
MOST_RUNS: Final = 4
"""Of one series in one hour; more are told as one."""


def late_runs(samples: Samples, received_ms: int) -> dict[int, LateRun]:
    """Return, by series, the stretch of samples that were received long after their time."""
    late = samples.times_ms < received_ms - LATE_MS
    if not late.any():
        return {}
    told: dict[int, LateRun] = {}
    order = np.lexsort((samples.times_ms[late], samples.series[late]))
    series, times = samples.series[late][order], samples.times_ms[late][order]
    for series_id, at in by_series(series):
        told[series_id] = LateRun(int(times[at][0]), int(times[at][-1]), received_ms)
    return told


def joined_late(
    known: Mapping[int, Sequence[LateRun]], more: Mapping[int, Sequence[LateRun]]
) -> dict[int, tuple[LateRun, ...]]:
    """Return both, by series; what is too much to be told one by one becomes one stretch."""
    told: dict[int, tuple[LateRun, ...]] = {}
    for series_id in {**known, **more}:
        runs = sorted({*known.get(series_id, ()), *more.get(series_id, ())}, key=lambda run: run.from_ms)
        if len(runs) > MOST_RUNS:
            runs = [LateRun(runs[0].from_ms, max(run.to_ms for run in runs), max(run.received_ms for run in runs))]
        told[series_id] = tuple(runs)
    return told
