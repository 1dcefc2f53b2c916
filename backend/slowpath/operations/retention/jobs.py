"""What is to be done about keeping, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class EnforceRetention(Job):
    """Delete what is older than the team keeps, remove bytes that no row needs, count what is left.

    Asked for every six hours by `cross_team.enqueue_maintenance`, and whenever what is kept changes.
    """

    name: ClassVar[str] = "retention.enforce"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId
