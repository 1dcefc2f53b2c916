"""Jobs of notifications."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import IssueId, MessageId, TeamId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class DeliverNotification(Job):
    """Deliver one notification to its channel; failures are retried with growing pauses, for days."""

    name: ClassVar[str] = "notifications.deliver"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "notification"

    message_id: MessageId


@dataclass(frozen=True)
class CreateIssue(Job):
    """Create the issue of a production event or regression at a code host."""

    name: ClassVar[str] = "notifications.create-issue"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "linked_issue"

    issue_id: IssueId


@dataclass(frozen=True)
class DeleteOldNotifications(Job):
    """Delete old notifications."""

    name: ClassVar[str] = "notifications.delete-old"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId
