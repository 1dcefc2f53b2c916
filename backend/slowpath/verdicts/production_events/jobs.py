"""Jobs of production events. None is requested by a user: lists of jobs leave them out."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import EnvironmentId, ProductionEventId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class UpdateProductionEvents(Job):
    """Open, confirm and close the production events of an environment by its newest samples. Idempotent."""

    name: ClassVar[str] = "production-events.update"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    environment_id: EnvironmentId


@dataclass(frozen=True)
class ProductionEventChanged(Job):
    """A confirmed production event was opened or changed: `what` is the kind of the entry of its history."""

    name: ClassVar[str] = "production-events.notify"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    event_id: ProductionEventId
    what: str
