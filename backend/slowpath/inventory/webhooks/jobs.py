"""What is to be done with hooks, as values."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import HookDeliveryId, HookId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class ProcessDelivery(Job):
    """Do what a message says. Doing it twice does nothing twice."""

    name: ClassVar[str] = "webhooks.process-delivery"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    delivery_id: HookDeliveryId


@dataclass(frozen=True)
class ReconcileDeliveries(Job):
    """Ask the sender which messages did not arrive, and have those sent again; do so again after a while."""

    name: ClassVar[str] = "webhooks.reconcile"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    hook_id: HookId
