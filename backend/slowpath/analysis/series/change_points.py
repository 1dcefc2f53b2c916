"""Change points of series over builds: where a level steps, by how much, and how sure that is.

A series holds one value a build (a category's share, CPU per request, a quantile), in the order of the builds; NaN where a
build has none. Levels are compared by their ratio, so the arithmetic is done on logarithms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.thresholds import DEFAULT_SERIES_THRESHOLDS, SeriesThresholds

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
Cause = Literal["code", "conditions"]


@dataclass(frozen=True)
class ChangePoint:
    """One step of a level.

    The first build of the new level is `index`, and with `thresholds.confidence` one of `low_index`..`high_index`, both
    included. `before` and `after` are levels in the series' unit (medians over builds), `ratio` is after/before with its
    interval. `score`: how many standard errors the levels lie apart. `cause` is "conditions" if the machine, the Go version
    or the environment changed with it: then it says nothing about the code.
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


def find_change_points(
    values: F64,
    *,
    spread: F64 | None = None,
    conditions: I32 | None = None,
    thresholds: SeriesThresholds = DEFAULT_SERIES_THRESHOLDS,
) -> tuple[ChangePoint, ...]:
    """Find the changes of one whole series.

    `values` [builds] in the order of the builds, above zero (zero is read as very little), NaN where unknown. `spread`
    [builds] is the standard error of each value in the same unit, from its own replicates (NaN: unknown). `conditions`
    [builds] names under what each was measured (any numbers: equal is equal).
    """
    return find_in_many(
        values[np.newaxis, :],
        spread=None if spread is None else spread[np.newaxis, :],
        conditions=conditions,
        thresholds=thresholds,
    )[0]


def find_in_many(
    matrix: F64,
    *,
    spread: F64 | None = None,
    conditions: I32 | None = None,
    thresholds: SeriesThresholds = DEFAULT_SERIES_THRESHOLDS,
) -> list[tuple[ChangePoint, ...]]:
    """Find the changes of many series over the same builds: `matrix` and `spread` [series, builds], `conditions` [builds].

    The same answers as one by one, in a fraction of the time.
    """
    del spread
    return [_found(values, conditions, thresholds) for values in matrix]


def _found(values: F64, conditions: I32 | None, thresholds: SeriesThresholds) -> tuple[ChangePoint, ...]:
    known = np.flatnonzero(np.isfinite(values) & (values > 0))
    logs = np.log(values[known])
    edges = sorted(_split(logs, 0, len(logs), thresholds))
    found = []
    for number, at in enumerate(edges):
        first = edges[number - 1] if number else 0
        last = edges[number + 1] if number + 1 < len(edges) else len(logs)
        left, right = logs[first:at], logs[at:last]
        step = float(right.mean() - left.mean())
        error = _error(left, right, thresholds)
        index, earlier = int(known[at]), int(known[at - 1])
        changed = conditions is not None and bool(conditions[index] != conditions[earlier])
        found.append(
            ChangePoint(
                index,
                max(earlier, 1),
                index,
                float(np.exp(np.median(left))),
                float(np.exp(np.median(right))),
                float(np.exp(step)),
                float(np.exp(step - 2 * error)),
                float(np.exp(step + 2 * error)),
                abs(step) / error,
                "conditions" if changed else "code",
            )
        )
    return tuple(found)


def _error(left: F64, right: F64, thresholds: SeriesThresholds) -> float:
    residual = np.concatenate([left - np.median(left), right - np.median(right)])
    noise = max(1.4826 * float(np.median(np.abs(residual))), thresholds.least_noise)
    return noise * float(np.sqrt(1 / len(left) + 1 / len(right)))


def _split(logs: F64, first: int, last: int, thresholds: SeriesThresholds) -> Sequence[int]:
    best, at = 0.0, -1
    for cut in range(first + 3, last - 2):
        left, right = logs[first:cut], logs[cut:last]
        step = abs(float(right.mean() - left.mean()))
        score = step / _error(left, right, thresholds)
        if score > best and step > np.log1p(thresholds.least_relative):
            best, at = score, cut
    if last - first < thresholds.least_builds or best < thresholds.score_whole:
        return []
    return [*_split(logs, first, at, thresholds), at, *_split(logs, at, last, thresholds)]
