"""Artifacts uploaded by the probes of a bisect."""

from dataclasses import dataclass

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId
from slowpath.evidence.artifacts.service import artifacts as uploads
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.service.bisect_locks import get_bisect


@dataclass(frozen=True)
class ProbeArtifactTotals:
    """Number and bytes of artifacts, and how many more are in comparisons, which are not deleted."""

    files: int
    size_bytes: int
    compared: int


def count_probe_artifacts(session: ReadSession, bisect_id: BisectId) -> ProbeArtifactTotals:
    """Return the artifacts that can be deleted with a bisect. Raises `BisectNotFound`."""
    get_bisect(session, bisect_id)
    files, size_bytes, compared = queries.count_probe_artifacts(session, bisect_id)
    return ProbeArtifactTotals(files, size_bytes, compared)


def delete_probe_artifacts(session: WriteSession, bisect_id: BisectId) -> ProbeArtifactTotals:
    """Delete the artifacts of its probes except those in comparisons; return what was deleted."""
    totals = count_probe_artifacts(session, bisect_id)
    uploads.delete_artifacts(session, queries.select_probe_artifacts(session, bisect_id))
    return totals
