"""Test the newest builds of a series.

Whether the level changed, with what certainty, and what evidence is missing. Every evaluation counts: the thresholds
are such that all evaluations of 200 unchanged builds together are wrong for about one series in a hundred.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.change_points import ChangePoint, change_point
from slowpath.analysis.series.minimum_detectable_change import detectable_step
from slowpath.analysis.series.noise_model import MAD, heavy_tailed, memory_of, winsorize
from slowpath.analysis.series.rank_surprise import rank_surprise
from slowpath.analysis.series.required_evidence import CandidateWindows, builds_needed, profiles_needed, windows_of
from slowpath.analysis.series.series_rows import SeriesRows, blocks_of, rows_of
from slowpath.analysis.series.series_thresholds import DEFAULT_SERIES_THRESHOLDS, SeriesThresholds
from slowpath.analysis.series.step_measurement import location, measured
from slowpath.analysis.series.step_scan import StepScan, scan
from slowpath.analysis.series.trends import best_trend, cost_of_steps

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
State = Literal["too-few", "steady", "candidate", "confirmed"]

# A build measured this many times as often as others counts without a second build.
REMEASURED = 3
FEW, MOST_BEYOND = 6, 0.5
NEWEST = 3
# The variance between builds is assumed to be at least this part of that within them.
MIN_WITHIN_SHARE = 0.8


@dataclass(frozen=True)
class OnlineDetectionResult:
    """The result after the newest build.

    "too-few": the noise is unknown (`needs_builds` more are needed). "steady": no sign of a change; one of `detectable` or more (a
    ratio) would be detected within twelve builds. "candidate": `change` may be one; it is reported once `needs_builds` further
    builds at that level, or `needs_profiles` further profiles of each build since `change.index`, agree (None if no number of
    them suffices). "confirmed": report it.
    """

    state: State
    change: ChangePoint | None
    needs_builds: int | None
    needs_profiles: int | None
    detectable: float


def evaluate_many(
    matrix: F64,
    *,
    decided: Sequence[int] | None = None,
    spread: F64 | None = None,
    counts: I32 | None = None,
    conditions: I32 | None = None,
    together: bool = False,
    thresholds: SeriesThresholds = DEFAULT_SERIES_THRESHOLDS,
) -> list[OnlineDetectionResult]:
    """Test many series over the same builds.

    `matrix`, `spread`, `counts` [series, builds], `conditions` [builds]. Pass `thresholds.for_family(series)` for the
    number of series of the service, otherwise all together are wrong more often than one. `together`: they are of one
    service, measured by the same runs; while there are few builds they share the estimate of autocorrelation.
    """
    starts = list(decided) if decided is not None else [0] * len(matrix)
    out: list[OnlineDetectionResult] = []
    for block in [slice(None)] if together else blocks_of(len(matrix)):
        spread_of = None if spread is None else spread[block]
        counts_of = None if counts is None else counts[block]
        values = matrix[block]
        results = [OnlineDetectionResult("too-few", None, thresholds.least_builds + 1, None, float("nan"))] * len(
            values
        )
        for rows in rows_of(values, spread_of, counts_of, conditions, starts=starts[block], thresholds=thresholds):
            judged = _test_rows(rows, spread_of, counts_of, conditions, together=together, thresholds=thresholds)
            for series, result in zip(rows.place.tolist(), judged, strict=True):
                results[series] = result
        out += results
    return out


@dataclass(frozen=True)
class _LatestBuildsTest:
    """The data for testing the newest builds of rows; column k of `windows` is for k + 1 new builds."""

    rows: SeriesRows
    calm: F64
    unruly: NDArray[np.bool_]
    phi: F64
    scanned: StepScan
    windows: CandidateWindows


def _test_rows(
    rows: SeriesRows,
    spread: F64 | None,
    counts: I32 | None,
    conditions: I32 | None,
    *,
    together: bool,
    thresholds: SeriesThresholds,
) -> list[OnlineDetectionResult]:
    length, least = rows.values.shape[1], thresholds.least_builds
    if length <= least:
        return [OnlineDetectionResult("too-few", None, least + 1 - length, None, float("nan"))] * len(rows.place)
    look = _prepare(rows, thresholds, together=together)
    out = [
        OnlineDetectionResult("steady", None, None, None, ratio) for ratio in detectable_step(look.windows, thresholds)
    ]
    for row in np.flatnonzero(_is_conspicuous(look.windows, thresholds)).tolist():
        builds, series = rows.builds[row], int(rows.place[row])
        often = None if counts is None else counts[series][builds]
        new = _confirmed_window(look, row, often, thresholds)
        if new is not None and _is_slow(look.calm[row], new):
            new = None
        state: State = "confirmed"
        if new is None:
            state = "candidate"
            new = _candidate_window(look, row, thresholds)
        if new is None:
            continue
        change = _change(look, row, new, conditions, thresholds)
        more: int | None = None
        profiles: int | None = None
        if state == "candidate":
            more = builds_needed(look.windows, row, new, unruly=bool(look.unruly[row]), thresholds=thresholds)
            if spread is not None and often is not None:
                errors = spread[series][builds] / rows.usual[row]
                profiles = profiles_needed(look.windows, row, new, errors, often, thresholds=thresholds)
        out[row] = OnlineDetectionResult(state, change, more, profiles, out[row].detectable)
    return out


def _is_conspicuous(windows: CandidateWindows, thresholds: SeriesThresholds) -> NDArray[np.bool_]:
    """[series] Return which rows can be a candidate or confirmed; all others are steady."""
    least = np.minimum(windows.asked, min(thresholds.score_candidate, thresholds.score_remeasured))
    flags: NDArray[np.bool_] = np.any((np.abs(windows.score) >= least) & windows.large, axis=1)
    return flags


def _is_slow(calm: F64, new: int) -> bool:
    """Return whether a trend (linear, ramp or season) explains a row better than a step before its newest builds."""
    slow = best_trend(calm, ())
    return slow is not None and slow.cost < cost_of_steps(calm, (len(calm) - new,))


def _prepare(rows: SeriesRows, thresholds: SeriesThresholds, *, together: bool = False) -> _LatestBuildsTest:
    calm = winsorize(rows.values, thresholds)
    calm = replace(calm, rows=_newest_agree(rows.values, calm.rows, thresholds))
    series, length = calm.rows.shape
    no_bound = np.full(series, np.inf)
    least_noise = np.maximum(thresholds.least_noise, MIN_WITHIN_SHARE * rows.within)
    plain = scan(calm.rows, rows.weight, np.zeros(series), no_bound, least_noise)
    at = np.argmax(np.abs(plain.score), axis=1) + 1
    is_before = np.arange(length) < at[:, np.newaxis]
    before = np.sum(calm.rows, axis=1, where=is_before) / at
    after = np.sum(calm.rows, axis=1, where=~is_before) / (length - at)
    levels = np.where(is_before, before[:, np.newaxis], after[:, np.newaxis])
    phi = memory_of(calm.rows - levels, 2, together=together)
    scanned = scan(calm.rows, rows.weight, phi, no_bound, least_noise)
    most = min(thresholds.most_new_builds, length - thresholds.least_builds)
    few = max(int(length / (1 + thresholds.least_before)), thresholds.short_builds)
    most = max(min(most, few), 1)
    windows = windows_of(scanned, phi, length, most, thresholds)
    heavy = heavy_tailed(rows.values - levels, thresholds.heavy_from)
    windows = replace(windows, asked=windows.asked + thresholds.score_heavy * heavy[:, np.newaxis])
    return _LatestBuildsTest(rows, calm.rows, calm.unruly, phi, scanned, windows)


def _newest_agree(raw: F64, calm: F64, thresholds: SeriesThresholds) -> F64:
    """Replace the winsorized newest three by the original values if they agree, since the running median lags."""
    if not thresholds.least_builds < raw.shape[1] < thresholds.young_builds + NEWEST:
        return calm
    old, new = raw[:, :-NEWEST], raw[:, -NEWEST:]
    differences = old[:, 1:] - old[:, :-1]
    noise = np.maximum(MAD * np.median(np.abs(differences), axis=1) / np.sqrt(2), thresholds.least_noise)
    larger = np.maximum(1.0, new.mean(axis=1) / np.maximum(old.mean(axis=1), 1e-9))
    agree = np.ptp(new, axis=1) <= thresholds.agreeing_within * noise * larger
    out: F64 = calm.copy()
    out[agree, -NEWEST:] = raw[agree, -NEWEST:]
    return out


def _confirmed_window(look: _LatestBuildsTest, row: int, often: I32 | None, thresholds: SeriesThresholds) -> int | None:
    """Return how many new builds are certainly at another level; None if none are."""
    windows, values = look.windows, look.rows.values[row]
    certain = np.flatnonzero(windows.sure(row)) + 1
    for new in sorted(certain.tolist(), key=lambda one: -abs(float(windows.score[row, one - 1]))):
        if not _are_at_level(look, row, new, thresholds):
            continue
        up = bool(windows.step[row, new - 1] > 0)
        is_young = len(values) - new < thresholds.young_builds and new <= thresholds.soon_builds
        surprising = rank_surprise(values[:-new], values[-new:], up=up, is_young=is_young)
        if surprising >= windows.required_surprise(new, unruly=bool(look.unruly[row])):
            return int(new)
    alone = abs(float(windows.score[row, 0])) >= thresholds.score_remeasured and windows.large[row, 0]
    if alone and often is not None and often[-1] >= REMEASURED * max(float(np.median(often[:-1])), 1.0):
        return 1
    return None


def _are_at_level(look: _LatestBuildsTest, row: int, new: int, thresholds: SeriesThresholds) -> bool:
    """Return whether new builds are at one level.

    A few as close as the noise before, most of many beyond half way. Two spikes are no level, nor are three among
    ordinary builds.
    """
    values, length = look.rows.values[row], look.calm.shape[1]
    if new > FEW:
        step = float(look.windows.step[row, new - 1])
        half_way = float(np.mean(look.calm[row, :-new])) + step / 2
        return bool(np.mean((values[-new:] - half_way) * np.sign(step) > 0) >= MOST_BEYOND)
    innovation = float(look.windows.error[row, 0]) / np.sqrt(1 + 1 / length)
    noise = innovation / np.sqrt(1 - float(look.phi[row]) ** 2)
    # If costs doubled, their noise doubled too.
    larger = max(1.0, float(np.mean(values[-new:])) / max(float(np.mean(values[:-new])), 1e-9))
    return bool(np.ptp(values[-new:]) <= thresholds.agreeing_within * noise * larger)


def _candidate_window(look: _LatestBuildsTest, row: int, thresholds: SeriesThresholds) -> int | None:
    score = np.where(look.windows.large[row], np.abs(look.windows.score[row]), 0.0)
    new = int(np.argmax(score))
    return new + 1 if score[new] >= thresholds.score_candidate else None


def _change(
    look: _LatestBuildsTest, row: int, new: int, conditions: I32 | None, thresholds: SeriesThresholds
) -> ChangePoint:
    length = look.calm.shape[1]
    newest = look.windows.score.shape[1]
    places: I64 = np.arange(length - newest, length)
    at = length - new
    low, high = location(look.scanned, row, places)
    step = measured(
        look.calm[row],
        look.rows.weight[row],
        at,
        abs(float(look.windows.score[row, new - 1])),
        (min(low, at), max(high, at)),
        phi=float(look.phi[row]),
        confidence=thresholds.confidence,
    )
    return change_point(step, look.rows.builds[row], float(look.rows.usual[row]), conditions)
