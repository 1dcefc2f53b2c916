"""Measurements of one subject from the artifacts of a commit's builds."""

from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from slowpath.analysis.builds.signature_value import NotMeasured, signature_value
from slowpath.analysis.findings.build_measurements import KindMeasurement, unpack
from slowpath.analysis.kinds.registry import measured_kinds
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId, ServiceId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.regressions import queries


@dataclass(frozen=True)
class SubjectQuery:
    """One subject, its preferred unit, and at most how many of its newest artifacts."""

    kind: str
    subject: str
    unit: str
    most: int


@dataclass(frozen=True)
class CommitMeasurement:
    """One subject of one build: its value in `unit`, its standard error if known, and the artifacts."""

    build: Build
    value: float
    error: float | None
    unit: str
    conditions: str
    """Conditions of the measurement: machine, Go version, platform."""
    artifacts: tuple[Artifact, ...]
    """Artifacts that still exist, oldest first."""


class CommitMeasurements:
    """Measurements of a service's builds by commit; each row is read once."""

    def __init__(self, session: ReadSession, service_id: ServiceId) -> None:
        """Prepare without reading."""
        self._session, self._service_id = session, service_id
        self._measures = cache(self._read)
        self._files = cache(partial(_files, session))

    def find_measurement(self, commit: str, query: SubjectQuery) -> CommitMeasurement | None:
        """Return the measurement of the newest build that has one, with its artifacts; None without artifacts."""
        source = next((one for one, kinds in measured_kinds().items() if query.kind in kinds), None)
        for build, measure, conditions in self._measures(commit, query.kind) if source is not None else ():
            found = _find_value(measure, query.subject, query.unit)
            files = self._files(BuildId(build.id), source or "", query.most) if found is not None else ()
            if found is not None and files:
                return CommitMeasurement(build, *found, conditions, files)
        return None

    def _read(self, commit: str, kind: str) -> list[tuple[Build, KindMeasurement, str]]:
        builds = catalog.builds_of_commit(self._session, self._service_id, commit)
        rows = {
            row.build_id: row for row in queries.select_measurements(self._session, [one.id for one in builds], [kind])
        }
        return [(one, unpack(rows[one.id].content), rows[one.id].conditions) for one in builds if one.id in rows]


def _files(session: ReadSession, build_id: BuildId, kind: str, most: int) -> tuple[Artifact, ...]:
    return tuple(queries.select_artifacts(session, build_id, [kind], most))


def _find_value(measure: KindMeasurement, subject: str, unit: str) -> tuple[float, float | None, str] | None:
    try:
        value, found = signature_value([measure], measure.kind, subject, unit)
    except NotMeasured:
        return None
    if subject not in measure.subjects:
        return value, None, found
    place = measure.subjects.index(subject)
    errors = [
        float(one.error[place]) for one in measure.bases.values() if one.unit == found and np.isfinite(one.error[place])
    ]
    return value, errors[0] if errors else None, found
