"""Remove the bytes that no report refers to any more."""

from slowpath.core.ids import BlobKey
from slowpath.sharing.reports.jobs import DeleteUnusedReportBlobs
from slowpath.sharing.reports.service import report_bundles, reports
from slowpath_worker.job_context import JobContext

__all__ = ["DeleteUnusedReportBlobs", "delete_unused_report_blobs"]


def delete_unused_report_blobs(job: DeleteUnusedReportBlobs, context: JobContext) -> None:
    """Remove what was dropped from a draft and is in no version, or all bytes of a report that is gone.

    The report is held meanwhile: who freezes the same page again waits, and then finds that the bytes are not there.
    """
    with context.finishing() as session:
        needed = reports.list_referenced_blobs(session, job.report_id)
        if needed is None:
            context.blobs.delete_under(reports.folder(context.team_id, job.report_id))
            return
        gone = [sha256 for sha256 in job.dropped if sha256 not in needed]
        context.blobs.delete([BlobKey(reports.blob_key(context.team_id, job.report_id, one)) for one in gone])
        context.blobs.delete_under(report_bundles.shared_folder(context.team_id, job.report_id))
