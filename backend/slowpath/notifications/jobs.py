"""What is to be done with messages, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import MessageId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class Deliver(Job):
    """Bring one message to where its channel ends; failures wait longer and longer, for days."""

    name: ClassVar[str] = "notifications.deliver"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = "message"

    message_id: MessageId
