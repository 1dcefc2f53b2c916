"""Find what could explain a complete change without the code: then the change is not significant.

Five causes are measured: the profiles of one side covered more of the process's CPU time; a subject is sampled in step
with the clock, so that its value depends on chance in each capture; the cost drifted within a side by as much as the sides
differ; the sides were sent another mix of requests; or the cost changed with the age of a new process.
"""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import (
    TOTAL,
    ProfileKindComparison,
    SubjectEstimates,
)
from slowpath.analysis.kinds.profiles.estimates.serial_dependence import interleaved
from slowpath.analysis.kinds.profiles.sets.coverage import coverage_of
from slowpath.analysis.kinds.profiles.sets.load import gap_of_rates, load_gap
from slowpath.analysis.kinds.profiles.sets.profile_sets import ProfileSets
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index
from slowpath.analysis.stats.t_distribution import t_two_sided

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

# In step with the clock: this far beyond sampling (`ProfileThresholds.loud_dispersion`), and by this share of the
# value.
LEAST_SWING = 0.2
# A trend needs this many captures and at most this p-value.
FEWEST_FOR_TREND, TREND_LEVEL = 5, 0.05
# Categories of a process that looks for work.
IDLE = frozenset({"scheduler", "netpoll"})
# A smaller difference of coverage, in standard errors, is sampling noise.
COVERAGE_ERRORS = 2.0


def coverage_gap(sets: ProfileSets) -> float:
    """Return the log ratio of the coverages, candidate over base; 0 if unknown or not significant."""
    covered = coverage_of(sets.artifacts)
    if covered is None:
        return 0.0
    sides = [np.log(covered[mask]) for mask in (sets.is_base, ~sets.is_base)]
    gap = float(sides[1].mean() - sides[0].mean())
    squares = sum(float(np.square(side - side.mean()).sum()) for side in sides)
    variance = squares / max(1, len(covered) - 2)
    error = np.sqrt(variance * (1 / len(sides[0]) + 1 / len(sides[1])))
    return gap if abs(gap) > COVERAGE_ERRORS * error else 0.0


def explained(comparison: ProfileKindComparison, subjects: SubjectEstimates, rows: Index) -> Mask:
    """Return which of these rows of `subjects` changed by no more than a cause other than the code explains."""
    if not comparison.sets.is_series or len(rows) == 0:
        return np.zeros(len(rows), dtype=np.bool_)
    if comparison.kind != "cpu":
        return within_load_gap(comparison, subjects, rows) | drifted(comparison, subjects, rows)
    by_coverage = within_coverage_gap(comparison, subjects, rows)
    by_coverage |= within_load_gap(comparison, subjects, rows)
    by_requests = within_mix(comparison, subjects, rows) | aged(comparison, subjects, rows)
    return by_coverage | by_requests | in_lockstep(comparison, subjects)[rows] | drifted(comparison, subjects, rows)


def within_coverage_gap(comparison: ProfileKindComparison, subjects: SubjectEstimates, rows: Index) -> Mask:
    """Return which rows differ by no more than the coverage of the sides."""
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.abs(np.log(subjects.estimates.ratio[rows]))
    within: Mask = effect <= abs(coverage_gap(comparison.sets))
    return within


def within_load_gap(comparison: ProfileKindComparison, subjects: SubjectEstimates, rows: Index) -> Mask:
    """Return which rows differ by no more than the loads of the sides, or are waiting for work.

    Work per second that is independent of requests costs more per request the fewer requests there are; idling (looking for
    work, waking threads) is not bounded by that. The total of CPU is excluded: little of it depends on time alone. Waiting for
    mutexes and allocations of requests that failed or have not ended do.
    """
    sets = comparison.sets
    gap = gap_of_rates(*sets.request_rates()) if sets.differenced else load_gap(sets.base, sets.candidate)
    if comparison.basis.id != "per_request" or not gap:
        return np.zeros(len(rows), dtype=np.bool_)
    names = [subjects.names[row] for row in rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (np.log(bound[rows]) for bound in (subjects.estimates.low, subjects.estimates.high))
        least = np.maximum(low, -high)
    idle = np.array([subjects is comparison.categories and name in IDLE for name in names], dtype=np.bool_)
    is_bounded = (np.array(names) != TOTAL) | (comparison.kind != "cpu")
    within: Mask = ((least <= abs(gap)) | idle) & is_bounded
    return within


def within_mix(comparison: ProfileKindComparison, subjects: SubjectEstimates, rows: Index) -> Mask:
    """Return which rows differ by no more than the mix of requests alone could change them."""
    mix, estimates = comparison.request_mix, subjects.estimates
    if mix is None:
        return np.zeros(len(rows), dtype=np.bool_)
    low, high = mix.range_of(subjects.rows[rows], comparison.basis.weights)
    if subjects.mix is not None:
        bounds = zip(subjects.mix, (low, high), strict=True)
        low, high = (np.where(np.isnan(part[rows]), whole, part[rows]) for part, whole in bounds)
    ratio, least, most = (each[rows] for each in (estimates.ratio, estimates.low, estimates.high))
    least, most = (np.where(np.isfinite(bound), bound, ratio) for bound in (least, most))
    within: Mask = np.where(ratio > 1, least <= high, most >= low)
    return within


def range_of_mix(comparison: ProfileKindComparison) -> tuple[float, float]:
    """Return the least and the largest factor by which the mix of requests alone could change the total; 1 and 1 if equal."""
    mix = comparison.request_mix
    if mix is None:
        return 1.0, 1.0
    low, high = mix.range_of(comparison.categories.rows[-1:], comparison.basis.weights)
    return float(low[0]), float(high[0])


def aged(comparison: ProfileKindComparison, subjects: SubjectEstimates, rows: Index) -> Mask:
    """Return which rows of a new process changed with its age by as much as the sides differ.

    A trend is extrapolated to the age of the other side, but not over a longer time than the captures lasted.
    """
    ages = comparison.process_ages
    if ages is None or ages.overlap or comparison.basis.id == "share":
        return np.zeros(len(rows), dtype=np.bool_)
    of_base, of_candidate = rates(comparison, subjects.rows[rows])
    values, when, other = (
        (of_base, ages.base, ages.candidate) if ages.base_is_new else (of_candidate, ages.candidate, ages.base)
    )
    capture_seconds = float(np.ptp(when)) + float(np.ptp(other))
    seconds_apart = float(np.clip(other.mean() - when.mean(), -capture_seconds, capture_seconds))
    difference = subjects.estimates.difference[rows]
    return _is_trend_enough(values, when, seconds_apart, -difference if not ages.base_is_new else difference)


def in_lockstep(comparison: ProfileKindComparison, subjects: SubjectEstimates) -> Mask:
    """Return which rows vary between captures far beyond sampling and machine.

    Sampling in lockstep, or phases. Except if the captures of one side all exceed those of the other by more than they
    vary.
    """
    counts = np.abs(subjects.rows).sum(axis=1) / comparison.quantum / len(comparison.sets.artifacts)
    raw = subjects.tested.raw_dispersion
    with np.errstate(divide="ignore", invalid="ignore"):
        swing = np.sqrt(np.maximum(raw - 1, 0) / counts)
    overdispersed: Mask = (counts >= 1) & (raw >= comparison.thresholds.loud_dispersion) & (swing >= LEAST_SWING)
    for row in np.flatnonzero(overdispersed).tolist():
        base, candidate = (each[0] for each in rates(comparison, subjects.rows[[row]]))
        overdispersed[row] = not _are_separate(base, candidate)
    return overdispersed


def _are_separate(base: F64, candidate: F64) -> bool:
    gap = max(candidate.min() - base.max(), base.min() - candidate.max())
    widest = max(float(np.ptp(base)), float(np.ptp(candidate)))
    return bool(min(len(base), len(candidate)) >= FEWEST_FOR_TREND and gap > widest)


def rates(comparison: ProfileKindComparison, rows: F64) -> tuple[F64, F64]:
    """Return the rates of each replicate of base and candidate, on the default basis."""
    sets = comparison.sets
    weights = sets.folded(comparison.basis.weights[np.newaxis, :])
    with np.errstate(divide="ignore", invalid="ignore"):
        base, candidate = (values / weight for values, weight in zip(sets.folded(rows), weights, strict=True))
    return base, candidate


def drifted(comparison: ProfileKindComparison, subjects: SubjectEstimates, rows: Index) -> Mask:
    """Return which rows drifted within a side by as much as the sides differ.

    Captured alternately, both sides share the drift. A trend is extrapolated from the middle of one side to that of the other,
    but not over a longer time than the captures lasted.
    """
    has_drifted = np.zeros(len(rows), dtype=np.bool_)
    sets = comparison.sets
    times = sets.times()
    if comparison.basis.id == "share" or not sets.timed or interleaved(*times):
        return has_drifted
    difference = subjects.estimates.difference[rows]
    capture_seconds = sum(float(np.ptp(when)) for when in times)
    seconds_apart = float(np.clip(times[1].mean() - times[0].mean(), -capture_seconds, capture_seconds))
    for side, when in zip(rates(comparison, subjects.rows[rows]), times, strict=True):
        has_drifted |= _is_trend_enough(side, when, seconds_apart, difference)
    return has_drifted


def _is_trend_enough(values: F64, times: F64, seconds_apart: float, difference: F64) -> Mask:
    """Return which rows have a trend over time that makes up the difference within these seconds."""
    slope, error = trend(values, times)
    same_way = np.sign(slope * seconds_apart) == np.sign(difference)
    enough: Mask = same_way & ((np.abs(slope) + error) * abs(seconds_apart) >= np.abs(difference))
    return enough


def trend(values: F64, times: F64) -> tuple[F64, F64]:
    """Return the slope of each row over time with the standard error; 0 and 0 if not significant."""
    count = len(times)
    if count < FEWEST_FOR_TREND:
        return np.zeros(len(values)), np.zeros(len(values))
    centered = times - times.mean()
    deviations = values - values.mean(axis=1, keepdims=True)
    slope = deviations @ centered / np.square(centered).sum()
    residual_squares = np.square(deviations - slope[:, np.newaxis] * centered).sum(axis=1)
    error = np.sqrt(residual_squares / (count - 2) / np.square(centered).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(slope == 0, 0.0, np.minimum(np.abs(slope) / error, 1e6))
    p_value = t_two_sided(statistic, np.full(len(values), count - 2.0))
    is_trend = p_value <= TREND_LEVEL
    return np.where(is_trend, slope, 0.0), np.where(is_trend, error, 0.0)
