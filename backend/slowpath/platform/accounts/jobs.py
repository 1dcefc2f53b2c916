"""Jobs of accounts."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from slowpath.core.ids import TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class EraseTeam(Job):
    """Erase a deleted team: first its blobs (every key starts with its ID), then its rows, including this job's.

    `accounts.service.erase_team` deletes the rows. Until then the team is inaccessible.
    """

    name: ClassVar[str] = "accounts.erase-team"
    queue: ClassVar[Queue] = Queue.MIRROR
    subject_kind: ClassVar[str] = "team"

    team_id: TeamId


@dataclass(frozen=True)
class MailInvitation(Job):
    """Mail an invitation, with a link of its own, to the invited user."""

    name: ClassVar[str] = "accounts.mail-invitation"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    invitation_id: UUID


@dataclass(frozen=True)
class MailPasswordReset(Job):
    """Mail a password reset link. The job is created by `cross_team.create_password_reset`."""

    name: ClassVar[str] = "accounts.mail-password-reset"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    reset_id: UUID
