"""What is to be done with metrics, as values. Nobody asked for these jobs: they keep house."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class CompactMetricWal(Job):
    """Move the newest samples of a team from the tail into its packed hours."""

    name: ClassVar[str] = "metrics.compact"
    queue: ClassVar[Queue] = Queue.DECODE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId


@dataclass(frozen=True)
class DeleteExpiredSamples(Job):
    """Delete what is older than the team keeps."""

    name: ClassVar[str] = "metrics.delete-expired"
    queue: ClassVar[Queue] = Queue.DECODE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId


@dataclass(frozen=True)
class DetectChangePoints(Job):
    """Look for changes of latency in what came in since, and judge the deploys that are due."""

    name: ClassVar[str] = "metrics.detect-change-points"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId
