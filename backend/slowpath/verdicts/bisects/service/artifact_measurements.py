"""Read the value of a measurement from its artifacts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.sets.profile_measurements import RESOURCE_MEASURES
from slowpath.analysis.kinds.registry import measured_kinds
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BisectId, ProbeWindowId
from slowpath.evidence.artifacts.errors import ArtifactNotFound
from slowpath.evidence.artifacts.service import artifacts as uploads
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.rules.latency_measurements import LATENCY
from slowpath.verdicts.bisects.service.bisect_locks import lock_bisect, publish_bisect_change
from slowpath.verdicts.bisects.tables import Bisect, ProbeMeasurement
from slowpath.verdicts.regressions.service.build_measurements import PendingBuildMeasurement

UNDECODED = frozenset({"received", "decoding"})


@dataclass(frozen=True)
class OtherMeasure:
    """A further measure of an experiment and the artifacts that contain it."""

    name: str
    kind: str
    subject: str
    asked: PendingBuildMeasurement


@dataclass(frozen=True)
class PendingArtifactMeasurement:
    """A measurement to read: the artifacts that hold the signature; `waits`: some are not decoded yet."""

    kind: str
    subject: str
    unit: str
    asked: PendingBuildMeasurement | None
    waits: bool
    problem: str | None
    others: tuple[OtherMeasure, ...] = ()
    """Of an experiment: what else its artifacts measure."""


def get_pending_measurement(
    session: ReadSession, window_id: ProbeWindowId, bisect_id: BisectId
) -> PendingArtifactMeasurement | None:
    """Return what to read of a measurement; None if it is complete or was deleted."""
    window, bisect = queries.select_measurement(session, window_id), queries.select_bisect(session, bisect_id)
    if window is None or bisect is None or has_result(window) or is_from_dashboard(bisect):
        return None
    kind = str(bisect.signature["kind"])
    source = next((one for one, kinds in measured_kinds().items() if kind in kinds), None)
    rows: list[Artifact] = []
    for one in window.artifact_ids:
        try:
            rows.append(uploads.get_artifact(session, ArtifactId(one)))
        except ArtifactNotFound:
            continue
    waits = any(row.state in UNDECODED for row in rows)
    mine = tuple(row for row in rows if row.state == "decoded" and row.kind == source)
    problem = None if mine or waits else _problem(rows, kind)
    facts = tuple(RunMetadata.from_json(row.run_metadata) for row in mine)
    asked = PendingBuildMeasurement(source, mine, facts, "", "") if mine and source is not None else None
    others = _other_measures(rows, (kind, str(bisect.signature["subject"]))) if bisect.experiment_of else ()
    return PendingArtifactMeasurement(
        kind, str(bisect.signature["subject"]), str(bisect.signature["unit"]), asked, waits, problem, others
    )


def _other_measures(rows: Sequence[Artifact], signature: tuple[str, str]) -> tuple[OtherMeasure, ...]:
    """Return the measures besides the signature that decoded artifacts contain."""
    found = []
    for name, kind, subject, stored in RESOURCE_MEASURES:
        mine = tuple(row for row in rows if row.state == "decoded" and row.kind == stored)
        if mine and (kind, subject) != signature:
            facts = tuple(RunMetadata.from_json(row.run_metadata) for row in mine)
            found.append(OtherMeasure(name, kind, subject, PendingBuildMeasurement(stored, mine, facts, "", "")))
    return tuple(found)


def is_from_dashboard(bisect: Bisect) -> bool:
    """Return whether measurements are read from dashboard metrics, not from artifacts."""
    return bool(bisect.signature["kind"] == LATENCY)


def has_result(window: ProbeMeasurement) -> bool:
    """Return whether a measurement has a value, a verdict or a problem."""
    return window.value is not None or window.verdict is not None or window.problem is not None


def _problem(rows: Sequence[Artifact], kind: str) -> str:
    if not rows:
        return "The artifacts of this measurement were deleted."
    refused = next((row.name for row in rows if row.state != "decoded"), None)
    if refused is not None:
        return f"Could not decode {refused}."
    return f"No artifact of this measurement contains {kind}."


def record_measurement_value(
    session: WriteSession,
    window_id: ProbeWindowId,
    bisect_id: BisectId,
    *,
    value: float | None = None,
    unit: str = "",
    problem: str | None = None,
    measures: Mapping[str, float] | None = None,
    requests: int | None = None,
) -> Bisect | None:
    """Record the value of a measurement, or why there is none; None if it is complete.

    The first value sets the unit.
    """
    bisect = lock_bisect(session, bisect_id)
    window = queries.select_measurement(session, window_id)
    if window is None or has_result(window):
        return None
    window.value, window.problem, window.requests = value, problem, requests
    window.measures = dict(measures) if measures else window.measures
    if value is not None and unit and unit != bisect.signature["unit"]:
        bisect.signature = {**bisect.signature, "unit": unit}
    session.flush()
    publish_bisect_change(session, bisect, step=True)
    return bisect
