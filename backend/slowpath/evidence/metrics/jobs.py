"""Maintenance jobs of metrics."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class CompactMetricWal(Job):
    """Compact the WAL records of a team into chunks."""

    name: ClassVar[str] = "metrics.compact"
    queue: ClassVar[Queue] = Queue.DECODE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId


@dataclass(frozen=True)
class RollUpMetrics(Job):
    """Join the pieces of hours that are over, and add the hours to the roll-ups of a team."""

    name: ClassVar[str] = "metrics.roll-up"
    queue: ClassVar[Queue] = Queue.DECODE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId


@dataclass(frozen=True)
class DeleteExpiredSamples(Job):
    """Delete the samples of a team that are older than its retention."""

    name: ClassVar[str] = "metrics.delete-expired"
    queue: ClassVar[Queue] = Queue.DECODE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId


@dataclass(frozen=True)
class DetectChangePoints(Job):
    """Detect change points in new samples, and evaluate the deployments that are due."""

    name: ClassVar[str] = "metrics.detect-change-points"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId
