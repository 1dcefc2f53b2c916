"""Export a comparison as a file."""

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BlobKey, ComparisonId, ExportId, TeamId, new_id
from slowpath.core.jobs import enqueue
from slowpath.evidence.profiles.errors import ExportNotFound, ExportNotReady
from slowpath.verdicts.comparisons import queries
from slowpath.verdicts.comparisons.errors import ComparisonNotFinished
from slowpath.verdicts.comparisons.jobs import ExportComparison
from slowpath.verdicts.comparisons.rules import ComparisonState, ExportFormat
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.comparisons.tables import ComparisonExport


def create_export(
    session: WriteSession, comparison_id: ComparisonId, export_format: ExportFormat, kind: str | None
) -> ComparisonExport:
    """Create an export and enqueue its job. Raises `ComparisonNotFound`, `ComparisonNotFinished`."""
    comparison = comparisons.get_comparison(session, comparison_id)
    if comparison.state != ComparisonState.DONE:
        raise ComparisonNotFinished(
            f"The comparison is not finished: its state is {comparison.state}.", remedy="Wait until it is done."
        )
    export = ComparisonExport(
        team_id=session.team_id,
        id=new_id(),
        comparison_id=comparison_id,
        format=export_format,
        kind=kind,
        state=ComparisonState.WAITING,
        created_by=session.scope.user_id,
    )
    session.add(export)
    export.job_id = enqueue(session, ExportComparison(ExportId(export.id)))
    session.flush()  # the response needs the timestamp set by the database
    return export


def get_export(session: ReadSession, export_id: ExportId) -> ComparisonExport:
    """Return the export. Raises `ExportNotFound`."""
    row = queries.select_export(session, export_id)
    if row is None:
        raise ExportNotFound("The team has no export with this ID.")
    return row


def get_content_key(row: ComparisonExport) -> BlobKey:
    """Return the blob key of a finished export. Raises `ExportNotReady`."""
    if row.state != ComparisonState.DONE or row.blob_key is None:
        raise ExportNotReady(f"The export is not finished: its state is {row.state}.", remedy="Wait until it is done.")
    return BlobKey(row.blob_key)


def make_export_key(team_id: TeamId, export_id: ExportId) -> BlobKey:
    """Return the blob key of an export."""
    return BlobKey(f"{team_id}/exports/{export_id}")
