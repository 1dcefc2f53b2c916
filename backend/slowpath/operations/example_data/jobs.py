"""Jobs of example data."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import ExampleDataId, TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


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


@dataclass(frozen=True)
class ExplainExampleGap(Job):
    """Request the explanation of the largest gap of a request, when the files of its set are decoded."""

    name: ClassVar[str] = "example-data.explain-gap"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId
    artifact_ids: list[str]
    """Of the set: spans, and the execution trace that was recorded with them."""
    trace: str
    """The ID of the trace that has the gap, as text."""
    service: str
    """Whose span as a server has the gap."""


@dataclass(frozen=True)
class DeleteExampleHistory(Job):
    """Delete what the removed example left in the activity feed, the event log and the job list."""

    name: ClassVar[str] = "example-data.delete-history"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId
    service_ids: list[str]
    subject_ids: list[str]
    """All that was deleted: services, builds, artifacts, comparisons and the rest."""
