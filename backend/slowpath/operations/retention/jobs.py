"""Jobs of retention."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class EnforceRetention(Job):
    """Delete expired data and orphaned blobs, and count the storage.

    Enqueued every six hours by `cross_team.enqueue_maintenance`, and when retention rules change.
    """

    name: ClassVar[str] = "retention.enforce"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId
