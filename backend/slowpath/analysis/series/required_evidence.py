"""Compute what the newest builds must show to be reported, and how much more evidence suffices."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.rank_surprise import most_surprise
from slowpath.analysis.series.series_thresholds import SeriesThresholds
from slowpath.analysis.series.step_scan import StepScan

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
Flags = NDArray[np.bool_]

MOST_FURTHER_BUILDS = 40
MOST_FURTHER_PROFILES = 64
# Autocorrelation from which a part, and all, of `score_memory` is required.
SOME_MEMORY, FULL_MEMORY = 0.25, 0.6


@dataclass(frozen=True)
class CandidateWindows:
    """Per row and number of new builds (column k: k + 1 of them).

    Step, error, score, required score, size.
    """

    length: int
    phi: F64
    step: F64
    error: F64
    score: F64
    asked: F64
    large: Flags
    thresholds: SeriesThresholds

    def sure(self, row: int) -> Flags:
        """[windows] Return which are as far from the old level as required; one build alone never is."""
        flags: Flags = (np.abs(self.score[row]) >= self.asked[row]) & self.large[row]
        flags[0] = False
        return flags

    def required_surprise(self, new: int, *, unruly: bool) -> float:
        """Return the required rank surprise for that many new builds."""
        if unruly or self.length - new < self.thresholds.young_builds:
            return self.thresholds.surprise_unruly
        return self.thresholds.surprise_two_builds if new == 2 else self.thresholds.surprise


def windows_of(scanned: StepScan, phi: F64, length: int, most: int, thresholds: SeriesThresholds) -> CandidateWindows:
    """Return the last `most` places of a scan of rows, the newest first."""
    step, error, score = (part[:, ::-1][:, :most] for part in (scanned.step, scanned.error, scanned.score))
    new = np.arange(1, most + 1)
    required = required_score(new, step > 0, phi[:, np.newaxis], thresholds)
    before = length - new
    required += thresholds.score_short * np.maximum(thresholds.least_before * new / before - 1, 0.0)
    required = _of_young(required, new, before, up=step > 0, phi=phi[:, np.newaxis], thresholds=thresholds)
    rest = np.square(1 - phi)[:, np.newaxis]
    effective = 1 / (1 / (1 + rest * (new - 1)) + 1 / (1 + rest * (before - 1)))
    noise = error * np.sqrt(effective / (1 - np.square(phi))[:, np.newaxis])
    plain = (np.abs(step) >= thresholds.plain_from * noise) & (new > 2) & (before < thresholds.young_builds)
    required = np.where(plain, np.minimum(required, thresholds.score_plain), required)
    # Rows are in units of their usual value, which is near the old level if a change is new.
    large = np.abs(step) >= thresholds.least_relative
    return CandidateWindows(length, phi, step, error, score, required, large, thresholds)


def _of_young(
    required: F64,
    new: NDArray[np.int64],
    before: NDArray[np.int64],
    *,
    up: Flags,
    phi: F64,
    thresholds: SeriesThresholds,
) -> F64:
    """Return the required score [series, windows] with few builds before.

    Lower for few new builds, higher for many.
    """
    youth = np.clip(1 - before / thresholds.young_builds, 0.0, 1.0)
    out: F64 = required + thresholds.score_young * youth
    soon = (new > 2) & (new <= thresholds.soon_builds) & (youth > 0) & up
    out = np.where(soon, thresholds.score_soon + required_memory(phi, thresholds), out)
    out[:, (new <= 2) & (youth > 0)] = np.inf
    return out


def required_score(new: NDArray[np.int64], up: Flags, phi: F64, thresholds: SeriesThresholds) -> F64:
    """Return the score that this many new builds must reach.

    The error rate of all evaluations is spent where it matters: on costs that increased, at a few numbers of builds.
    """
    expected = np.isin(new, thresholds.expected_builds)
    required = np.where(expected, thresholds.score_expected, thresholds.score_newest)
    required = np.where(new == 2, thresholds.score_two_builds, required)
    required = np.where(up, required, np.maximum(required, thresholds.score_less))
    return required + required_memory(phi, thresholds)


def required_memory(phi: F64, thresholds: SeriesThresholds) -> F64:
    """Return by how much the required score increases with autocorrelation."""
    out: F64 = thresholds.score_memory * np.clip((phi - SOME_MEMORY) / (FULL_MEMORY - SOME_MEMORY), 0.0, 1.0)
    return out


def builds_needed(
    windows: CandidateWindows, row: int, new: int, *, unruly: bool, thresholds: SeriesThresholds
) -> int | None:
    """Return how many further builds at the level of the newest `new` suffice; None if forty do not."""
    step, phi = abs(float(windows.step[row, new - 1])), windows.phi[row]
    before = windows.length - new
    noise = float(windows.error[row, new - 1]) / np.sqrt(1 / new + 1 / before)
    more = np.arange(1, MOST_FURTHER_BUILDS + 1)
    score = step / (noise * np.sqrt(1 / (new + more) + 1 / before))
    up = np.full(len(more), bool(windows.step[row, new - 1] > 0))
    enough = (score >= required_score(new + more, up, np.full(len(more), phi), thresholds)) & (new + more > 1)
    for further in more[enough].tolist():
        is_young = before < thresholds.young_builds
        if most_surprise(before, new + further, is_young=is_young) >= windows.required_surprise(
            new + further, unruly=unruly
        ):
            return int(further)
    return None


def profiles_needed(
    windows: CandidateWindows, row: int, new: int, spread: F64, counts: I32, *, thresholds: SeriesThresholds
) -> int | None:
    """Return how many further profiles of each of the newest `new` builds suffice; None if 64 do not.

    `spread` [builds] in the row's unit. More profiles reduce the variance within a build, not that between builds.
    """
    step = abs(float(windows.step[row, new - 1]))
    before = windows.length - new
    within = float(np.nanmean(np.square(spread[-new:]))) if np.isfinite(spread[-new:]).any() else 0.0
    usual = float(np.nanmedian(np.square(spread[:-new]))) if np.isfinite(spread[:-new]).any() else 0.0
    variance = float(np.square(windows.error[row, new - 1])) / (1 / new + 1 / before)
    between = max(variance - usual, 0.1 * variance)
    have = max(float(np.mean(counts[-new:])), 1.0)
    required = thresholds.score_remeasured if new == 1 else float(windows.asked[row, new - 1])
    for further in range(1, MOST_FURTHER_PROFILES + 1):
        error = np.sqrt((between + within * have / (have + further)) / new + variance / before)
        if step / error >= required:
            return further
    return None
