"""What is to be done with builds and regressions, as values. Nobody asked for any of it: lists of jobs leave it out."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import BuildId, RegressionId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class EvaluateBuild(Job):
    """Measure a build by its decoded artifacts, and judge it. Doing it twice finds nothing left to do."""

    name: ClassVar[str] = "regressions.evaluate-build"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    build_id: BuildId


@dataclass(frozen=True)
class BuildEvaluated(Job):
    """What is known of a build has changed: whoever tells others of it is to look."""

    name: ClassVar[str] = "regressions.notify-build-evaluated"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    build_id: BuildId


@dataclass(frozen=True)
class RegressionOpened(Job):
    """A regression is confirmed: it may be told of, once."""

    name: ClassVar[str] = "regressions.notify-opened"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    regression_id: RegressionId


@dataclass(frozen=True)
class RegressionChanged(Job):
    """Something about a confirmed regression is otherwise: `what` names the event in its history."""

    name: ClassVar[str] = "regressions.notify-changed"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    regression_id: RegressionId
    what: str
