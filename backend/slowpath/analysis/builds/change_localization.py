"""Locate a change point, attribute it to the environment, and hold back a single new build."""

from dataclasses import replace
from math import exp, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.builds.series_matrix import SeriesMatrix
from slowpath.analysis.series.change_points import ChangePoint
from slowpath.analysis.series.online_detection import OnlineDetectionResult
from slowpath.analysis.series.series_thresholds import SeriesThresholds

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

MAD: Final = 1.4826
AROUND: Final = 3
"""Builds on either side of a detected change point that are searched again."""
WINDOW: Final = 40
PLAIN: Final = 6.0
"""Standard deviations between two levels above which every build belongs to one level for certain."""
REMEASURED: Final = 3
"""A build with this many times the usual replicates counts without a second build."""
REACH: Final = 1.96


def localize_change(values: F64, change: ChangePoint) -> ChangePoint:
    """Return the change point at the build that best separates its two levels; a clear step has no range."""
    known = np.flatnonzero(np.isfinite(values) & (values > 0))
    logs = np.log(values[known])
    at = int(np.searchsorted(known, change.index))
    before, after = logs[max(0, at - WINDOW) : max(at - AROUND, 1)], logs[at + 1 :] if at + 1 < len(logs) else logs[at:]
    if len(before) < AROUND or not len(after):
        return change
    low, high = float(np.median(before)), float(np.median(after))
    cuts_tried = range(max(1, at - AROUND), min(len(logs), at + AROUND + 1))
    near, far = np.abs(logs - low), np.abs(logs - high)
    first, last = cuts_tried[0], cuts_tried[-1]
    costs = [float(near[first:cut].sum() + far[cut : last + 1].sum()) for cut in cuts_tried]
    cut = cuts_tried[int(np.argmin(costs))]
    best, earliest = int(known[cut]), int(known[cut - 1]) + 1  # builds between have no value: any of them is possible
    high = float(np.median(logs[cut:]))
    noise = max(MAD * float(np.median(np.abs(before - low))), 1e-6)
    more = exp(high - low) / change.ratio  # winsorizing made a large step look smaller
    change = replace(
        change,
        index=best,
        before=exp(low),
        after=exp(high),
        ratio=exp(high - low),
        ratio_low=change.ratio_low * more,
        ratio_high=change.ratio_high * more,
    )
    if abs(high - low) >= PLAIN * noise:
        return replace(change, low_index=earliest, high_index=best)
    return replace(change, low_index=min(change.low_index, earliest), high_index=max(change.high_index, best))


def reclassify_environment_change(change: ChangePoint, conditions: I32 | None) -> ChangePoint:
    """Return the change with the cause "conditions" if the conditions changed within its range."""
    if conditions is None:
        return change
    first, last = max(change.low_index - 1, 0), min(change.high_index + 1, len(conditions))
    around = conditions[first:last]
    return replace(change, cause="conditions") if len(np.unique(around)) > 1 else change


def hold_back_single_build(
    line: SeriesMatrix, row: int, judgement: OnlineDetectionResult, thresholds: SeriesThresholds
) -> OnlineDetectionResult:
    """Return a candidate if only the newest build is far from all before it: one build may be chance."""
    values = line.values[row]
    if not len(values) or not np.isfinite(values[-1]) or values[-1] <= 0:
        return judgement
    before = values[:-1][-WINDOW:]
    logs = np.log(before[np.isfinite(before) & (before > 0)])
    if len(logs) < thresholds.least_builds:
        return judgement
    level = float(np.median(logs))
    noise = max(MAD * float(np.median(np.abs(logs - level))), thresholds.least_noise)
    step = log(float(values[-1])) - level
    score = abs(step) / noise
    if score < thresholds.score_candidate or abs(step) < log(1 + thresholds.least_relative):
        return judgement
    index = len(values) - 1
    change = ChangePoint(
        index=index,
        low_index=index,
        high_index=index,
        before=exp(level),
        after=float(values[-1]),
        ratio=exp(step),
        ratio_low=exp(step - REACH * noise),
        ratio_high=exp(step + REACH * noise),
        score=score,
    )
    usual = float(np.median(line.counts[:-1][line.counts[:-1] > 0])) if np.any(line.counts[:-1] > 0) else 1.0
    more = max(int(np.ceil(REMEASURED * usual)) - int(line.counts[-1]), 0)
    return replace(judgement, state="candidate", change=change, needs_builds=2, needs_profiles=more or None)
