"""Jobs of webhooks."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import HookDeliveryId, HookId, RepositoryId, ServiceId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class ProcessDelivery(Job):
    """Process a delivery. Idempotent."""

    name: ClassVar[str] = "webhooks.process-delivery"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    delivery_id: HookDeliveryId


@dataclass(frozen=True)
class ReconcileDeliveries(Job):
    """Request missed deliveries from the sender; repeats after a while."""

    name: ClassVar[str] = "webhooks.reconcile"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    hook_id: HookId


@dataclass(frozen=True)
class PullRequestChanged(Job):
    """A pull request of a service's repository was opened, got commits, or was closed. Idempotent."""

    name: ClassVar[str] = "webhooks.pull-request-changed"
    queue: ClassVar[Queue] = Queue.BISECT
    subject_kind: ClassVar[str] = HOUSEKEEPING

    service_id: ServiceId
    repository_id: RepositoryId
    number: int
