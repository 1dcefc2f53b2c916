"""Jobs of comparisons."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import ComparisonId, ExportId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class ComputeComparison(Job):
    """Compare the two sides and compute the first views."""

    name: ClassVar[str] = "comparisons.compute"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "comparison"

    comparison_id: ComparisonId


@dataclass(frozen=True)
class BuildDiffView(Job):
    """Compute one more view of a finished comparison."""

    name: ClassVar[str] = "comparisons.build-view"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "comparison"

    comparison_id: ComparisonId
    kind: str
    sample_type: str
    granularity: str


@dataclass(frozen=True)
class ExportComparison(Job):
    """Write an export file."""

    name: ClassVar[str] = "comparisons.export"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "export"

    export_id: ExportId
