"""Jobs of example data."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import ExampleDataId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class AddExampleData(Job):
    """Add the example's services with their data to the team."""

    name: ClassVar[str] = "example-data.add"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "example-data"
    max_attempts: ClassVar[int] = 3

    example_id: ExampleDataId


@dataclass(frozen=True)
class RemoveExampleData(Job):
    """Delete the example's services with their data, and nothing else."""

    name: ClassVar[str] = "example-data.remove"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "example-data"

    example_id: ExampleDataId
