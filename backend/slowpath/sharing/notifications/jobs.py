"""What is to be done with messages, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import MessageId, TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class DeliverNotification(Job):
    """Bring one message to where its channel ends; failures wait longer and longer, for days."""

    name: ClassVar[str] = "notifications.deliver"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "notification"

    message_id: MessageId


@dataclass(frozen=True)
class DeleteOldNotifications(Job):
    """Delete what was told long ago."""

    name: ClassVar[str] = "notifications.delete-old"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId
