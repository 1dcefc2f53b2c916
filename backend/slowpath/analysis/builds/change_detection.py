"""Detect changes in the build history of a branch.

Find change points, group them, and decide which to notify about. Every scan uses all series of the service, and the
thresholds limit the error rate over all of them together. Changes that only shifted a cost, that the environment
explains, or that are a negligible part of the total are stored without a notification.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.builds.change_localization import (
    hold_back_single_build,
    localize_change,
    reclassify_environment_change,
)
from slowpath.analysis.builds.regression_groups import WITNESSES, ChangedSeries, Key, RegressionGroup, group_regressions
from slowpath.analysis.builds.series_matrix import ADDS_UP, OF_FUNCTIONS, SeriesMatrix
from slowpath.analysis.findings.build_measurements import TOTAL
from slowpath.analysis.series.change_points import ChangePoint
from slowpath.analysis.series.online_detection import OnlineDetectionResult, evaluate_many
from slowpath.analysis.series.series_thresholds import DEFAULT_SERIES_THRESHOLDS, SeriesThresholds

I32 = NDArray[np.int32]
HARDLY_OWN: Final = 0.97
"""A function that spends at least this share in one function that it calls adds no series."""


@dataclass(frozen=True)
class KnownChange:
    """A change point that an earlier scan found."""

    kind: str
    subject: str
    change: ChangePoint
    regression_id: UUID | None


@dataclass(frozen=True)
class ScanResult:
    """The result of scanning one build history.

    `too_few`: how many more builds are needed for a result, else None.
    """

    groups: tuple[RegressionGroup, ...]
    too_few: int | None
    detectable: float | None
    series: int


def scan_history(
    lines: Sequence[SeriesMatrix],
    conditions: Mapping[str, I32],
    known: Sequence[KnownChange],
    muted: frozenset[Key],
    thresholds: SeriesThresholds = DEFAULT_SERIES_THRESHOLDS,
) -> ScanResult:
    """Scan all series of a build history after one of its builds has changed.

    `lines`: one per kind, over the same builds; `conditions` by kind. `known`: changes that earlier scans found; builds before
    the last one of a series are not scanned again. `muted`: series without notifications.
    """
    chosen = [np.flatnonzero(_distinct(line)) for line in lines]
    strict_thresholds = family_thresholds(thresholds, sum(len(each) for each in chosen))
    decided: dict[Key, int] = {}
    for each in known:
        decided[each.kind, each.subject] = max(decided.get((each.kind, each.subject), 0), each.change.index)
    found: list[ChangedSeries] = []
    states: list[OnlineDetectionResult] = []
    unscanned = [_since(line, decided) for line in lines]
    for line, rows in zip(unscanned, chosen, strict=True):
        results = evaluate_many(
            line.values[rows],
            spread=line.errors[rows],
            counts=np.broadcast_to(line.counts, (len(rows), len(line.counts))),
            conditions=conditions.get(line.kind),
            together=True,
            thresholds=strict_thresholds,
        )
        states += results
        for row, judgement in zip(rows.tolist(), results, strict=True):
            held_back = (
                judgement
                if judgement.state != "steady"
                else hold_back_single_build(line, row, judgement, strict_thresholds)
            )
            if held_back.change is not None:
                change = reclassify_environment_change(
                    localize_change(line.values[row], held_back.change), conditions.get(line.kind)
                )
                found.append(_found(line, row, held_back, change))
    by_kind = _by_kind(lines)
    known_again = [_again(by_kind[each.kind], each) for each in known if each.kind in by_kind]
    groups = group_regressions(
        [*found, *(each for each in known_again if each is not None)], by_kind, _by_kind(unscanned), muted
    )
    return ScanResult(tuple(groups), _too_few(states), _detectable(lines, chosen, states), len(states))


def _since(line: SeriesMatrix, decided: Mapping[Key, int]) -> SeriesMatrix:
    """Return the matrix without the builds before the last known change of each series.

    They are of another level.
    """
    starts = np.array([decided.get((line.kind, subject), 0) for subject in line.subjects], dtype=np.int64)
    is_before = np.arange(len(line.counts)) < starts[:, np.newaxis]
    return replace(line, values=np.where(is_before, np.nan, line.values)) if len(starts) else line


def _by_kind(lines: Sequence[SeriesMatrix]) -> dict[str, SeriesMatrix]:
    return {line.kind: line for line in lines}


def family_thresholds(thresholds: SeriesThresholds, series: int) -> SeriesThresholds:
    """Return thresholds for that many series together, also for candidates.

    Otherwise there would always be one.
    """
    more = 2 * log(max(series, 1))
    return replace(thresholds.for_family(series), score_candidate=sqrt(thresholds.score_candidate**2 + more))


def _too_few(states: Sequence[OnlineDetectionResult]) -> int | None:
    needs = [state.needs_builds or 1 for state in states if state.state == "too-few"]
    return min(needs) if needs and len(needs) == len(states) else None if states else 1


def _detectable(
    lines: Sequence[SeriesMatrix], chosen: Sequence[NDArray[np.int64]], states: Sequence[OnlineDetectionResult]
) -> float | None:
    """Return the smallest detectable change of the total, or of any series if there is no total."""
    keys = [line.subjects[row] for line, rows in zip(lines, chosen, strict=True) for row in rows.tolist()]
    known = {key: state.detectable for key, state in zip(keys, states, strict=True) if np.isfinite(state.detectable)}
    return known.get(TOTAL, min(known.values(), default=None))


def _distinct(line: SeriesMatrix) -> NDArray[np.bool_]:
    """Select functions that are more than one callee.

    All subjects of other kinds, except the share of the total.
    """
    selected = np.ones(len(line.subjects), dtype=np.bool_)
    if line.basis == "share" and (total_row := line.index(TOTAL)) is not None:
        selected[total_row] = False
    if line.kind not in OF_FUNCTIONS or not len(line.subjects):
        return selected
    means = np.nan_to_num(np.nanmean(line.values, axis=1))
    number = {subject: row for row, subject in enumerate(line.subjects)}
    for row, callers in enumerate(line.callers):
        for caller in callers:
            above = number.get(caller)
            if above is not None and means[row] >= HARDLY_OWN * means[above]:
                selected[above] = False
    return selected


def _found(line: SeriesMatrix, row: int, judgement: OnlineDetectionResult, change: ChangePoint) -> ChangedSeries:
    subject = line.subjects[row]
    difference = change.after - change.before
    return ChangedSeries(
        kind=line.kind,
        subject=subject,
        unit=line.unit_of(subject),
        change=change,
        confirmed=judgement.state == "confirmed",
        worse=(difference > 0) == line.higher_is_worse(subject),
        difference=difference,
        part=_part(line, change, difference),
        needs_builds=judgement.needs_builds,
        needs_profiles=None if line.kind in WITNESSES else judgement.needs_profiles,
    )


def _again(line: SeriesMatrix, known: KnownChange) -> ChangedSeries | None:
    if line.index(known.subject) is None:
        return None
    difference = known.change.after - known.change.before
    return ChangedSeries(
        kind=known.kind,
        subject=known.subject,
        unit=line.unit_of(known.subject),
        change=known.change,
        confirmed=True,
        worse=(difference > 0) == line.higher_is_worse(known.subject),
        difference=difference,
        part=_part(line, known.change, difference),
        is_new=False,
        regression_id=known.regression_id,
    )


def _part(line: SeriesMatrix, change: ChangePoint, difference: float) -> float:
    """Return the size of the difference relative to the total; 1 if values are not parts of a total."""
    if line.kind not in ADDS_UP:
        return 1.0
    if line.basis == "share":
        return abs(difference)
    column_sums = np.nansum(np.where(np.isfinite(line.values), line.values, 0.0), axis=0)
    row = line.index(TOTAL)
    total = line.values[row] if row is not None else column_sums
    before = total[: max(change.index, 1)]
    known = before[np.isfinite(before) & (before > 0)]
    return abs(difference) / float(np.median(known)) if len(known) else 1.0
