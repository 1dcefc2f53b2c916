"""Take a comparison away as a file."""

from slowpath.comparisons import queries
from slowpath.comparisons.errors import ComparisonNotDone, ExportNotFound, ExportNotReady
from slowpath.comparisons.jobs import MakeExport
from slowpath.comparisons.rules import ComparisonState, ExportFormat
from slowpath.comparisons.service import asking
from slowpath.comparisons.tables import Export
from slowpath.core.ids import BlobKey, ComparisonId, ExportId, TeamId, new_id
from slowpath.core.jobs import enqueue
from slowpath.core.sessions import ReadSession, WriteSession


def ask(session: WriteSession, comparison_id: ComparisonId, wanted: ExportFormat, kind: str | None) -> Export:
    """Have a file made. Raises `ComparisonNotFound`, `ComparisonNotDone`."""
    comparison = asking.find(session, comparison_id)
    if comparison.state != ComparisonState.DONE:
        raise ComparisonNotDone(f"The comparison is {comparison.state}.", remedy="Wait until it is done.")
    export = Export(
        team_id=session.team_id,
        id=new_id(),
        comparison_id=comparison_id,
        format=wanted,
        kind=kind,
        state=ComparisonState.WAITING,
        created_by=session.scope.user_id,
    )
    session.add(export)
    export.job_id = enqueue(session, MakeExport(ExportId(export.id)))
    session.flush()  # whoever tells the export needs the time the database gave it
    return export


def find(session: ReadSession, export_id: ExportId) -> Export:
    """Return the export. Raises `ExportNotFound`."""
    row = queries.export(session, export_id)
    if row is None:
        raise ExportNotFound("There is no such export in this team.")
    return row


def content_key(row: Export) -> BlobKey:
    """Return where a finished export lies. Raises `ExportNotReady`."""
    if row.state != ComparisonState.DONE or row.blob_key is None:
        raise ExportNotReady(f"The export is {row.state}.", remedy="Wait until it is done.")
    return BlobKey(row.blob_key)


def export_key(team_id: TeamId, export_id: ExportId) -> BlobKey:
    """Return where an export lies."""
    return BlobKey(f"{team_id}/exports/{export_id}")
