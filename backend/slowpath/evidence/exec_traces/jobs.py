"""Jobs on execution traces."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import TraceCutId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class ExtractTraceExcerpt(Job):
    """Extract an excerpt from a trace as a file that `go tool trace` opens."""

    name: ClassVar[str] = "execution-traces.extract-excerpt"
    queue: ClassVar[Queue] = Queue.DECODE
    subject_kind: ClassVar[str] = "trace_excerpt"

    cut_id: TraceCutId
