"""Detect level steps of a series online, with a fixed delay after each step.

A step is a level that *stays*: three quarters of the cells after it are outside the usual range before. The usual level is
the median of the cells before, its noise their median deviation, widened for autocorrelation (AR(1)). Bursts are part of the
usual range: no stretch of the same length in the hours before may have deviated nearly as far. Slow drift is no step: the
last minutes before must be at the level of the hour. The frequency and length of bursts half as large in the hours before
determine how long a step must last. Every decision uses only cells before its end, so scanning later or again gives the same
result.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.samples.series_data import Values

BASE: Final = 60
"""Cells that define the usual level."""
JUST_BEFORE: Final = 10
HISTORY_SHARE: Final = 4
"""Six hours, a fourth of a day, before a step are used to learn how often bursts begin and how long they last."""
DOUBLINGS: Final = 8
"""2^8 = 256 cells in which stretches of the same length are examined."""
ACCEPTED_BURSTS: Final = 0.0005
"""Accepted bursts per day, by their learned frequency, that last as long as a step. Simulated: bench `changes`."""
FAVOURED_CELLS: Final = 10
"""At a deployment only this many positions are possible, not all of a day."""
BUSY_SHARE: Final = 0.25
"""A stretch with fewer busy cells is no burst of requests, and is compared only with bursts that are none either."""
PRIOR_BURST_START: Final = 0.3
PRIOR_BURST_STAY: Final = 0.02
"""Prior of bursts until one is observed: fewer than one in the observed time, and most last one cell."""
WINSOR: Final = 4.0
"""Median deviations at which the evidence of a cell is capped."""
LOCATE: Final = 30
LOCATE_HISTORY: Final = 360
NOT_EXCLUDED: Final = 6.0
"""Twice the log likelihood by which a position of the step may be below the best one. In theory 3 covers 95% (Hinkley
1970); simulated, with bursts, 6 covers 90 to 95%.
"""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class ScanScale:
    """How to scan a grid of cells.

    `windows`: lengths of the time after a step, in cells, at which to decide.
    """

    windows: tuple[int, ...]
    favoured_windows: tuple[int, ...]
    least_base: int
    least_favoured_base: int
    cells_a_day: int = 1440


@dataclass(frozen=True)
class StepCriteria:
    """What a step must show.

    `floor` is a log ratio; where a step is expected (a deployment) less is required.
    """

    floor: float
    sureness: float = 6.0
    favoured_sureness: float = 4.5
    stray: float = 1.6
    favoured_stray: float = 1.3
    least_spread: float = 0.03


@dataclass(frozen=True)
class DetectedStep:
    """A step before the cell `at`, within low..high. `seen` is the first cell that was not needed."""

    at: int
    low: int
    high: int
    seen: int
    up: bool


@dataclass(frozen=True)
class CellConditions:
    """[M] What is known of cells besides their values: whether a step is expected before them, and whether they are busy."""

    favoured: Mask
    busy: Mask

    def since(self, begin: int) -> "CellConditions":
        """Return the conditions of the cells from `begin` on."""
        return CellConditions(self.favoured[begin:], self.busy[begin:])


@dataclass(frozen=True)
class EarlierCells:
    """[E] Cells before the first scanned one: deviation from the usual level (`usual_deviations`), and whether they are busy."""

    deviations: Values
    busy: Mask


NOTHING_EARLIER: Final = EarlierCells(np.zeros(0), np.zeros(0, np.bool_))


def find_steps(
    values: Values,
    conditions: CellConditions,
    scale: ScanScale,
    demand: StepCriteria,
    earlier: EarlierCells = NOTHING_EARLIER,
) -> list[DetectedStep]:
    """Find the steps in [M] log values without gaps, in order.

    `earlier`: to learn bursts from more time than `values` covers.
    """
    found: list[DetectedStep] = []
    begin = 0
    while True:
        step = _first_step(values[begin:], conditions.since(begin), scale, demand, earlier)
        if step is None:
            return found
        found.append(DetectedStep(begin + step.at, begin + step.low, begin + step.high, begin + step.seen, step.up))
        begin += step.at


def usual_deviations(values: Values, scale: ScanScale, demand: StepCriteria) -> Values:
    """[M] Return the deviation of log values from the usual level before each; 0 where that is unknown."""
    return _running_baseline(values, min(scale.least_base, scale.least_favoured_base), demand.least_spread).away


def _first_step(
    values: Values, conditions: CellConditions, scale: ScanScale, demand: StepCriteria, earlier: EarlierCells
) -> DetectedStep | None:
    """Return the step that is detected first."""
    least = min(scale.least_base, scale.least_favoured_base)
    if len(values) < least + min(scale.windows + scale.favoured_windows):
        return None
    usual = _running_baseline(values, least, demand.least_spread)
    best: tuple[int, int, bool] | None = None
    for window in sorted({*scale.windows, *scale.favoured_windows}):
        for up in (True, False):
            k = _detection_cell(values, conditions, usual, window, up, scale, demand, earlier)
            if k is not None and (best is None or k + window < best[0]):
                best = (k + window, k, up)
    return None if best is None else _locate(values, best[1], best[0], up=best[2])


@dataclass(frozen=True)
class _RunningBaseline:
    """[M] The usual range just before each cell.

    Level, last minutes' level, widened noise, number of cells. `away` is the deviation of each cell from it.
    """

    level: Values
    late: Values
    spread: Values
    cells: NDArray[np.int64]
    away: Values


def _running_baseline(values: Values, least: int, least_spread: float) -> _RunningBaseline:
    size = len(values)
    level, late, spread = (np.full(size, np.nan) for _ in range(3))
    cells = np.minimum(np.arange(size), BASE)
    for k in range(least, min(size, BASE)):
        level[k], spread[k] = (float(part[0]) for part in _level_and_spread(values[None, :k], least_spread))
        late[k] = np.median(values[max(0, k - JUST_BEFORE) : k])
    if size > BASE:
        level[BASE:], spread[BASE:] = _level_and_spread(sliding_window_view(values, BASE)[: size - BASE], least_spread)
        short = sliding_window_view(values, JUST_BEFORE)
        late[BASE:] = np.median(short[BASE - JUST_BEFORE : size - JUST_BEFORE], axis=1)
    return _RunningBaseline(level, late, spread, cells, np.nan_to_num(values - level))


def _level_and_spread(windows: Values, least_spread: float) -> tuple[Values, Values]:
    """Return for [R, W] windows the median, and the deviation widened for autocorrelation."""
    level = np.median(windows, axis=1)
    away = windows - level[:, None]
    deviation = np.maximum(1.4826 * np.median(np.abs(away), axis=1), least_spread)
    away = np.clip(away, -WINSOR * deviation[:, None], WINSOR * deviation[:, None])
    power = (away**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        autocorrelation = np.nan_to_num((away[:, 1:] * away[:, :-1]).sum(axis=1) / power)
    autocorrelation = np.clip(autocorrelation, 0.0, 0.9)
    deviation = np.maximum(deviation, np.sqrt(power / windows.shape[1]))
    spread: Values = deviation * np.sqrt((1 + autocorrelation) / (1 - autocorrelation))
    return level, spread


def _detection_cell(  # noqa: PLR0917 - a series, its usual range, and the criteria
    values: Values,
    conditions: CellConditions,
    usual: _RunningBaseline,
    window: int,
    up: bool,
    scale: ScanScale,
    demand: StepCriteria,
    earlier: EarlierCells,
) -> int | None:
    """Return the first cell before which a stretch of `window` cells shows a step."""
    size = len(values) - window + 1
    if size <= 0:
        return None
    sign = 1.0 if up else -1.0
    after = np.partition(sliding_window_view(sign * values, window), window // 4, axis=1)[:, window // 4]
    level, cells = sign * usual.level[:size], usual.cells[:size]
    with np.errstate(invalid="ignore"):
        shift = after - np.maximum(level, sign * usual.late[:size])
        statistic = (after - level) / (usual.spread[:size] * np.sqrt(1 / window + 1 / np.maximum(cells, 1)))
    strayed = _largest_deviation(after - level, window)
    ordinary = (cells >= scale.least_base) & (statistic > demand.sureness) & (shift > demand.stray * strayed)
    expected = (
        conditions.favoured[:size] & (cells >= scale.least_favoured_base) & (statistic > demand.favoured_sureness)
    )
    expected &= (shift > demand.favoured_stray * strayed) & (window in scale.favoured_windows)
    ordinary &= window in scale.windows
    away = sign * np.concatenate((earlier.deviations, usual.away))
    busy = np.concatenate((earlier.busy, conditions.busy))
    first, history = len(earlier.busy), scale.cells_a_day // HISTORY_SHARE
    for k in np.flatnonzero((shift > demand.floor) & (ordinary | expected)).tolist():
        places = FAVOURED_CELLS if expected[k] else scale.cells_a_day
        before = slice(max(0, first + k - history), first + k)
        out = away[before] > shift[k] / 2
        if conditions.busy[k : k + window].mean() < BUSY_SHARE:
            out &= ~busy[before]
        if _bursts_so_long(out, window, places) < ACCEPTED_BURSTS:
            return int(k)
    return None


def _bursts_so_long(out: Mask, window: int, places: int) -> float:
    """Return the expected number of bursts, in that many cells, that fill three quarters of the window."""
    begins, stays = _bursts(out)
    return float(places * begins * stays ** (0.75 * window))


def _bursts(out: Mask) -> tuple[float, float]:
    """Return the probabilities that a burst starts, and that it continues.

    A Markov chain of two states, counted.
    """
    began = float((out[1:] & ~out[:-1]).sum() + out[:1].sum()) + PRIOR_BURST_START
    burst_cells = float(out.sum()) + 1.0
    stayed = (float((out[1:] & out[:-1]).sum()) + PRIOR_BURST_STAY) / burst_cells
    stayed = min(
        stayed + float(np.sqrt(stayed * (1 - stayed) / (burst_cells + 2.0))), 0.99
    )  # an upper bound: few were observed
    return began / max(len(out), 1), stayed


def _largest_deviation(shift: Values, window: int) -> Values:
    """Return [R] the largest deviation of stretches of this length that ended before each cell."""
    most = np.nan_to_num(np.concatenate((np.zeros(window), shift))[: len(shift)])
    for doubling in range(DOUBLINGS):
        reach = 1 << doubling
        most = np.maximum(most, np.concatenate((np.zeros(min(reach, len(most))), most[:-reach])))
    strayed: Values = np.maximum(most, 0.0)
    return strayed


def _locate(values: Values, k: int, seen: int, *, up: bool) -> DetectedStep:
    """Locate the step: the most likely split, and all that are little less likely.

    Each cell is evidence for one of the two levels, by its distance from each, capped by how rare such cells are on the other
    side: a burst just before the step is not rare where bursts occur, and its second cell is weaker evidence than its first.
    """
    sign = 1.0 if up else -1.0
    first = max(0, k - LOCATE)
    part, history = sign * values[first:seen], sign * values[max(0, k - LOCATE_HISTORY) : max(k, 1)]
    certainly_after = part[(k + seen) // 2 - first :]  # the step may be some cells after the detection
    low, high = float(np.median(part[: max(k - first, 1)])), float(np.median(certainly_after))
    middle, out = (low + high) / 2, part > (low + high) / 2
    begins, stays = (min(share, 0.4) for share in _bursts(history > middle))
    dips = min((float((~out[(k + seen) // 2 - first :]).sum()) + 0.5) / (len(certainly_after) + 1), 0.4)
    deviation = max(float(1.4826 * np.median(np.abs(np.diff(part)))) / np.sqrt(2), 0.02)
    strays = np.where(np.concatenate(([False], out[:-1])), stays, begins)
    evidence = np.clip(
        (high - low) * (part - middle) / deviation**2, np.log(dips / (1 - begins)), np.log((1 - dips) / strays)
    )
    splits = np.arange(1, len(part))
    split_likelihood = evidence.sum() - np.cumsum(evidence)[:-1]  # of the cells after each split
    best = int(np.argmax(split_likelihood))
    near = np.flatnonzero(2 * (split_likelihood[best] - split_likelihood) <= NOT_EXCLUDED)
    return DetectedStep(
        first + int(splits[best]), first + int(splits[near[0]]), first + int(splits[near[-1]]), seen, up
    )
