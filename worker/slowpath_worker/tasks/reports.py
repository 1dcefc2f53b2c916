"""Remove the bytes that no report refers to any more."""

from slowpath.core.ids import BlobKey
from slowpath.reports.jobs import TidyReport
from slowpath.reports.service import packing, writing
from slowpath_worker.context import Context

__all__ = ["TidyReport", "tidy_report"]


def tidy_report(job: TidyReport, context: Context) -> None:
    """Remove what was dropped from a draft and is in no version, or all bytes of a report that is gone.

    The report is held meanwhile: who freezes the same page again waits, and then finds that the bytes are not there.
    """
    with context.finishing() as session:
        needed = writing.still_needed(session, job.report_id)
        if needed is None:
            context.blobs.delete_under(writing.folder(context.team_id, job.report_id))
            return
        gone = [sha256 for sha256 in job.dropped if sha256 not in needed]
        context.blobs.delete([BlobKey(writing.blob_key(context.team_id, job.report_id, one)) for one in gone])
        context.blobs.delete_under(packing.shared_folder(context.team_id, job.report_id))
