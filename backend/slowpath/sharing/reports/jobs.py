"""What reports ask of the worker."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import ReportId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class DeleteUnusedReportBlobs(Job):
    """Remove the bytes of a report that nothing refers to any more: `dropped` of them (SHA-256), or all if it is gone."""

    name: ClassVar[str] = "reports.delete-unused-blobs"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "report"

    report_id: ReportId
    dropped: list[str]
