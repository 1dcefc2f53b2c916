"""Jobs of profile sets."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import ProfileExportId, ProfileSetId, ProfileViewId
from slowpath.core.jobs import Job, Priority, Queue


@dataclass(frozen=True)
class OpenProfileSet(Job):
    """Read the profiles of a set and compute its first view."""

    name: ClassVar[str] = "profile-sets.open"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "profile_set"

    set_id: ProfileSetId


@dataclass(frozen=True)
class BuildProfileView(Job):
    """Compute one more view of a set."""

    name: ClassVar[str] = "profile-sets.build-view"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "profile_set"

    set_id: ProfileSetId
    view_id: ProfileViewId


@dataclass(frozen=True)
class StoreRemainingChunks(Job):
    """Compute the chunks after the first of a large view, whose first ones can be read already."""

    name: ClassVar[str] = "profile-sets.store-remaining-chunks"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "profile_set"
    most_urgent: ClassVar[Priority] = Priority.DERIVED

    set_id: ProfileSetId
    view_id: ProfileViewId


@dataclass(frozen=True)
class ExportProfileSet(Job):
    """Write an export file of a set."""

    name: ClassVar[str] = "profile-sets.export"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "profile_export"

    export_id: ProfileExportId
