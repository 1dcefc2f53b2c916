"""Jobs of budgets. None is requested by a user: lists of jobs leave them out."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import EnvironmentId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class EvaluateBudgets(Job):
    """Evaluate the latency budgets of an environment by its newest samples. Idempotent."""

    name: ClassVar[str] = "budgets.evaluate"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    environment_id: EnvironmentId
