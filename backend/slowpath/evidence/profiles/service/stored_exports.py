"""Exports of any owner: create, read, record the file, reset for a retry."""

from typing import Any, Final, TypeVar
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BlobKey
from slowpath.core.jobs import Job, JobState, enqueue
from slowpath.evidence.profiles.errors import ExportNotFound, ExportNotReady
from slowpath.evidence.profiles.tables import StoredExport

RETRYABLE: Final = (JobState.FAILED, JobState.CANCELLED)
Export = TypeVar("Export", bound=StoredExport)


def create_export(session: WriteSession, export: Export, job: Job) -> Export:
    """Store a new export and enqueue its job."""
    export.created_by = session.scope.user_id
    session.add(export)
    export.job_id = enqueue(session, job)
    session.flush()  # the response needs the timestamp set by the database
    return export


def get_export(session: ReadSession, table: type[Export], export_id: UUID) -> Export:
    """Return an export. Raises `ExportNotFound`."""
    row = session.get(table, (session.team_id, export_id))
    if row is None:
        raise ExportNotFound("The team has no export with this ID.")
    return row


def get_content_key(row: StoredExport) -> BlobKey:
    """Return the blob key of a finished export. Raises `ExportNotReady`."""
    if row.state != JobState.DONE or row.blob_key is None:
        raise ExportNotReady(f"The export is not finished: its state is {row.state}.", remedy="Wait until it is done.")
    return BlobKey(row.blob_key)


def record_file(row: StoredExport, key: BlobKey, size_bytes: int, name: str, media_type: str) -> None:
    """Record the file of an export."""
    row.state, row.problem = JobState.DONE, None
    row.blob_key, row.size_bytes = key, size_bytes
    row.file_name, row.media_type = name, media_type


def reset(row: Any) -> None:  # noqa: ANN401 - set, comparison, view, export, or None
    """Mark a failed set, comparison, view or export as waiting: its job is retried."""
    if row is not None and row.state in RETRYABLE:
        row.state, row.problem = JobState.WAITING, None
