"""Pieces cut out of a trace: asked for, made by a job, taken away."""

from slowpath.core.ids import ArtifactId, BlobKey, TeamId, TraceCutId, new_id
from slowpath.core.jobs import JobRow, enqueue
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.traces import queries
from slowpath.traces.errors import CutNotFound, CutNotReady, WindowRefused
from slowpath.traces.jobs import CutTrace
from slowpath.traces.rules import CutState, is_inside
from slowpath.traces.service import reading
from slowpath.traces.tables import TraceCut


def ask(session: WriteSession, artifact_id: ArtifactId, from_ns: int, to_ns: int) -> TraceCut:
    """Have a piece cut out. Raises `TraceNotFound`, `WindowRefused`."""
    trace = reading.find(session, artifact_id)
    if not is_inside(from_ns, to_ns, trace.duration_ns):
        raise WindowRefused(
            "The window must begin inside the trace and end after it begins.",
            limit=trace.duration_ns,
            actual=from_ns,
            unit="nanoseconds",
            remedy="Times count from the first event of the trace.",
        )
    cut = TraceCut(
        team_id=session.team_id,
        id=new_id(),
        artifact_id=artifact_id,
        from_ns=from_ns,
        to_ns=to_ns,
        state=CutState.WAITING,
        created_by=session.scope.user_id,
    )
    session.add(cut)
    cut.job_id = enqueue(session, CutTrace(TraceCutId(cut.id)))
    session.flush()  # whoever tells the piece needs the time the database gave it
    return cut


def find(session: ReadSession, cut_id: TraceCutId) -> TraceCut:
    """Return the piece. Raises `CutNotFound`."""
    row = queries.cut(session, cut_id)
    if row is None:
        raise CutNotFound("There is no such piece in this team.")
    return row


def wait_again(session: WriteSession, job: JobRow) -> None:
    """Show a piece whose job is due again as waiting: its old failure must not look like the new one's."""
    row = queries.cut(session, TraceCutId(job.subject_id))
    if row is not None and row.state in (CutState.FAILED, CutState.CANCELLED):
        row.state = CutState.WAITING
        row.problem = None


def content_key(row: TraceCut) -> BlobKey:
    """Return where a finished piece lies. Raises `CutNotReady`."""
    if row.state != CutState.DONE or row.blob_key is None:
        raise CutNotReady(f"The piece is {row.state}.", remedy="Wait until it is done.")
    return BlobKey(row.blob_key)


def cut_key(team_id: TeamId, cut_id: TraceCutId) -> BlobKey:
    """Return where a piece lies."""
    return BlobKey(f"{team_id}/trace-cuts/{cut_id}")
