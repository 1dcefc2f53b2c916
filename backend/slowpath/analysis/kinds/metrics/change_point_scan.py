"""Where the level of a series has stepped: decided online, by what was known so many cells after the step.

A step is a level that *stays*: three quarters of the cells after it lie beyond what was usual before. The usual level is the
median of the cells before; their spread is taken from their median deviation and widened by how alike neighbours are (AR(1)).
Bursts are part of what is usual: no stretch of the same length in the hours before may have strayed nearly so far. Slow drifts
are no steps: the last minutes before must lie where the hour lies. How often in the hours before cells strayed half so far, and
how long they then stayed, says how long a step must last until it is no burst. Every decision uses only cells before its own end, so that
scanning later or again says the same.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.series_data import Values

BASE: Final = 60
"""Cells that say what is usual."""
JUST_BEFORE: Final = 10
HISTORY: Final = 360
"""Cells before a step from which is learnt how far stretches stray and how long bursts last."""
DOUBLINGS: Final = 8
"""2^8 = 256 cells in which stretches of the same length are looked at."""
MISTAKEN: Final = 0.0005
"""How many bursts a day, by what is learnt, may last as long as what is taken for a step. Simulated: bench `changes`."""
FAVOURED_CELLS: Final = 10
"""At a deploy only so many places are in question, not all of a day."""
CALM_STARTS: Final = 0.3
CALM_STAYS: Final = 0.02
"""What is thought of bursts until one is seen: fewer than one in the time seen, and that most last one cell."""
WINSOR: Final = 4.0
"""Median deviations beyond which a cell says no more than that it is far away."""
LOCATE: Final = 30
NOT_EXCLUDED: Final = 6.0
"""Twice the log likelihood by which a place of the step may fall behind the best one. By theory 95 % hold at 3 (Hinkley 1970);
simulated, with bursts, 90 to 95 % hold at 6."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class ScanScale:
    """How a grid of cells is scanned. `windows` are lengths of the time after a step, in cells, that may decide."""

    windows: tuple[int, ...]
    favoured_windows: tuple[int, ...]
    least_base: int
    least_favoured_base: int
    cells_a_day: int = 1440


@dataclass(frozen=True)
class StepCriteria:
    """What a step must show. `floor` is a log ratio; a place where a step is expected (a deploy) needs less."""

    floor: float
    sureness: float = 6.0
    favoured_sureness: float = 4.5
    stray: float = 1.6
    favoured_stray: float = 1.3
    least_spread: float = 0.03


@dataclass(frozen=True)
class DetectedStep:
    """A step before the cell `at`; it lies before one of the cells low..high. `seen` is the first cell not needed."""

    at: int
    low: int
    high: int
    seen: int
    up: bool


def find_steps(values: Values, favoured: Mask, scale: ScanScale, demand: StepCriteria) -> list[DetectedStep]:
    """Find the steps in [M] known log values, in order. `favoured` [M]: cells before which a step is expected."""
    found: list[DetectedStep] = []
    begin = 0
    while True:
        step = _first_step(values[begin:], favoured[begin:], scale, demand)
        if step is None:
            return found
        found.append(DetectedStep(begin + step.at, begin + step.low, begin + step.high, begin + step.seen, step.up))
        begin += step.at


def _first_step(values: Values, favoured: Mask, scale: ScanScale, demand: StepCriteria) -> DetectedStep | None:
    """The step that is known first."""
    least = min(scale.least_base, scale.least_favoured_base)
    if len(values) < least + min(scale.windows + scale.favoured_windows):
        return None
    usual = _usual(values, least, demand.least_spread)
    best: tuple[int, int, bool] | None = None
    for window in sorted({*scale.windows, *scale.favoured_windows}):
        for up in (True, False):
            k = _decided(values, favoured, usual, window, up, scale, demand)
            if k is not None and (best is None or k + window < best[0]):
                best = (k + window, k, up)
    return None if best is None else _located(values, best[1], best[0], up=best[2])


@dataclass(frozen=True)
class _RunningBaseline:
    """[M] What is usual just before each cell: level, last minutes' level, widened spread, how many cells say so.

    `away` is how far each cell itself lies from it.
    """

    level: Values
    late: Values
    spread: Values
    cells: NDArray[np.int64]
    away: Values


def _usual(values: Values, least: int, least_spread: float) -> _RunningBaseline:
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
    """Of [R, W] windows: median, and deviation widened by the likeness of neighbours."""
    level = np.median(windows, axis=1)
    away = windows - level[:, None]
    deviation = np.maximum(1.4826 * np.median(np.abs(away), axis=1), least_spread)
    away = np.clip(away, -WINSOR * deviation[:, None], WINSOR * deviation[:, None])
    power = (away**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = np.nan_to_num((away[:, 1:] * away[:, :-1]).sum(axis=1) / power)
    alike = np.clip(alike, 0.0, 0.9)
    deviation = np.maximum(deviation, np.sqrt(power / windows.shape[1]))
    spread: Values = deviation * np.sqrt((1 + alike) / (1 - alike))
    return level, spread


def _decided(  # noqa: PLR0917 - a series, what is usual in it, and what is asked of it
    values: Values,
    favoured: Mask,
    usual: _RunningBaseline,
    window: int,
    up: bool,
    scale: ScanScale,
    demand: StepCriteria,
) -> int | None:
    """The first cell before which a stretch of so many cells shows a step."""
    size = len(values) - window + 1
    if size <= 0:
        return None
    sign = 1.0 if up else -1.0
    after = np.partition(sliding_window_view(sign * values, window), window // 4, axis=1)[:, window // 4]
    level, cells = sign * usual.level[:size], usual.cells[:size]
    with np.errstate(invalid="ignore"):
        shift = after - np.maximum(level, sign * usual.late[:size])
        sure = (after - level) / (usual.spread[:size] * np.sqrt(1 / window + 1 / np.maximum(cells, 1)))
    strayed = _strayed(after - level, window)
    ordinary = (cells >= scale.least_base) & (sure > demand.sureness) & (shift > demand.stray * strayed)
    expected = favoured[:size] & (cells >= scale.least_favoured_base) & (sure > demand.favoured_sureness)
    expected &= (shift > demand.favoured_stray * strayed) & (window in scale.favoured_windows)
    ordinary &= window in scale.windows
    for k in np.flatnonzero((shift > demand.floor) & (ordinary | expected)).tolist():
        places = FAVOURED_CELLS if expected[k] else scale.cells_a_day
        if _bursts_so_long(sign * usual.away[max(0, k - HISTORY) : k] > shift[k] / 2, window, places) < MISTAKEN:
            return int(k)
    return None


def _bursts_so_long(out: Mask, window: int, places: int) -> float:
    """How many bursts are to be expected, in so many cells, of which three quarters of the window lie out there."""
    begins, stays = _bursts(out)
    return float(places * begins * stays ** (0.75 * window))


def _bursts(out: Mask) -> tuple[float, float]:
    """How likely a burst begins in a cell, and how likely a cell of one is followed by another: a chain of two states, counted."""
    began = float((out[1:] & ~out[:-1]).sum() + out[:1].sum()) + CALM_STARTS
    seen = float(out.sum()) + 1.0
    stayed = (float((out[1:] & out[:-1]).sum()) + CALM_STAYS) / seen
    stayed = min(stayed + float(np.sqrt(stayed * (1 - stayed) / (seen + 2.0))), 0.99)  # few were seen: it may be more
    return began / max(len(out), 1), stayed


def _strayed(shift: Values, window: int) -> Values:
    """[R] How far, at most, stretches of this length strayed that ended before each cell."""
    most = np.nan_to_num(np.concatenate((np.zeros(window), shift))[: len(shift)])
    for doubling in range(DOUBLINGS):
        reach = 1 << doubling
        most = np.maximum(most, np.concatenate((np.zeros(min(reach, len(most))), most[:-reach])))
    strayed: Values = np.maximum(most, 0.0)
    return strayed


def _located(values: Values, k: int, seen: int, *, up: bool) -> DetectedStep:
    """Where the step lies: the split that is most likely, and all that are little less likely.

    Each cell speaks for one of the two levels, by how far it lies from each; but no louder than such cells are seldom on the
    other side: a burst just before the step is nothing rare where bursts are, and its second cell says less than its first.
    """
    sign = 1.0 if up else -1.0
    first = max(0, k - LOCATE)
    part, history = sign * values[first:seen], sign * values[max(0, k - HISTORY) : max(k, 1)]
    surely = part[(k + seen) // 2 - first :]  # the step may lie some cells after the place where it was seen
    low, high = float(np.median(part[: max(k - first, 1)])), float(np.median(surely))
    middle, out = (low + high) / 2, part > (low + high) / 2
    begins, stays = (min(share, 0.4) for share in _bursts(history > middle))
    dips = min((float((~out[(k + seen) // 2 - first :]).sum()) + 0.5) / (len(surely) + 1), 0.4)
    deviation = max(float(1.4826 * np.median(np.abs(np.diff(part)))) / np.sqrt(2), 0.02)
    strays = np.where(np.concatenate(([False], out[:-1])), stays, begins)
    speaks = np.clip(
        (high - low) * (part - middle) / deviation**2, np.log(dips / (1 - begins)), np.log((1 - dips) / strays)
    )
    splits = np.arange(1, len(part))
    likely = speaks.sum() - np.cumsum(speaks)[:-1]  # of what comes after each split
    best = int(np.argmax(likely))
    near = np.flatnonzero(2 * (likely[best] - likely) <= NOT_EXCLUDED)
    return DetectedStep(
        first + int(splits[best]), first + int(splits[near[0]]), first + int(splits[near[-1]]), seen, up
    )
