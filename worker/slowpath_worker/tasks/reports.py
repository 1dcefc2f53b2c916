"""Delete blobs that no report refers to."""

from slowpath.core.ids import BlobKey
from slowpath.sharing.reports.jobs import DeleteUnusedReportBlobs
from slowpath.sharing.reports.service import report_bundles, reports
from slowpath_worker.job_context import JobContext

__all__ = ["DeleteUnusedReportBlobs", "delete_unused_report_blobs"]


def delete_unused_report_blobs(job: DeleteUnusedReportBlobs, context: JobContext) -> None:
    """Delete blobs removed from a draft and unused by its versions, or all blobs of a deleted report.

    The report is locked meanwhile: a concurrent snapshot of the same page waits, and then stores the blobs again.
    """
    with context.finishing() as session:
        needed = reports.list_referenced_blobs(session, job.report_id)
        if needed is None:
            context.blobs.delete_under(reports.folder(context.team_id, job.report_id))
            return
        gone = [sha256 for sha256 in job.dropped if sha256 not in needed]
        context.blobs.delete([BlobKey(reports.blob_key(context.team_id, job.report_id, one)) for one in gone])
        context.blobs.delete_under(report_bundles.shared_folder(context.team_id, job.report_id))
