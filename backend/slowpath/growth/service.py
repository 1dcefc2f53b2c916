"""Verbs on stack-growth logs: writing down what the decoder counted, reading it."""

from collections.abc import Mapping, Sequence
from typing import Any

from slowpath.core.ids import ArtifactId
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.growth import queries
from slowpath.growth.tables import GrowthLog


def record(
    session: WriteSession, artifact_id: ArtifactId, counted: Mapping[str, Any], payers: Sequence[Mapping[str, Any]]
) -> GrowthLog:
    """Write down a decoded log from what its header counts; decoding again replaces it."""
    log = GrowthLog(
        team_id=session.team_id,
        id=artifact_id,
        dialect=counted["dialect"],
        rate=counted["rate"],
        sampled=counted["sampled"],
        total=counted["total"],
        duration_ns=counted["duration_ns"],
        payers=list(payers),
    )
    return session.merge(log)


def summary(counted: Mapping[str, Any], warnings: Sequence[str]) -> dict[str, Any]:
    """Return what an artifact says of its log in few numbers."""
    names = ("dialect", "rate", "sampled", "total", "duration_ns")
    return {**{name: counted[name] for name in names}, "warnings": list(warnings)}


def of_artifacts(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> dict[ArtifactId, GrowthLog]:
    """Return the decoded logs of these artifacts; those without one are absent."""
    return {ArtifactId(row.id): row for row in queries.logs(session, artifact_ids)}
