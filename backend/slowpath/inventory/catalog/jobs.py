"""Jobs of the catalog."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import BuildId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class BuildChanged(Job):
    """A build's metadata or artifacts changed: evaluate it again.

    `without` is the kind of an artifact that was deleted from the build, "" if none was.
    """

    name: ClassVar[str] = "catalog.reevaluate-build"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    build_id: BuildId
    without: str = ""
