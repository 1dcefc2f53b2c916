"""What is to be done with spans, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class MergeSpanPushes(Job):
    """Put the spans that a team's services pushed together into files, and forget files whose time is over."""

    name: ClassVar[str] = "spans.merge-pushes"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId
