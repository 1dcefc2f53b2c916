"""What is to be done with sources, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import MetricSourceId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class ImportHistory(Job):
    """Bring what a source has of the usual names between two times. Doing it twice brings nothing twice."""

    name: ClassVar[str] = "metric-sources.import"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "metric_source"

    source_id: MetricSourceId
    from_ms: int
    to_ms: int
