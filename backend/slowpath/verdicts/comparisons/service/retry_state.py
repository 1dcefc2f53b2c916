"""Mark comparisons, views and exports as waiting when their jobs are retried."""

from typing import Any

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ComparisonId, ExportId
from slowpath.core.jobs import JobRow
from slowpath.evidence.profiles.rules import ViewState
from slowpath.verdicts.comparisons import queries
from slowpath.verdicts.comparisons.jobs import BuildDiffView
from slowpath.verdicts.comparisons.rules import ComparisonState

RETRYABLE = (ComparisonState.FAILED, ComparisonState.CANCELLED)


def reset_comparison(session: WriteSession, job: JobRow) -> None:
    """Mark a failed comparison as waiting, and the failed views that its job computes."""
    row = queries.select_comparison(session, ComparisonId(job.subject_id))
    if row is None:
        return
    _reset(row)
    for view in queries.select_views(session, [row.id]):
        if view.job_id is None:
            _reset(view)


def reset_view(session: WriteSession, job: JobRow) -> None:
    """Mark the failed view of a job as waiting."""
    cut = BuildDiffView.from_payload(job.payload)
    row = queries.select_view_by_key(session, cut.comparison_id, cut.kind, cut.sample_type, cut.granularity)
    if row is not None:
        _reset(row)


def reset_export(session: WriteSession, job: JobRow) -> None:
    """Mark the failed export of a job as waiting."""
    row = queries.select_export(session, ExportId(job.subject_id))
    if row is not None:
        _reset(row)


def _reset(row: Any) -> None:  # noqa: ANN401 - comparison, view or export
    if row.state in RETRYABLE:
        row.state = ViewState.WAITING
        row.problem = None
