"""What is to be done with mentions, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import DiscussionId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class MailMentions(Job):
    """Send those who were named in a discussion one mail each of all that they have not been told yet."""

    name: ClassVar[str] = "discussions.mail-mentions"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    discussion_id: DiscussionId
