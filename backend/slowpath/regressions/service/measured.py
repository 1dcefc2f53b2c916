"""What the files of a commit's builds measured of one subject."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.builds.measures import unpack
from slowpath.analysis.builds.one_window import NotMeasured, signature_value
from slowpath.catalog import service as catalog
from slowpath.catalog.tables import Build
from slowpath.core.ids import BuildId, ServiceId
from slowpath.core.sessions import ReadSession
from slowpath.regressions import queries
from slowpath.regressions.service.measuring import MEASURED
from slowpath.regressions.tables import BuildMeasure
from slowpath.uploads.tables import Artifact


@dataclass(frozen=True)
class Wanted:
    """One subject, in this unit if it is known in it, and how many of the newest files that measured it."""

    kind: str
    subject: str
    unit: str
    most: int


@dataclass(frozen=True)
class OfCommit:
    """One subject of one build: its value in `unit`, the standard error of it where several files tell one, and the files."""

    build: Build
    value: float
    error: float | None
    unit: str
    conditions: str
    """Under what was measured: machine, Go version, platform."""
    artifacts: tuple[Artifact, ...]
    """Those that are still there, oldest first."""


def of_commit(session: ReadSession, service_id: ServiceId, commit: str, wanted: Wanted) -> OfCommit | None:
    """Return what the newest build of a commit that measured it says, with its files; nothing where none is left."""
    source = next((one for one, kinds in MEASURED.items() if wanted.kind in kinds), None)
    if source is None:
        return None
    builds = catalog.builds_of_commit(session, service_id, commit)
    held = {row.build_id: row for row in queries.measures(session, [one.id for one in builds], [wanted.kind])}
    for build in builds:
        row = held.get(build.id)
        told = None if row is None else _told(row, wanted.subject, wanted.unit)
        files = queries.artifacts(session, BuildId(build.id), [source], wanted.most) if told is not None else ()
        if row is not None and told is not None and files:
            return OfCommit(build, *told, row.conditions, tuple(files))
    return None


def _told(row: BuildMeasure, subject: str, unit: str) -> tuple[float, float | None, str] | None:
    measure = unpack(row.content)
    try:
        value, found = signature_value([measure], row.kind, subject, unit)
    except NotMeasured:
        return None
    if subject not in measure.subjects:
        return value, None, found
    place = measure.subjects.index(subject)
    errors: Sequence[float] = [
        float(one.error[place]) for one in measure.bases.values() if one.unit == found and np.isfinite(one.error[place])
    ]
    return value, errors[0] if errors else None, found
