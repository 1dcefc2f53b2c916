"""Show what is due again as waiting: a job may be tried again by its own address, and its subject must not look failed."""

from typing import Any

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ComparisonId, ExportId
from slowpath.core.jobs import JobRow
from slowpath.verdicts.comparisons import queries
from slowpath.verdicts.comparisons.jobs import BuildDiffView
from slowpath.verdicts.comparisons.rules import ComparisonState, DiffViewState

ENDED_BADLY = (ComparisonState.FAILED, ComparisonState.CANCELLED)


def reset_comparison(session: WriteSession, job: JobRow) -> None:
    """Of a comparison with a result, the views that its job cuts; else itself."""
    row = queries.select_comparison(session, ComparisonId(job.subject_id))
    if row is None:
        return
    _wait(row)
    for view in queries.select_views(session, [row.id]):
        if view.job_id is None:
            _wait(view)


def reset_view(session: WriteSession, job: JobRow) -> None:
    """One view."""
    cut = BuildDiffView.from_payload(job.payload)
    row = queries.select_view_by_key(session, cut.comparison_id, cut.kind, cut.sample_type, cut.granularity)
    if row is not None:
        _wait(row)


def reset_export(session: WriteSession, job: JobRow) -> None:
    """One export."""
    row = queries.select_export(session, ExportId(job.subject_id))
    if row is not None:
        _wait(row)


def _wait(row: Any) -> None:  # noqa: ANN401 - comparison, view or export
    if row.state in ENDED_BADLY:
        row.state = DiffViewState.WAITING
        row.problem = None
