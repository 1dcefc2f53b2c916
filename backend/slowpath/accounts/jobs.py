"""What accounts ask of the worker."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import TeamId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class EraseTeam(Job):
    """Erase a deleted team: first its bytes (every blob key begins with its id), then its rows, this job's among them.

    The rows go by `accounts.service.erase_team`. Until then nobody can enter the team.
    """

    name: ClassVar[str] = "accounts.erase_team"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "team"

    team_id: TeamId
