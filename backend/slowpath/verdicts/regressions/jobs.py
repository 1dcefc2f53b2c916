"""Jobs of builds and regressions. None is requested by a user: lists of jobs leave them out."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import BuildId, RegressionId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class EvaluateBuild(Job):
    """Measure a build from its decoded artifacts and evaluate it. Idempotent."""

    name: ClassVar[str] = "regressions.evaluate-build"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    build_id: BuildId


@dataclass(frozen=True)
class RefreshBuildComparison(Job):
    """Compare an evaluated build again: an earlier build got more evidence. Idempotent."""

    name: ClassVar[str] = "regressions.refresh-build-comparison"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    build_id: BuildId


@dataclass(frozen=True)
class BuildEvaluated(Job):
    """The verdict on a build changed: check whether to notify."""

    name: ClassVar[str] = "regressions.notify-build-evaluated"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    build_id: BuildId


@dataclass(frozen=True)
class RegressionOpened(Job):
    """A regression was confirmed: notify once."""

    name: ClassVar[str] = "regressions.notify-opened"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    regression_id: RegressionId


@dataclass(frozen=True)
class RegressionChanged(Job):
    """A confirmed regression changed: `what` is the kind of its event."""

    name: ClassVar[str] = "regressions.notify-changed"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    regression_id: RegressionId
    what: str
