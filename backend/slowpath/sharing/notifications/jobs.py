"""Jobs of notifications."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import MessageId, TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class DeliverNotification(Job):
    """Deliver one notification to its channel; failures are retried with growing pauses, for days."""

    name: ClassVar[str] = "notifications.deliver"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "notification"

    message_id: MessageId


@dataclass(frozen=True)
class DeleteOldNotifications(Job):
    """Delete old notifications."""

    name: ClassVar[str] = "notifications.delete-old"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId
