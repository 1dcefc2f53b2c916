"""Jobs of reports."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import ReportId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class DeleteUnusedReportBlobs(Job):
    """Delete unreferenced blobs of a report: `dropped` of them (SHA-256), or all if the report was deleted."""

    name: ClassVar[str] = "reports.delete-unused-blobs"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "report"

    report_id: ReportId
    dropped: list[str]
