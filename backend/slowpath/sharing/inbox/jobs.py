"""Jobs of the inbox."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import SubscriptionId, TeamEventId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class MailSubscriber(Job):
    """Mail one event to one subscriber of its service."""

    name: ClassVar[str] = "inbox.mail-subscriber"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    subscription_id: SubscriptionId
    event_id: TeamEventId
