"""Jobs of gap explanations."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import ExplanationId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class ExplainGap(Job):
    """Find what a span's goroutine did in a gap, in the execution traces of its process."""

    name: ClassVar[str] = "gap-explanations.compute"
    queue: ClassVar[Queue] = Queue.DECODE
    subject_kind: ClassVar[str] = "explanation"

    explanation_id: ExplanationId
