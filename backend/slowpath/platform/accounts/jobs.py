"""What accounts ask of the worker."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from slowpath.core.ids import TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class EraseTeam(Job):
    """Erase a deleted team: first its bytes (every blob key begins with its id), then its rows, this job's among them.

    The rows go by `accounts.service.erase_team`. Until then nobody can enter the team.
    """

    name: ClassVar[str] = "accounts.erase-team"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "team"

    team_id: TeamId


@dataclass(frozen=True)
class MailInvitation(Job):
    """Mail an invitation to whom it is meant for, with a link of its own."""

    name: ClassVar[str] = "accounts.mail-invitation"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    invitation_id: UUID


@dataclass(frozen=True)
class MailPasswordReset(Job):
    """Mail somebody who forgot their password a link to choose another. Written down by `cross_team.create_password_reset`."""

    name: ClassVar[str] = "accounts.mail-password-reset"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    reset_id: UUID
