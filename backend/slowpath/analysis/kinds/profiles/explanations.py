"""What could explain a whole change without the code: then the change is not significant.

Three things can, and each is measured: the profiles of one side saw more of the process's CPU time than those of the
other; a subject is sampled in step with the clock, so that its value is the luck of each capture; or the cost drifted
within a side by as much as the sides differ.
"""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.coverage import coverage_of
from slowpath.analysis.kinds.profiles.load import load_gap
from slowpath.analysis.kinds.profiles.profile_kind_comparison import TOTAL, ProfileKindComparison, SubjectEstimates
from slowpath.analysis.kinds.profiles.profile_sets import ProfileSets
from slowpath.analysis.kinds.profiles.serial_dependence import interleaved
from slowpath.analysis.kinds.profiles.stack_frames import Index
from slowpath.analysis.stats.t_distribution import t_two_sided

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

# In step with the clock: this far beyond sampling (`Thresholds.loud_dispersion`), and by this part of the value.
LEAST_SWING = 0.2
# A trend over fewer captures than this is chance; one this improbable is not.
FEWEST_FOR_TREND, TREND_LEVEL = 5, 0.05
# Categories of what a process does while it looks for work.
IDLE = frozenset({"scheduler", "netpoll"})
# A difference of coverage smaller than so many of its standard errors is sampling noise.
COVERAGE_ERRORS = 2.0


def coverage_gap(sets: ProfileSets) -> float:
    """Log ratio of the coverages of the sides, candidate over base; 0 if unknown or no more than noise."""
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
    """Which of these rows of `subjects` changed by no more than something else than the code explains."""
    if comparison.kind != "cpu" or len(rows) == 0:
        return np.zeros(len(rows), dtype=np.bool_)
    by_coverage = within_coverage_gap(comparison, subjects, rows)
    by_coverage |= within_load_gap(comparison, subjects, rows)
    return by_coverage | in_lockstep(comparison, subjects)[rows] | drifted(comparison, subjects, rows)


def within_coverage_gap(comparison: ProfileKindComparison, subjects: SubjectEstimates, rows: Index) -> Mask:
    """The sides differ by no more than their coverage does."""
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.abs(np.log(subjects.estimates.ratio[rows]))
    within: Mask = effect <= abs(coverage_gap(comparison.sets))
    return within


def within_load_gap(comparison: ProfileKindComparison, subjects: SubjectEstimates, rows: Index) -> Mask:
    """The loads of the sides differ, and the cost per request changed by no more, or is that of waiting for work.

    What a process does per second whatever comes costs a request as much more as there are fewer requests; idling
    (looking for work, waking threads) is not bounded by that. The total is left out: little of it is paid by time.
    """
    gap = load_gap(comparison.sets.base, comparison.sets.candidate)
    if comparison.basis.id != "per_request" or not gap:
        return np.zeros(len(rows), dtype=np.bool_)
    names = [subjects.names[row] for row in rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (np.log(bound[rows]) for bound in (subjects.estimates.low, subjects.estimates.high))
        least = np.maximum(low, -high)
    idle = np.array([subjects is comparison.categories and name in IDLE for name in names], dtype=np.bool_)
    within: Mask = ((least <= abs(gap)) | idle) & (np.array(names) != TOTAL)
    return within


def in_lockstep(comparison: ProfileKindComparison, subjects: SubjectEstimates) -> Mask:
    """Spread between captures far beyond sampling and machine: work in step with the sampling clock, or phases.

    Unless the captures of one side all lie beyond those of the other, by more than they spread.
    """
    counts = np.abs(subjects.rows).sum(axis=1) / comparison.quantum / len(comparison.sets.artifacts)
    raw = subjects.tested.raw_dispersion
    with np.errstate(divide="ignore", invalid="ignore"):
        swing = np.sqrt(np.maximum(raw - 1, 0) / counts)
    loud: Mask = (counts >= 1) & (raw >= comparison.thresholds.loud_dispersion) & (swing >= LEAST_SWING)
    for row in np.flatnonzero(loud).tolist():
        base, candidate = (each[0] for each in rates(comparison, subjects.rows[[row]]))
        loud[row] = not _apart(base, candidate)
    return loud


def _apart(base: F64, candidate: F64) -> bool:
    gap = max(candidate.min() - base.max(), base.min() - candidate.max())
    widest = max(float(np.ptp(base)), float(np.ptp(candidate)))
    return bool(min(len(base), len(candidate)) >= FEWEST_FOR_TREND and gap > widest)


def rates(comparison: ProfileKindComparison, rows: F64) -> tuple[F64, F64]:
    """Rates of each replicate of the base and of the candidate, on the default basis."""
    sets = comparison.sets
    weights = sets.folded(comparison.basis.weights[np.newaxis, :])
    with np.errstate(divide="ignore", invalid="ignore"):
        base, candidate = (values / weight for values, weight in zip(sets.folded(rows), weights, strict=True))
    return base, candidate


def drifted(comparison: ProfileKindComparison, subjects: SubjectEstimates, rows: Index) -> Mask:
    """The cost moved steadily within a side, so that it would have moved as far as the sides differ between them.

    Captured in turns, both sides share the drift. A trend is followed from the middle of one side to that of the
    other, but not over a longer time than the captures lasted.
    """
    found = np.zeros(len(rows), dtype=np.bool_)
    sets = comparison.sets
    times = sets.times()
    if comparison.basis.id == "share" or sets.differenced or not sets.timed or interleaved(*times):
        return found
    difference = subjects.estimates.difference[rows]
    lasted = sum(float(np.ptp(when)) for when in times)
    apart = float(np.clip(times[1].mean() - times[0].mean(), -lasted, lasted))
    for side, when in zip(rates(comparison, subjects.rows[rows]), times, strict=True):
        slope, error = trend(side, when)
        same_way = np.sign(slope * apart) == np.sign(difference)
        found |= same_way & ((np.abs(slope) + error) * abs(apart) >= np.abs(difference))
    return found


def trend(values: F64, times: F64) -> tuple[F64, F64]:
    """Of each row, its slope over time with the standard error; 0 and 0 where chance explains it."""
    count = len(times)
    if count < FEWEST_FOR_TREND:
        return np.zeros(len(values)), np.zeros(len(values))
    centered = times - times.mean()
    moved = values - values.mean(axis=1, keepdims=True)
    slope = moved @ centered / np.square(centered).sum()
    left = np.square(moved - slope[:, np.newaxis] * centered).sum(axis=1)
    error = np.sqrt(left / (count - 2) / np.square(centered).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(slope == 0, 0.0, np.minimum(np.abs(slope) / error, 1e6))
    chance = t_two_sided(statistic, np.full(len(values), count - 2.0))
    steady = chance <= TREND_LEVEL
    return np.where(steady, slope, 0.0), np.where(steady, error, 0.0)
