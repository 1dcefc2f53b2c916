"""What the files of a commit's builds measured of one subject."""

from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from slowpath.analysis.builds.build_measurements import KindMeasurement, unpack
from slowpath.analysis.builds.signature_value import NotMeasured, signature_value
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId, ServiceId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.service.build_measurements import MEASURED


@dataclass(frozen=True)
class SubjectQuery:
    """One subject, in this unit if it is known in it, and how many of the newest files that measured it."""

    kind: str
    subject: str
    unit: str
    most: int


@dataclass(frozen=True)
class CommitMeasurement:
    """One subject of one build: its value in `unit`, the standard error of it where several files tell one, and the files."""

    build: Build
    value: float
    error: float | None
    unit: str
    conditions: str
    """Under what was measured: machine, Go version, platform."""
    artifacts: tuple[Artifact, ...]
    """Those that are still there, oldest first."""


class CommitMeasurements:
    """What builds of commits of a service measured: read once, however many subjects are asked for."""

    def __init__(self, session: ReadSession, service_id: ServiceId) -> None:
        """Nothing is read yet."""
        self._session, self._service_id = session, service_id
        self._measures = cache(self._read)
        self._files = cache(partial(_files, session))

    def told(self, commit: str, wanted: SubjectQuery) -> CommitMeasurement | None:
        """Return what the newest build that measured it says, with its files; nothing where none is left."""
        source = next((one for one, kinds in MEASURED.items() if wanted.kind in kinds), None)
        for build, measure, conditions in self._measures(commit, wanted.kind) if source is not None else ():
            told = _told(measure, wanted.subject, wanted.unit)
            files = self._files(BuildId(build.id), source or "", wanted.most) if told is not None else ()
            if told is not None and files:
                return CommitMeasurement(build, *told, conditions, files)
        return None

    def _read(self, commit: str, kind: str) -> list[tuple[Build, KindMeasurement, str]]:
        builds = catalog.builds_of_commit(self._session, self._service_id, commit)
        held = {row.build_id: row for row in queries.measures(self._session, [one.id for one in builds], [kind])}
        return [(one, unpack(held[one.id].content), held[one.id].conditions) for one in builds if one.id in held]


def _files(session: ReadSession, build_id: BuildId, kind: str, most: int) -> tuple[Artifact, ...]:
    return tuple(queries.artifacts(session, build_id, [kind], most))


def _told(measure: KindMeasurement, subject: str, unit: str) -> tuple[float, float | None, str] | None:
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
