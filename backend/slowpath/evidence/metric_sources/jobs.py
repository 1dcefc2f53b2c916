"""Jobs on metric sources."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import MetricSourceId, TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class WatchFederatedServices(Job):
    """Detect change points and evaluate deployments of federated services; repeated while the team has any."""

    name: ClassVar[str] = "metric-sources.watch"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId


@dataclass(frozen=True)
class ImportHistory(Job):
    """Import the recognized metrics of a source in a time range. Importing again adds no duplicates."""

    name: ClassVar[str] = "metric-sources.import"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "metric_source"

    source_id: MetricSourceId
    from_ms: int
    to_ms: int
