"""Record and get decoded stack-growth logs."""

from collections.abc import Sequence
from typing import Any

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import ColumnFileError
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_page import GrowthSet
from slowpath.analysis.kinds.growth_logs.growth_table import GrowthTable
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BlobKey
from slowpath.core.ports import BlobStore
from slowpath.evidence.artifacts.service import artifacts
from slowpath.evidence.growth_logs import queries
from slowpath.evidence.growth_logs.errors import GrowthLogNotFound, GrowthLogUnreadable
from slowpath.evidence.growth_logs.tables import GrowthLog


def record_growth_log(session: WriteSession, artifact_id: ArtifactId, table: GrowthTable, key: BlobKey) -> GrowthLog:
    """Record a decoded log; decoding again replaces it."""
    log = GrowthLog(
        team_id=session.team_id,
        id=artifact_id,
        dialect=table.dialect,
        rate=table.rate,
        sampled=table.sampled,
        total=table.total,
        duration_ns=table.duration_ns,
        columns_key=key,
    )
    return session.merge(log)


def summary(table: GrowthTable) -> dict[str, Any]:
    """Return the summary of a log for its artifact."""
    names = ("dialect", "rate", "sampled", "total", "duration_ns")
    return {**{name: getattr(table, name) for name in names}, "warnings": list(table.warnings)}


def get_growth_logs(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> dict[ArtifactId, GrowthLog]:
    """Return the decoded logs of these artifacts; artifacts without one are absent."""
    return {ArtifactId(row.id): row for row in queries.logs(session, artifact_ids)}


def list_growth_sets(session: ReadSession, blobs: BlobStore, artifact_ids: Sequence[ArtifactId]) -> list[GrowthSet]:
    """Return the logs of these artifacts grouped by commit or build, in the order given.

    Raises `ArtifactNotFound`, `GrowthLogNotFound`, `GrowthLogUnreadable`, `Unavailable`.
    """
    logs = get_growth_logs(session, artifact_ids)
    sets: dict[str, list[GrowthArtifact]] = {}
    for artifact in artifacts.get_artifacts(session, list(artifact_ids)):
        log = logs.get(ArtifactId(artifact.id))
        if log is None:
            raise GrowthLogNotFound(
                f"{artifact.name} is not a decoded stack-growth log.", remedy="Remove it from the selection."
            )
        facts = RunMetadata.from_json(artifact.run_metadata)
        label = facts.commit or (str(artifact.build_id) if artifact.build_id else artifact.name)
        table = _table(blobs, log, artifact.name)
        sets.setdefault(label, []).append(GrowthArtifact(artifact.name, table, facts))
    return [GrowthSet(label, tuple(of_set)) for label, of_set in sets.items()]


def _table(blobs: BlobStore, log: GrowthLog, name: str) -> GrowthTable:
    try:
        return GrowthTable.parse(blobs.read(BlobKey(log.columns_key)))
    except ColumnFileError as error:
        raise GrowthLogUnreadable(
            f"The decoded data of {name} is damaged: {error}.", remedy="Upload the file again."
        ) from error
