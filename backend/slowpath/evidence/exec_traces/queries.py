"""SQL queries on execution traces and their excerpts."""

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, TraceCutId
from slowpath.evidence.exec_traces.tables import ExecutionTrace, TraceExcerpt


def trace(session: ReadSession, artifact_id: ArtifactId) -> ExecutionTrace | None:
    """Return one trace, by primary key."""
    return session.get(ExecutionTrace, (session.team_id, artifact_id))


def cut(session: ReadSession, cut_id: TraceCutId) -> TraceExcerpt | None:
    """Return one excerpt, by primary key."""
    return session.get(TraceExcerpt, (session.team_id, cut_id))
