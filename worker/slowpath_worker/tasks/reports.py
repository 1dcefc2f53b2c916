"""Delete blobs that no report refers to."""

from slowpath.core.stored_blobs import mark_unused
from slowpath.sharing.reports.jobs import DeleteUnusedReportBlobs
from slowpath.sharing.reports.service import report_bundles, reports
from slowpath_worker.job_context import JobContext

__all__ = ["DeleteUnusedReportBlobs", "delete_unused_report_blobs"]


def delete_unused_report_blobs(job: DeleteUnusedReportBlobs, context: JobContext) -> None:
    """Delete blobs removed from a draft and unused by its versions, or all blobs of a deleted report.

    The report is locked meanwhile: a concurrent snapshot of the same page waits, and then stores the blobs again, which
    removes the marks.
    """
    with context.finishing() as session:
        needed = reports.list_referenced_blobs(session, job.report_id)
        if needed is None:
            mark_unused(session, [reports.folder(context.team_id, job.report_id)])
            return
        gone = [sha256 for sha256 in job.dropped if sha256 not in needed]
        unused: list[str] = [reports.blob_key(context.team_id, job.report_id, one) for one in gone]
        mark_unused(session, [*unused, report_bundles.shared_folder(context.team_id, job.report_id)])
