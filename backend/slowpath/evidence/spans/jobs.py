"""Jobs on spans."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class MergeSpanPushes(Job):
    """Merge the spans pushed by a team's services into files, and delete expired files."""

    name: ClassVar[str] = "spans.merge-pushes"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId
