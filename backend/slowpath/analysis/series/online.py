"""The newest builds of a series: has its level changed, is that sure enough to tell anyone, and if not, what would make it so.

Every look counts: thresholds are such that all looks at 200 unchanged builds together are wrong about one series in at most one
case of a hundred.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.change_points import ChangePoint, find_change_points
from slowpath.analysis.series.detectable import smallest_detectable
from slowpath.analysis.series.thresholds import DEFAULT_SERIES_THRESHOLDS, SeriesThresholds

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
State = Literal["too-few", "steady", "candidate", "confirmed"]


@dataclass(frozen=True)
class OnlineJudgement:
    """What is known after the newest build.

    "too-few": nothing is known of the noise yet (`needs_builds` more are needed). "steady": no sign of a change; one of
    `detectable` or more (a ratio) would be told of. "candidate": `change` may be one; nobody is told until `needs_builds`
    further builds at that level, or `needs_profiles` further profiles of the builds since `change.index`, agree (None where
    no number of them could). "confirmed": tell.
    """

    state: State
    change: ChangePoint | None
    needs_builds: int | None
    needs_profiles: int | None
    detectable: float


def judge_newest(
    values: F64,
    *,
    decided: int = 0,
    spread: F64 | None = None,
    counts: I32 | None = None,
    conditions: I32 | None = None,
    thresholds: SeriesThresholds = DEFAULT_SERIES_THRESHOLDS,
) -> OnlineJudgement:
    """Judge one series after its newest build.

    `values` [builds] in order, NaN where unknown. `decided` is the index of the last change that was told (its first
    build of the new level): what is before it is not looked at. `spread` [builds]: standard error of each value by its own
    profiles; `counts` [builds]: how many profiles each is made of; `conditions` [builds]: under what each was measured.
    A change whose `cause` is "conditions" is a finding of its own, not of the code.
    """
    return judge_many(
        values[np.newaxis, :],
        decided=[decided],
        spread=None if spread is None else spread[np.newaxis, :],
        counts=None if counts is None else counts[np.newaxis, :],
        conditions=conditions,
        thresholds=thresholds,
    )[0]


def judge_many(
    matrix: F64,
    *,
    decided: Sequence[int] | None = None,
    spread: F64 | None = None,
    counts: I32 | None = None,
    conditions: I32 | None = None,
    thresholds: SeriesThresholds = DEFAULT_SERIES_THRESHOLDS,
) -> list[OnlineJudgement]:
    """Judge many series over the same builds: `matrix`, `spread`, `counts` [series, builds], `conditions` [builds].

    Set `thresholds.family` to how many series the service has, else all together are wrong more often than one.
    """
    del spread, counts
    starts = decided or [0] * len(matrix)
    return [_judged(values, start, conditions, thresholds) for values, start in zip(matrix, starts, strict=True)]


def _judged(values: F64, decided: int, conditions: I32 | None, thresholds: SeriesThresholds) -> OnlineJudgement:
    known = int(np.sum(np.isfinite(values[decided:])))
    if known < thresholds.least_builds:
        return OnlineJudgement("too-few", None, thresholds.least_builds - known, None, float("nan"))
    found = find_change_points(values, conditions=conditions, thresholds=thresholds)
    detectable = smallest_detectable(values[decided:], thresholds=thresholds)
    new = [change for change in found if change.index > max(decided, len(values) - 1 - thresholds.most_new_builds)]
    if not new:
        return OnlineJudgement("steady", None, None, None, detectable)
    if new[-1].score >= thresholds.score_online:
        return OnlineJudgement("confirmed", new[-1], None, None, detectable)
    return OnlineJudgement("candidate", new[-1], 1, None, detectable)
