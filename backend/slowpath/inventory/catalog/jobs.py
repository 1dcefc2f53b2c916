"""What is to be done when something about a build is otherwise, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import BuildId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class BuildChanged(Job):
    """A build's facts or files are otherwise than they were: whoever measured it is to look again.

    `without` is the kind of a file that somebody took away from the build, "" if none was.
    """

    name: ClassVar[str] = "catalog.reevaluate-build"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    build_id: BuildId
    without: str = ""
