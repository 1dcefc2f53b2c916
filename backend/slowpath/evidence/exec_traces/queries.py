"""SQL queries on execution traces and their excerpts."""

from collections.abc import Sequence

from sqlalchemy import select

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, TraceCutId
from slowpath.evidence.exec_traces.tables import ExecutionTrace, TraceExcerpt


def trace(session: ReadSession, artifact_id: ArtifactId) -> ExecutionTrace | None:
    """Return one trace, by primary key."""
    return session.get(ExecutionTrace, (session.team_id, artifact_id))


def traces(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> Sequence[ExecutionTrace]:
    """Return the traces of these artifacts, by primary key."""
    return session.scalars(select(ExecutionTrace).where(ExecutionTrace.id.in_(artifact_ids))).all()


def cut(session: ReadSession, cut_id: TraceCutId) -> TraceExcerpt | None:
    """Return one excerpt, by primary key."""
    return session.get(TraceExcerpt, (session.team_id, cut_id))
