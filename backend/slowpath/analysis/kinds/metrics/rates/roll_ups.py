"""Roll-ups: of the samples of a series, those that readers of a coarser step need.

A roll-up at a resolution has the last sample of each interval (t - resolution, t], and both sides of gaps, counter resets and
stale markers. All of them are samples as received: increases of counters and of histogram buckets between them are exact, gauges
have the value that a reader of these times gets, and every reader of samples reads roll-ups too.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.rates.rate_windows import SCRAPES_LOST, Mask
from slowpath.analysis.kinds.metrics.samples.native_histogram_columns import take_natives
from slowpath.analysis.kinds.metrics.samples.series_chunks import FloatMatrix, NativeHistogramRun, SeriesChunk, matrices
from slowpath.analysis.kinds.metrics.samples.series_data import RESET_YES, Times, Values, has_nan, is_stale

RESOLUTIONS_MS: Final = (300_000, 3_600_000)
RESETS_MAX: Final = 0.1
"""A series that falls in a larger share of its samples is a gauge."""

Breaks = NDArray[np.bool_]


def interval_of(times: Times) -> int:
    """Return the usual interval between these times; 0 if there are too few."""
    return int(np.median(np.diff(times))) if len(times) > 1 else 0


def rolled_up_matrix(group: FloatMatrix, resolution_ms: int) -> FloatMatrix:
    """Return the samples of a roll-up of some series with equal times."""
    chosen = _chosen(group.times_ms, resolution_ms, _breaks(group.values))
    return FloatMatrix(group.series_ids, group.times_ms[chosen], group.values[:, chosen])


def rolled_up_natives(run: NativeHistogramRun, resolution_ms: int) -> NativeHistogramRun:
    """Return the histograms of a roll-up of one series."""
    native = run.histograms
    is_break = _breaks(native.count[None, :]) | _stale_breaks(is_stale(native.sum))
    is_break |= (native.reset_hint[1:] == RESET_YES) | (native.schema[1:] != native.schema[:-1])
    chosen = np.flatnonzero(_chosen(run.times_ms, resolution_ms, is_break))
    return NativeHistogramRun(run.series_id, run.times_ms[chosen], take_natives(native, chosen))


def roll_up(raw: SeriesChunk, resolution_ms: int) -> tuple[SeriesChunk, int]:
    """Return the roll-up of some series, and their usual scrape interval in milliseconds (0 if unknown)."""
    groups = matrices(raw.floats)
    floats = [run for group in groups for run in rolled_up_matrix(group, resolution_ms).runs()]
    natives = [rolled_up_natives(run, resolution_ms) for run in raw.natives]
    intervals = [interval_of(one.times_ms) for one in groups] + [interval_of(one.times_ms) for one in raw.natives]
    known = [interval for interval in intervals if interval]
    return SeriesChunk(floats, natives, raw.late), int(np.median(known)) if known else 0


def _chosen(times: Times, resolution_ms: int, is_break: Breaks) -> Mask:
    """[n] Return which samples a roll-up has; `is_break` [n - 1] is true where both neighbors are needed."""
    distances = np.diff(times)
    is_break = is_break | (distances > SCRAPES_LOST * interval_of(times))
    chosen: Mask = np.append(np.diff((times - 1) // resolution_ms) != 0, True)[: len(times)]
    chosen[:1] = True
    chosen[1:] |= is_break
    chosen[:-1] |= is_break
    return chosen


def _breaks(values: Values) -> Breaks:
    """[n - 1] Return between which samples any of the series [S, n] falls like a counter, or ends."""
    with np.errstate(invalid="ignore"):
        falls = values[:, 1:] < values[:, :-1]
    is_counter = falls.mean(axis=1) <= RESETS_MAX if falls.size else np.zeros(len(values), np.bool_)
    is_break: Breaks = falls[is_counter].any(axis=0)
    return is_break | _stale_breaks(np.any(is_stale(values), axis=0)) if has_nan(values) else is_break


def _stale_breaks(stale: Mask) -> Breaks:
    out: Breaks = stale[1:] | stale[:-1]
    return out
