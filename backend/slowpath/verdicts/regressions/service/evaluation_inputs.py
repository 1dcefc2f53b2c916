"""Inputs of an evaluation: the builds of a history in order, their series, and known change points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from slowpath.analysis.builds.change_detection import I32, KnownChange
from slowpath.analysis.builds.load_bands import load_texts
from slowpath.analysis.builds.regression_groups import Key
from slowpath.analysis.builds.series_matrix import SeriesMatrix, lasting, lay_out
from slowpath.analysis.findings.build_measurements import KindMeasurement, unpack
from slowpath.analysis.kinds.registry import measurement_kinds
from slowpath.analysis.series.series_thresholds import DEFAULT_SERIES_THRESHOLDS
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.rules import LATENCY, LEAST_SHARE
from slowpath.verdicts.regressions.service.branch_history import HistoryPosition, load_branch_history
from slowpath.verdicts.regressions.service.build_series import is_muted
from slowpath.verdicts.regressions.service.known_change_points import select_known_change_points

LEAST_KNOWN = DEFAULT_SERIES_THRESHOLDS.least_builds


@dataclass(frozen=True)
class EvaluationInputs:
    """A build history: its builds in order, their series by kind, and known change points.

    `number`: position of each build.
    """

    service_id: ServiceId
    branch: str
    places: Sequence[HistoryPosition]
    number: Mapping[UUID, int]
    lines: Mapping[str, SeriesMatrix]
    conditions: Mapping[str, I32]
    known: Sequence[KnownChange]
    muted: frozenset[Key]

    def commit(self, index: int) -> str:
        """Return the commit of a build."""
        return self.places[index].build.commit

    def index_of(self, build_id: UUID | None) -> int | None:
        """Return the position of a build, or None if it is not in the history."""
        return None if build_id is None else self.number.get(build_id)

    def index_of_commit(self, commit: str | None) -> int | None:
        """Return the position of the newest build of a commit, or None."""
        places = enumerate(self.places)
        return max((number for number, place in places if place.build.commit == commit), default=None)


def load_evaluation_inputs(session: ReadSession, service_id: ServiceId, branch: str) -> EvaluationInputs:
    """Load the history of a branch: at most 200 builds with their measurements, by uq_build_measure_kind."""
    places = load_branch_history(session, service_id, branch)
    number = {place.build.id: index for index, place in enumerate(places)}
    evaluated = {kind: each for kind, each in measurement_kinds().items() if each.is_evaluated}
    rows = queries.select_measurements(session, list(number), list(evaluated))
    measurements = {(row.build_id, row.kind): unpack(row.content) for row in rows}
    texts_by_build = {(row.build_id, row.kind): row.conditions for row in rows}
    lines: dict[str, SeriesMatrix] = {}
    conditions: dict[str, I32] = {}
    for kind, measured in evaluated.items():
        measures = [measurements.get((place.build.id, kind)) for place in places]
        line = lay_out(measures, least_share=LEAST_SHARE)
        if line is not None and kind == LATENCY:
            line = lay_out(measures, least_share=LEAST_SHARE, only=lasting(line, LEAST_KNOWN))
        if line is not None and line.subjects and not (measured.needs_load and line.basis == "share"):
            lines[kind] = line
            conditions[kind] = _numbered(
                measurement_conditions([texts_by_build.get((place.build.id, kind)) for place in places], measures)
            )
    rules = {(rule.kind, rule.subject): rule.muted for rule in queries.select_mute_rules(session, service_id)}
    muted = frozenset(
        (kind, subject) for kind, line in lines.items() for subject in line.subjects if is_muted(rules, kind, subject)
    )
    known = select_known_change_points(session, service_id, branch, number)
    return EvaluationInputs(service_id, branch, places, number, lines, conditions, known, muted)


def measurement_conditions(
    texts_by_build: Sequence[str | None], measures: Sequence[KindMeasurement | None]
) -> list[str]:
    """Return [builds] the conditions of each measurement, with the load where it matters.

    An unmeasured build repeats the one before.
    """
    known = next((each for each in texts_by_build if each is not None), "")
    texts = []
    for each in texts_by_build:
        known = known if each is None else each
        texts.append(known)
    loads = load_texts(measures)
    return [", ".join(part for part in each if part) for each in zip(texts, loads, strict=True)]


def _numbered(texts: Sequence[str]) -> I32:
    """Return [texts] a number for each text; equal texts have equal numbers."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int32)
