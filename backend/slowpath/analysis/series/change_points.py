"""Find change points of series over builds: where a level steps, by how much, with what certainty.

A series has one value per build (a category's share, CPU per request, a quantile), in the order of the builds; NaN for a build
without one.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.binary_segmentation import shaped_of
from slowpath.analysis.series.series_rows import LEAST_TURNS, SeriesRows, blocks_of, rows_of, turns_between
from slowpath.analysis.series.series_thresholds import DEFAULT_SERIES_THRESHOLDS, SeriesThresholds
from slowpath.analysis.series.step_measurement import SeriesStep
from slowpath.analysis.series.trends import Trend

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Cause = Literal["code", "conditions"]


@dataclass(frozen=True)
class ChangePoint:
    """One step of a level.

    The first build of the new level is `index`, almost certainly within `low_index`..`high_index`, both included. `before` and
    `after` are levels in the series' unit (means over builds, winsorized, under the newest of alternating conditions), `ratio` is
    after/before with its interval of `thresholds.confidence` (infinite or NaN if the level before is zero). `score`: the distance
    of the levels in standard errors. `cause` is "conditions" if the machine, the Go version or the environment changed within that
    range: then it is no evidence about the code.
    """

    index: int
    low_index: int
    high_index: int
    before: float
    after: float
    ratio: float
    ratio_low: float
    ratio_high: float
    score: float
    cause: Cause = "code"


@dataclass(frozen=True)
class SeriesShape:
    """The shape of a series: its changes, relative to its trend (linear, ramp or season) if it has one.

    `slow` [builds] are the values of that trend around zero, in the series' unit.
    """

    points: tuple[ChangePoint, ...]
    trend: Trend | None
    slow: F64 | None = None


def find_in_many(
    matrix: F64,
    *,
    spread: F64 | None = None,
    counts: I32 | None = None,
    conditions: I32 | None = None,
    thresholds: SeriesThresholds = DEFAULT_SERIES_THRESHOLDS,
) -> list[tuple[ChangePoint, ...]]:
    """Find the changes of many series over the same builds.

    `matrix`, `spread` and `counts` [series, builds], `conditions` [builds]. The results are the same as one by one, in a fraction
    of the time.
    """
    shapes = shapes_in_many(matrix, spread=spread, counts=counts, conditions=conditions, thresholds=thresholds)
    return [one.points for one in shapes]


def shapes_in_many(
    matrix: F64,
    *,
    spread: F64 | None = None,
    counts: I32 | None = None,
    conditions: I32 | None = None,
    thresholds: SeriesThresholds = DEFAULT_SERIES_THRESHOLDS,
) -> list[SeriesShape]:
    """Find changes and trends of many series over the same builds, like `find_in_many`."""
    shapes: list[SeriesShape] = []
    for block in blocks_of(len(matrix)):
        spread_of = None if spread is None else spread[block]
        counts_of = None if counts is None else counts[block]
        shapes += _shapes_in_block(matrix[block], spread_of, counts_of, conditions, thresholds)
    return shapes


def _shapes_in_block(
    matrix: F64, spread: F64 | None, counts: I32 | None, conditions: I32 | None, thresholds: SeriesThresholds
) -> list[SeriesShape]:
    shapes = [SeriesShape((), None)] * len(matrix)
    for rows in rows_of(matrix, spread, counts, conditions, starts=[0] * len(matrix), thresholds=thresholds):
        for row, shaped in shaped_of(rows.values, rows.weight, thresholds).items():
            trend, slow = shaped.trend, None
            if trend is not None and shaped.slow is not None:
                builds = rows.builds[row]
                trend = replace(trend, first=int(builds[trend.first]), last=int(builds[trend.last]))
                slow = np.interp(np.arange(matrix.shape[1]), builds, shaped.slow * float(rows.usual[row]))
            shapes[int(rows.place[row])] = SeriesShape(_change_points(rows, row, shaped.steps, conditions), trend, slow)
    return shapes


def _change_points(
    rows: SeriesRows, row: int, steps: list[SeriesStep], conditions: I32 | None
) -> tuple[ChangePoint, ...]:
    return tuple(change_point(step, rows.builds[row], float(rows.usual[row]), conditions) for step in steps)


def change_point(step: SeriesStep, builds: I64, usual: float, conditions: I32 | None) -> ChangePoint:
    """Convert a row's step to its series: `builds` [known] are those of the row, `usual` its unit."""
    # Between a known build and the previous one there may be some without a value: the change may be there.
    low, high = int(builds[step.low - 1]) + 1, int(builds[step.high])
    cause: Cause = "code"
    if conditions is not None:
        around = conditions[builds[step.low - 1] : high + 1]
        cause = "conditions" if _conditions_changed(conditions, around) else "code"
    return ChangePoint(
        int(builds[step.at]),
        low,
        high,
        step.before * usual,
        step.after * usual,
        step.ratio,
        step.ratio_low,
        step.ratio_high,
        step.score,
        cause,
    )


def _conditions_changed(conditions: I32, around: I32) -> bool:
    """Return whether conditions switch within the range of a change, except alternating ones that were aligned."""
    for one, other in zip(around[:-1].tolist(), around[1:].tolist(), strict=True):
        if one != other and turns_between(conditions, one, other) < LEAST_TURNS:
            return True
    return False
