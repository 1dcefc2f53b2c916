"""Jobs of subscriptions."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import SubscriberMailId, UserId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class SendSubscriberMail(Job):
    """Mail one event to one subscriber at once."""

    name: ClassVar[str] = "subscriptions.send-mail"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    mail_id: SubscriberMailId


@dataclass(frozen=True)
class SendHeldMails(Job):
    """Mail what was held back for a user, in one mail. Each held mail has one job; the first sends all that are due."""

    name: ClassVar[str] = "subscriptions.send-held-mails"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    user_id: UserId
