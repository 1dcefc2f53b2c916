"""Create and get trace excerpts; a job extracts them."""

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, TeamId, TraceCutId, new_id
from slowpath.core.jobs import JobRow, enqueue
from slowpath.evidence.exec_traces import queries
from slowpath.evidence.exec_traces.errors import ExcerptNotFound, ExcerptNotReady, InvalidExcerptRange
from slowpath.evidence.exec_traces.jobs import ExtractTraceExcerpt
from slowpath.evidence.exec_traces.rules import ExcerptState, is_inside
from slowpath.evidence.exec_traces.service import execution_traces
from slowpath.evidence.exec_traces.tables import TraceExcerpt


def create_excerpt(session: WriteSession, artifact_id: ArtifactId, from_ns: int, to_ns: int) -> TraceExcerpt:
    """Create an excerpt and enqueue its job. Raises `ExecutionTraceNotFound`, `InvalidExcerptRange`."""
    trace = execution_traces.get_execution_trace(session, artifact_id)
    if not is_inside(from_ns, to_ns, trace.duration_ns):
        raise InvalidExcerptRange(
            "The time range must start inside the trace and end after its start.",
            limit=trace.duration_ns,
            actual=from_ns,
            unit="nanoseconds",
            remedy="Times count from the first event of the trace.",
        )
    cut = TraceExcerpt(
        team_id=session.team_id,
        id=new_id(),
        artifact_id=artifact_id,
        from_ns=from_ns,
        to_ns=to_ns,
        state=ExcerptState.WAITING,
        created_by=session.scope.user_id,
    )
    session.add(cut)
    cut.job_id = enqueue(session, ExtractTraceExcerpt(TraceCutId(cut.id)))
    session.flush()  # the response contains created_at, which the database sets
    return cut


def get_excerpt(session: ReadSession, cut_id: TraceCutId) -> TraceExcerpt:
    """Return an excerpt. Raises `ExcerptNotFound`."""
    row = queries.cut(session, cut_id)
    if row is None:
        raise ExcerptNotFound("There is no such excerpt in this team.")
    return row


def mark_excerpt_pending(session: WriteSession, job: JobRow) -> None:
    """Set an excerpt whose job is due again to waiting, so that its former error is not shown."""
    row = queries.cut(session, TraceCutId(job.subject_id))
    if row is not None and row.state in (ExcerptState.FAILED, ExcerptState.CANCELLED):
        row.state = ExcerptState.WAITING
        row.problem = None


def content_key(row: TraceExcerpt) -> BlobKey:
    """Return the blob key of a finished excerpt. Raises `ExcerptNotReady`."""
    if row.state != ExcerptState.DONE or row.blob_key is None:
        raise ExcerptNotReady(f"The excerpt is {row.state}.", remedy="Wait until it is done.")
    return BlobKey(row.blob_key)


def cut_key(team_id: TeamId, cut_id: TraceCutId) -> BlobKey:
    """Return the blob key of an excerpt."""
    return BlobKey(f"{team_id}/trace-cuts/{cut_id}")
