"""All data of a team in one file: ask for it, look at it, forget it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BlobKey, JobId, TeamId, new_id
from slowpath.core.jobs import JobRow, enqueue
from slowpath.operations.retention import queries
from slowpath.operations.retention.errors import TeamExportInProgress, TeamExportNotFound, TeamExportNotReady
from slowpath.operations.retention.jobs import ExportTeam
from slowpath.operations.retention.rules import EXPORT_DAYS, BlobFolder
from slowpath.operations.retention.tables import TeamExport
from slowpath.platform.jobs import service as work


def key_of(team_id: TeamId, export_id: UUID) -> BlobKey:
    """Return where an export lies."""
    return BlobKey(f"{team_id}/{BlobFolder.TEAM_EXPORTS}/{export_id}")


def create_team_export(session: WriteSession) -> TeamExport:
    """Write down an export and its job. Raises `TeamExportInProgress`."""
    queries.lock_exports(session)
    if queries.open_export(session) is not None:
        raise TeamExportInProgress("An export of this team is being made.", remedy="Wait for it, or delete it.")
    row = TeamExport(team_id=session.team_id, id=new_id(), state="waiting", created_by=session.scope.user_id)
    session.add(row)
    session.flush()  # the job is about it
    row.job_id = enqueue(session, ExportTeam(row.id))
    session.flush()  # whoever tells it needs the time the database gave it
    return row


def get_team_export(session: ReadSession, export_id: UUID) -> TeamExport:
    """Return an export. Raises `TeamExportNotFound`."""
    row = queries.export(session, export_id)
    if row is None:
        raise TeamExportNotFound("There is no such export in this team.", remedy="It may have expired: make another.")
    return row


def list_team_exports(session: ReadSession, *, after: tuple[datetime, UUID] | None, limit: int) -> Sequence[TeamExport]:
    """Return up to `limit` exports, newest first."""
    return queries.exports(session, after=after, limit=limit)


def content_key(row: TeamExport, now: datetime) -> BlobKey:
    """Return where its bytes lie. Raises `TeamExportNotReady`, `TeamExportNotFound` when its time is over."""
    if row.expires_at is not None and row.expires_at <= now:
        raise TeamExportNotFound("This export has expired.", remedy="Make another.")
    if row.state != "done" or row.blob_key is None:
        raise TeamExportNotReady(f"The export is {row.state}.", remedy="Wait until it is done.")
    return BlobKey(row.blob_key)


def mark_export_pending(session: WriteSession, job: JobRow) -> None:
    """Show an export whose job is due again as waiting."""
    row = queries.export(session, job.subject_id)
    if row is not None and row.state != "done":
        row.state, row.problem = "waiting", None


def record(session: WriteSession, export_id: UUID, *, size_bytes: int, sha256: str, counts: tuple[int, int]) -> bool:
    """Write down that an export is made; False if it was deleted meanwhile. `counts` are originals in it and missing."""
    row = queries.export(session, export_id)
    if row is None:
        return False
    row.state, row.problem = "done", None
    row.blob_key, row.size_bytes, row.sha256 = key_of(session.team_id, export_id), size_bytes, sha256
    row.files, row.missing = counts
    return True


def expire_after(row: TeamExport, now: datetime) -> None:
    """Set how long an export is kept."""
    row.expires_at = now + timedelta(days=EXPORT_DAYS)


def delete_team_export(session: WriteSession, row: TeamExport) -> BlobKey:
    """Delete an export, and end the job that makes it; returns where its bytes lie, to be removed after the commit."""
    if row.job_id is not None:
        work.abandon_job(session, JobId(row.job_id))
    session.delete(row)
    return key_of(session.team_id, row.id)


def delete_expired_exports(session: WriteSession, now: datetime) -> list[BlobKey]:
    """Delete the exports whose time is over; returns where their bytes lie."""
    return [delete_team_export(session, row) for row in queries.expired_exports(session, now)]
