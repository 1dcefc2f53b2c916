"""Export a comparison as a file."""

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ComparisonId, ExportId, new_id
from slowpath.evidence.profiles.service import stored_exports
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
    )
    return stored_exports.create_export(session, export, ExportComparison(ExportId(export.id)))


def get_export(session: ReadSession, export_id: ExportId) -> ComparisonExport:
    """Return the export. Raises `ExportNotFound`."""
    return stored_exports.get_export(session, ComparisonExport, export_id)
