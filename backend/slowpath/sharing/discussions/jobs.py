"""Jobs of discussions."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import DiscussionId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class MailMentions(Job):
    """Mail each mentioned user of a discussion once, with all comments not mailed yet."""

    name: ClassVar[str] = "discussions.mail-mentions"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    discussion_id: DiscussionId
