"""Series over the builds of a service, as pages draw them; rules about which of them are told of."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.builds.lines import LineOfKind, lay_out
from slowpath.analysis.builds.loads import load_texts
from slowpath.analysis.builds.measures import Measure, unpack
from slowpath.analysis.series.change_points import ChangePoint, find_in_many
from slowpath.analysis.series.detectable import smallest_detectable
from slowpath.analysis.series.thresholds import DEFAULT_SERIES_THRESHOLDS
from slowpath.catalog import service as catalog
from slowpath.catalog.tables import Build
from slowpath.core.ids import RegressionId, ServiceId, new_id
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.regressions import queries
from slowpath.regressions.errors import TooManyWatched
from slowpath.regressions.rules import (
    LATENCY,
    LEAST_SHARE,
    MAIN_BRANCHES,
    MOST_BUILDS,
    MOST_SERIES,
    MOST_WATCHED,
    NO_BRANCH,
)
from slowpath.regressions.service import looking
from slowpath.regressions.tables import BuildJudgement, BuildMeasure, WatchedSeries

F64 = NDArray[np.float64]
LEAST_JUDGED = DEFAULT_SERIES_THRESHOLDS.least_builds
"""A level is drawn only where one could be told."""
REACH = 1.96
"""Standard errors of the interval that is drawn."""


@dataclass(frozen=True)
class PointOfLine:
    """One build of a line, and under what it was measured."""

    build: Build
    judgement: BuildJudgement
    conditions: str


@dataclass(frozen=True)
class DrawnSeries:
    """One series: values with their interval, levels without the noise, where it changed, and what it could show."""

    kind: str
    subject: str
    unit: str
    values: F64
    low: F64
    high: F64
    levels: F64
    changes: tuple[ChangePoint, ...]
    detectable: float
    muted: bool


@dataclass(frozen=True)
class Drawn:
    """Series over the same builds, oldest first."""

    branch: str
    branches: list[str]
    points: list[PointOfLine]
    series: list[DrawnSeries]


def of_regression(session: ReadSession, regression_id: RegressionId) -> Drawn:
    """Return the series of a regression: its own first. Raises `RegressionNotFound`."""
    row = looking.find(session, regression_id)
    wanted: dict[str, list[str]] = {}
    for member in [{"kind": row.kind, "subject": row.subject}, *row.members][:MOST_SERIES]:
        subjects = wanted.setdefault(str(member["kind"]), [])
        if member["subject"] not in subjects:
            subjects.append(str(member["subject"]))
    return _drawn(session, ServiceId(row.service_id), row.branch, wanted)


def of_service(session: ReadSession, service_id: ServiceId, branch: str | None, kind: str) -> Drawn:
    """Return the series of one kind of a service, the largest first. Raises `ServiceNotFound`."""
    catalog.service(session, service_id)
    chosen = main_branch(queries.branches(session, service_id)) if branch is None else branch
    return _drawn(session, service_id, chosen, {kind: None})


def main_branch(branches: dict[str, int]) -> str:
    """Return the branch that others come from: by its name, else that with most builds."""
    named = next((branch for branch in MAIN_BRANCHES if branch in branches), None)
    return named or max(branches, key=lambda branch: (branches[branch], branch), default=NO_BRANCH)


def _drawn(
    session: ReadSession, service_id: ServiceId, branch: str, wanted: dict[str, list[str]] | dict[str, None]
) -> Drawn:
    branches = queries.branches(session, service_id)
    rows = queries.line(session, service_id, branch, MOST_BUILDS)
    measures = queries.measures(session, [build.id for _, build in rows], list(wanted))
    held = {(row.build_id, row.kind): unpack(row.content) for row in measures}
    conditions = _conditions(rows, measures, held)
    rules = {(rule.kind, rule.subject): rule.muted for rule in queries.watched(session, service_id)}
    series: list[DrawnSeries] = []
    for kind, subjects in wanted.items():
        of_kind: list[Measure | None] = [held.get((build.id, kind)) for _, build in rows]
        line = lay_out(of_kind, least_share=LEAST_SHARE, only=subjects)
        if line is not None:
            series += _series(line, rules, largest_first=subjects is None)
    return Drawn(
        branch,
        sorted({*branches, branch}),
        [PointOfLine(build, judgement, conditions.get(build.id, "")) for judgement, build in rows],
        series[:MOST_SERIES],
    )


def _conditions(
    rows: Sequence[tuple[BuildJudgement, Build]],
    measures: Sequence[BuildMeasure],
    held: dict[tuple[UUID, str], Measure],
) -> dict[UUID, str]:
    """Under what each build was measured, by build; of latency under what load."""
    said = {row.build_id: row.conditions for row in measures}
    loads = load_texts([held.get((build.id, LATENCY)) for _, build in rows])
    of_load = {build.id: text for (_, build), text in zip(rows, loads, strict=True)}
    return {build_id: "; ".join(part for part in (text, of_load[build_id]) if part) for build_id, text in said.items()}


def is_muted(rules: dict[tuple[str, str], bool], kind: str, subject: str) -> bool:
    """Tell whether a series is not to be told of: by its own rule, else by that of its kind."""
    return rules.get((kind, subject), rules.get((kind, ""), False))


def _series(line: LineOfKind, rules: dict[tuple[str, str], bool], *, largest_first: bool) -> list[DrawnSeries]:
    order = range(len(line.subjects))
    if largest_first:
        weight = np.nan_to_num(np.nanmax(line.values, axis=1, initial=0.0))
        order = np.argsort(-weight, kind="stable")[:MOST_SERIES].tolist()
    chosen = list(order)
    found = find_in_many(line.values[chosen], spread=line.errors[chosen])
    drawn = []
    for number, changes in zip(chosen, found, strict=True):
        values, errors = line.values[number], line.errors[number]
        subject, known = line.subjects[number], int(np.isfinite(values).sum())
        after = changes[-1].index if changes else 0
        drawn.append(
            DrawnSeries(
                line.kind,
                subject,
                line.unit_of(subject),
                values,
                values - REACH * errors,
                values + REACH * errors,
                levels_of(values, changes) if known > LEAST_JUDGED else np.full(len(values), np.nan),
                changes,
                smallest_detectable(values[after:]),
                is_muted(rules, line.kind, subject),
            )
        )
    return drawn


def levels_of(values: F64, changes: Sequence[ChangePoint]) -> F64:
    """Return [builds] the median of the values between one change and the next; NaN before the first value."""
    levels = np.full(len(values), np.nan)
    edges = [0, *(change.index for change in changes), len(values)]
    for first, last in pairwise(edges):
        known = values[first:last][np.isfinite(values[first:last])]
        if len(known):
            levels[first:last] = float(np.median(known))
    return levels


def watched(session: ReadSession, service_id: ServiceId) -> Sequence[WatchedSeries]:
    """Return the rules of a service. Raises `ServiceNotFound`."""
    catalog.service(session, service_id)
    return queries.watched(session, service_id)


def watch(session: WriteSession, service_id: ServiceId, kind: str, subject: str, *, muted: bool) -> WatchedSeries:
    """Lay down a rule; one on the same series is replaced. Raises `ServiceNotFound`, `TooManyWatched`."""
    rules = watched(session, service_id)
    row = next((rule for rule in rules if (rule.kind, rule.subject) == (kind, subject)), None)
    if row is None:
        if len(rules) >= MOST_WATCHED:
            raise TooManyWatched(
                "The service has as many rules as it may.",
                limit=MOST_WATCHED,
                actual=len(rules),
                unit="rules",
                remedy="Make one rule of a whole kind instead.",
            )
        row = WatchedSeries(
            team_id=session.team_id, id=new_id(), service_id=service_id, kind=kind, subject=subject, muted=muted
        )
        session.add(row)
    row.muted = muted
    row.created_by = session.scope.user_id
    session.flush()  # whoever tells the rule needs the time the database gave it
    return row
