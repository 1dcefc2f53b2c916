"""Find samples that were received long after their time: they may change what users have already seen."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from slowpath.analysis.kinds.metrics.samples.column_codec import Ints
from slowpath.analysis.kinds.metrics.samples.sample_columns import SampleColumns, by_series
from slowpath.analysis.kinds.metrics.samples.series_data import LateSamples

LATE_MS: Final = 5 * 60_000
"""A sample is late from this delay on."""
HOUR_MS: Final = 3_600_000
MOST_RUNS: Final = 4
"""Per series and hour; more are merged into one."""


def late_runs(samples: SampleColumns, received_ms: int) -> dict[int, LateSamples]:
    """Return by series the stretch of samples that were received long after their time."""
    series, times = _late(samples, received_ms)
    return {
        series_id: LateSamples(int(times[at][0]), int(times[at][-1]), received_ms)
        for series_id, at in by_series(series)
    }


def late_runs_by_hour(samples: SampleColumns, received_ms: int) -> Iterator[tuple[int, int, LateSamples]]:
    """Yield series, hour and the stretch of late samples in that hour, so that each hour has its own."""
    series, times = _late(samples, received_ms)
    if not len(series):
        return
    hours = times // HOUR_MS
    cuts = np.flatnonzero((np.diff(series) != 0) | (np.diff(hours) != 0)) + 1
    for first, end in zip([0, *cuts.tolist()], [*cuts.tolist(), len(series)], strict=True):
        yield int(series[first]), int(hours[first]), LateSamples(int(times[first]), int(times[end - 1]), received_ms)


def _late(samples: SampleColumns, received_ms: int) -> tuple[Ints, Ints]:
    """Return series and times of late samples, histograms included, sorted by both."""
    series, times = samples.series, samples.times_ms
    if samples.natives is not None:
        series = np.concatenate([series, samples.natives.series])
        times = np.concatenate([times, samples.natives.times_ms])
    late = times < received_ms - LATE_MS
    if not late.any():
        return series[:0], times[:0]
    order = np.lexsort((times[late], series[late]))
    return series[late][order], times[late][order]


def joined_late(
    known: Mapping[int, Sequence[LateSamples]], more: Mapping[int, Sequence[LateSamples]]
) -> dict[int, tuple[LateSamples, ...]]:
    """Return both, by series; too many stretches are merged into one."""
    merged: dict[int, tuple[LateSamples, ...]] = {}
    for series_id in {**known, **more}:
        runs = sorted({*known.get(series_id, ()), *more.get(series_id, ())}, key=lambda run: run.from_ms)
        if len(runs) > MOST_RUNS:
            runs = [LateSamples(runs[0].from_ms, max(run.to_ms for run in runs), max(run.received_ms for run in runs))]
        merged[series_id] = tuple(runs)
    return merged
