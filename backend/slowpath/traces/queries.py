"""Every SELECT about execution traces."""

from collections.abc import Sequence

from sqlalchemy import select

from slowpath.core.ids import ArtifactId, TraceCutId
from slowpath.core.sessions import ReadSession
from slowpath.traces.tables import Trace, TraceCut


def trace(session: ReadSession, artifact_id: ArtifactId) -> Trace | None:
    """Return one trace, by primary key."""
    return session.get(Trace, (session.team_id, artifact_id))


def traces(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> Sequence[Trace]:
    """Return the traces of these artifacts, by primary key."""
    return session.scalars(select(Trace).where(Trace.id.in_(artifact_ids))).all()


def cut(session: ReadSession, cut_id: TraceCutId) -> TraceCut | None:
    """Return one piece, by primary key."""
    return session.get(TraceCut, (session.team_id, cut_id))


def cuts(session: ReadSession, artifact_id: ArtifactId) -> Sequence[TraceCut]:
    """Return all pieces of a trace, by ix_trace_cut_artifact."""
    return session.scalars(select(TraceCut).where(TraceCut.artifact_id == artifact_id)).all()
