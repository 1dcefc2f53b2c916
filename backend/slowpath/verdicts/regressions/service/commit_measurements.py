"""Measurements of one subject from the artifacts of a commit's builds."""

from dataclasses import dataclass
from functools import cache, partial
from uuid import UUID

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
from slowpath.verdicts.regressions.tables import BuildMeasurement


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
    """Measurements of a service's builds by commit: builds, measurements and artifacts of a commit are read once, for all kinds."""

    def __init__(self, session: ReadSession, service_id: ServiceId) -> None:
        """Prepare without reading."""
        self._session, self._service_id = session, service_id
        self._rows = cache(self._read)
        self._unpack = cache(unpack)
        self._files = cache(partial(_files, session))

    def find_measurement(self, commit: str, query: SubjectQuery) -> CommitMeasurement | None:
        """Return the measurement of the newest build that has one, with its artifacts; None without artifacts."""
        source = next((one for one, kinds in measured_kinds().items() if query.kind in kinds), None)
        for build, rows in self._rows(commit) if source is not None else ():
            row = rows.get(query.kind)
            found = _find_value(self._unpack(row.content), query.subject, query.unit) if row is not None else None
            files = self._files(BuildId(build.id), query.most).get(source or "", ()) if found is not None else ()
            if row is not None and found is not None and files:
                return CommitMeasurement(build, *found, row.conditions, files)
        return None

    def _read(self, commit: str) -> list[tuple[Build, dict[str, BuildMeasurement]]]:
        builds = catalog.builds_of_commit(self._session, self._service_id, commit)
        rows: dict[UUID, dict[str, BuildMeasurement]] = {one.id: {} for one in builds}
        for row in queries.select_measurements(self._session, list(rows)) if rows else ():
            rows[row.build_id][row.kind] = row
        return [(one, rows[one.id]) for one in builds]


def _files(session: ReadSession, build_id: BuildId, most: int) -> dict[str, tuple[Artifact, ...]]:
    """Return the newest artifacts of a build by kind, at most `most` of each, oldest first."""
    found: dict[str, list[Artifact]] = {}
    for one in queries.select_artifacts(session, build_id, list(measured_kinds()), most):
        found.setdefault(one.kind or "", []).append(one)
    return {kind: tuple(files) for kind, files in found.items()}


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
