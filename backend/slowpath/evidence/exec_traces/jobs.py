"""What is to be done with execution traces, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import TraceCutId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class ExtractTraceExcerpt(Job):
    """Cut a piece out of a trace that Go's own tools can open."""

    name: ClassVar[str] = "execution-traces.extract-excerpt"
    queue: ClassVar[Queue] = Queue.DECODE
    subject_kind: ClassVar[str] = "trace_excerpt"

    cut_id: TraceCutId
