"""Series over the builds of a service, as pages draw them, and mute rules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.builds.load_bands import load_texts
from slowpath.analysis.builds.series_matrix import SeriesMatrix, lay_out
from slowpath.analysis.findings.build_measurements import KindMeasurement, unpack
from slowpath.analysis.series.change_points import ChangePoint, SeriesShape, shapes_in_many
from slowpath.analysis.series.minimum_detectable_change import smallest_detectable
from slowpath.analysis.series.series_thresholds import DEFAULT_SERIES_THRESHOLDS
from slowpath.analysis.series.trends import Trend
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import RegressionId, ServiceId, new_id
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.errors import TooManyMuteRules
from slowpath.verdicts.regressions.rules import (
    LATENCY,
    LEAST_SHARE,
    MOST_SERIES,
    MOST_WATCHED,
    guess_default_branch,
    is_notifiable,
)
from slowpath.verdicts.regressions.service import regression_views
from slowpath.verdicts.regressions.service.branch_history import (
    HistoryPosition,
    load_branch_history,
    load_own_branch_history,
)
from slowpath.verdicts.regressions.service.known_change_points import select_known_change_points
from slowpath.verdicts.regressions.tables import BuildMeasurement, BuildVerdict, SeriesMuteRule

F64 = NDArray[np.float64]
LEAST_BUILDS_WITH_LEVEL = DEFAULT_SERIES_THRESHOLDS.least_builds
"""Least builds for which a level is drawn without a change point."""
REACH = 1.96
"""Half width of the drawn interval, in standard errors."""
NEAR = 3
"""Builds between two change points that count as one."""
Steps = dict[tuple[str, str], list[ChangePoint]]
"""Change points by kind and subject."""


@dataclass(frozen=True)
class HistoryPoint:
    """One build of a history, and the conditions of its measurements."""

    build: Build
    verdict: BuildVerdict
    conditions: str


@dataclass(frozen=True)
class DrawnTrend:
    """A trend of a series, and its values [builds] without noise, change points included."""

    trend: Trend
    values: F64


@dataclass(frozen=True)
class DrawnSeries:
    """One series: values with interval, levels without noise, change points and minimum detectable effect.

    A series with a trend has no levels: the values of the trend replace them.
    """

    kind: str
    subject: str
    unit: str
    values: F64
    low: F64
    high: F64
    levels: F64
    changes: tuple[ChangePoint, ...]
    trend: DrawnTrend | None
    detectable: float
    muted: bool


@dataclass(frozen=True)
class BuildSeriesPage:
    """Series over the same builds, oldest first."""

    branch: str
    branches: list[str]
    points: list[HistoryPoint]
    series: list[DrawnSeries]


def load_regression_series(session: ReadSession, regression_id: RegressionId) -> BuildSeriesPage:
    """Return the series of a regression: its own first. Raises `RegressionNotFound`."""
    row = regression_views.get_regression(session, regression_id)
    subjects_of: dict[str, list[str]] = {}
    for member in [{"kind": row.kind, "subject": row.subject}, *row.related_series][:MOST_SERIES]:
        subjects = subjects_of.setdefault(str(member["kind"]), [])
        if member["subject"] not in subjects:
            subjects.append(str(member["subject"]))
    service_id = ServiceId(row.service_id)
    return _drawn(
        session, service_id, row.branch, load_branch_history(session, service_id, row.branch), subjects_of, own=row.id
    )


def load_service_series(session: ReadSession, service_id: ServiceId, branch: str | None, kind: str) -> BuildSeriesPage:
    """Return the series of one kind of a service, the largest first. Raises `ServiceNotFound`."""
    catalog.service(session, service_id)
    chosen = guess_default_branch(queries.count_builds_by_branch(session, service_id)) if branch is None else branch
    return _drawn(session, service_id, chosen, load_own_branch_history(session, service_id, chosen), {kind: None})


def _drawn(
    session: ReadSession,
    service_id: ServiceId,
    branch: str,
    places: Sequence[HistoryPosition],
    subjects_of: dict[str, list[str]] | dict[str, None],
    *,
    own: UUID | None = None,
) -> BuildSeriesPage:
    branches = queries.count_builds_by_branch(session, service_id)
    builds = [place.build for place in places]
    measures = queries.select_measurements(session, [build.id for build in builds], list(subjects_of))
    measurements = {(row.build_id, row.kind): unpack(row.content) for row in measures}
    conditions = _conditions(builds, measures, measurements)
    rules = {(rule.kind, rule.subject): rule.muted for rule in queries.select_mute_rules(session, service_id)}
    steps = _steps(session, service_id, branch, builds, own)
    series: list[DrawnSeries] = []
    for kind, subjects in subjects_of.items():
        of_kind: list[KindMeasurement | None] = [measurements.get((build.id, kind)) for build in builds]
        line = lay_out(of_kind, least_share=LEAST_SHARE, only=subjects)
        if line is not None:
            series += _series(line, rules, steps, largest_first=subjects is None)
    return BuildSeriesPage(
        branch,
        sorted({*branches, branch}),
        [HistoryPoint(place.build, place.verdict, conditions.get(place.build.id, "")) for place in places],
        series[:MOST_SERIES],
    )


def _steps(
    session: ReadSession, service_id: ServiceId, branch: str, builds: Sequence[Build], own: UUID | None
) -> Steps:
    """Return the change points of each series: those recorded, and the start and end of each regression.

    Regressions dismissed by users are left out, except `own`, whose page is drawn.
    """
    number = {build.id: place for place, build in enumerate(builds)}
    steps: Steps = {}
    for known in select_known_change_points(session, service_id, branch, number):
        steps.setdefault((known.kind, known.subject), []).append(known.change)
    for row in queries.select_regressions_of_branch(session, service_id, branch):
        since, good = number.get(row.since_build_id or row.id), number.get(row.good_build_id or row.id)
        if since is None or not (row.id == own or is_notifiable(confirmed=row.confirmed, state=row.state)):
            continue
        low, fixed = since if good is None else min(good + 1, since), number.get(row.fixed_build_id or row.id)
        for member in row.related_series:
            ratio = float(member["ratio"] or 1.0) or 1.0
            of_series = steps.setdefault((str(member["kind"]), str(member["subject"])), [])
            of_series.append(_step(low, since, ratio))
            if fixed is not None and fixed > since:
                of_series.append(_step(fixed, fixed, 1 / ratio))
    return steps


def _step(low: int, index: int, ratio: float) -> ChangePoint:
    """Return a change point whose levels are still to be computed from the values."""
    return ChangePoint(index, low, index, 0.0, 0.0, ratio, ratio, ratio, 0.0, "code")


def _conditions(
    builds: Sequence[Build],
    measures: Sequence[BuildMeasurement],
    measurements: dict[tuple[UUID, str], KindMeasurement],
) -> dict[UUID, str]:
    """Return the conditions of each build's measurements; for latency, the load."""
    texts = {row.build_id: row.conditions for row in measures}
    loads = load_texts([measurements.get((build.id, LATENCY)) for build in builds])
    of_load = {build.id: text for build, text in zip(builds, loads, strict=True)}
    return {build_id: "; ".join(part for part in (text, of_load[build_id]) if part) for build_id, text in texts.items()}


def is_muted(rules: dict[tuple[str, str], bool], kind: str, subject: str) -> bool:
    """Return whether a series is muted: by its own rule, else by that of its kind."""
    return rules.get((kind, subject), rules.get((kind, ""), False))


def _series(
    line: SeriesMatrix, rules: dict[tuple[str, str], bool], steps: Steps, *, largest_first: bool
) -> list[DrawnSeries]:
    order = range(len(line.subjects))
    if largest_first:
        weight = np.nan_to_num(np.nanmax(line.values, axis=1, initial=0.0))
        order = np.argsort(-weight, kind="stable")[:MOST_SERIES].tolist()
    chosen = list(order)
    counts = np.broadcast_to(line.counts, (len(chosen), len(line.counts)))
    found = shapes_in_many(line.values[chosen], spread=line.errors[chosen], counts=counts)
    drawn = []
    for number, seen in zip(chosen, found, strict=True):
        values, errors = line.values[number], line.errors[number]
        subject, known = line.subjects[number], int(np.isfinite(values).sum())
        changes = merge_known_change_points(values, seen.points, steps.get((line.kind, subject), ()))
        trend = _trend(values, seen, changes)
        after = changes[-1].index if changes else 0
        drawn.append(
            DrawnSeries(
                line.kind,
                subject,
                line.unit_of(subject),
                values,
                values - REACH * errors,
                values + REACH * errors,
                compute_levels(values, changes)
                if trend is None and (changes or known > LEAST_BUILDS_WITH_LEVEL)
                else np.full(len(values), np.nan),
                changes,
                trend,
                smallest_detectable(values[after:]),
                is_muted(rules, line.kind, subject),
            )
        )
    return drawn


def _trend(values: F64, seen: SeriesShape, changes: Sequence[ChangePoint]) -> DrawnTrend | None:
    if seen.trend is None or seen.slow is None:
        return None
    return DrawnTrend(seen.trend, compute_levels(values - seen.slow, changes) + seen.slow)


def merge_known_change_points(
    values: F64, seen: Sequence[ChangePoint], known: Sequence[ChangePoint]
) -> tuple[ChangePoint, ...]:
    """Return the change points detected in a series, and the known ones that are not near any of them.

    An evaluation uses all series of a service and earlier results: a single series may show less. The levels of known change
    points are those of these values.
    """
    changes = list(seen)
    for step in known:
        if not any(_is_same(step, each) for each in changes):
            changes.append(step)
    changes.sort(key=lambda each: each.index)
    levels = compute_levels(values, changes)
    out = []
    for change in changes:
        before, after = (float(levels[place]) for place in (max(change.index - 1, 0), change.index))
        is_seen = change in seen or not (np.isfinite(before) and np.isfinite(after))
        out.append(change if is_seen else replace(change, before=before, after=after))
    return tuple(out)


def _is_same(step: ChangePoint, other: ChangePoint) -> bool:
    """Return whether two change points are one. A fix soon after a regression is not the same change."""
    near = other.low_index - NEAR <= step.index <= other.high_index + NEAR
    return near and (step.index == other.index or (step.ratio > 1) == (other.ratio > 1))


def compute_levels(values: F64, changes: Sequence[ChangePoint]) -> F64:
    """Return [builds] the median of the values between one change and the next.

    NaN before the first value.
    """
    levels = np.full(len(values), np.nan)
    edges = [0, *(change.index for change in changes), len(values)]
    for first, last in pairwise(edges):
        known = values[first:last][np.isfinite(values[first:last])]
        if len(known):
            levels[first:last] = float(np.median(known))
    return levels


def list_mute_rules(session: ReadSession, service_id: ServiceId) -> Sequence[SeriesMuteRule]:
    """Return the mute rules of a service. Raises `ServiceNotFound`."""
    catalog.service(session, service_id)
    return queries.select_mute_rules(session, service_id)


def set_mute_rule(
    session: WriteSession, service_id: ServiceId, kind: str, subject: str, *, muted: bool
) -> SeriesMuteRule:
    """Create or replace a mute rule. Raises `ServiceNotFound`, `TooManyMuteRules`."""
    rules = list_mute_rules(session, service_id)
    row = next((rule for rule in rules if (rule.kind, rule.subject) == (kind, subject)), None)
    if row is None:
        if len(rules) >= MOST_WATCHED:
            raise TooManyMuteRules(
                "The service has reached the limit of mute rules.",
                limit=MOST_WATCHED,
                actual=len(rules),
                unit="rules",
                remedy="Mute a kind of series instead of single series.",
            )
        row = SeriesMuteRule(
            team_id=session.team_id, id=new_id(), service_id=service_id, kind=kind, subject=subject, muted=muted
        )
        session.add(row)
    row.muted = muted
    row.created_by = session.scope.user_id
    session.flush()  # the response needs the timestamp set by the database
    return row
