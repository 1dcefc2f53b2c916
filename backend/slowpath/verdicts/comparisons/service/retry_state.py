"""Mark comparisons, views and exports as waiting when their jobs are retried."""

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ComparisonId
from slowpath.core.jobs import JobRow
from slowpath.evidence.profiles.service.stored_exports import reset
from slowpath.verdicts.comparisons import queries
from slowpath.verdicts.comparisons.jobs import BuildDiffView
from slowpath.verdicts.comparisons.tables import ComparisonExport


def reset_comparison(session: WriteSession, job: JobRow) -> None:
    """Mark a failed comparison as waiting, and the failed views that its job computes."""
    row = queries.select_comparison(session, ComparisonId(job.subject_id))
    if row is None:
        return
    reset(row)
    for view in queries.select_views(session, [row.id]):
        if view.job_id is None:
            reset(view)


def reset_view(session: WriteSession, job: JobRow) -> None:
    """Mark the failed view of a job as waiting."""
    cut = BuildDiffView.from_payload(job.payload)
    reset(queries.select_view_by_key(session, cut.comparison_id, cut.kind, cut.sample_type, cut.granularity))


def reset_export(session: WriteSession, job: JobRow) -> None:
    """Mark the failed export of a job as waiting."""
    reset(session.get(ComparisonExport, (session.team_id, job.subject_id)))
