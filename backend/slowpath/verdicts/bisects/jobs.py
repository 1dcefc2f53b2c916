"""Jobs of bisects. All are idempotent: the rows hold the state."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import BisectId, BisectPreflightId, ProbeWindowId, RegressionId, ServiceId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class PlanBisect(Job):
    """Find the candidates between good and bad, and start the search."""

    name: ClassVar[str] = "bisects.plan"
    queue: ClassVar[Queue] = Queue.MIRROR
    subject_kind: ClassVar[str] = "bisect"

    bisect_id: BisectId


@dataclass(frozen=True)
class CheckBisectRange(Job):
    """Count what a request for a bisect would search."""

    name: ClassVar[str] = "bisects.check-range"
    queue: ClassVar[Queue] = Queue.MIRROR
    subject_kind: ClassVar[str] = "bisect-preflight"

    preflight_id: BisectPreflightId


@dataclass(frozen=True)
class StartAutomaticBisect(Job):
    """Start the bisect of a confirmed regression if its service allows it now."""

    name: ClassVar[str] = "bisects.start-automatic"
    queue: ClassVar[Queue] = Queue.BISECT
    subject_kind: ClassVar[str] = HOUSEKEEPING

    regression_id: RegressionId


@dataclass(frozen=True)
class ExpandCandidate(Job):
    """Expand a candidate: a merge or a dependency update."""

    name: ClassVar[str] = "bisects.expand-candidate"
    queue: ClassVar[Queue] = Queue.MIRROR
    subject_kind: ClassVar[str] = "bisect"

    bisect_id: BisectId
    candidate: str


@dataclass(frozen=True)
class AdvanceBisect(Job):
    """Apply the next step of a search, if there is one."""

    name: ClassVar[str] = "bisects.advance"
    queue: ClassVar[Queue] = Queue.BISECT
    subject_kind: ClassVar[str] = HOUSEKEEPING

    bisect_id: BisectId


@dataclass(frozen=True)
class ReadMeasurement(Job):
    """Read the value of a measurement from its artifacts once they are decoded."""

    name: ClassVar[str] = "bisects.read-measurement"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    window_id: ProbeWindowId
    bisect_id: BisectId


@dataclass(frozen=True)
class CompareCulprit(Job):
    """Compare the culprit with the build before it once their artifacts are decoded."""

    name: ClassVar[str] = "bisects.compare-culprit"
    queue: ClassVar[Queue] = Queue.BISECT
    subject_kind: ClassVar[str] = HOUSEKEEPING

    bisect_id: BisectId


@dataclass(frozen=True)
class MonitorBisect(Job):
    """Monitor an open bisect: expired leases, allowed hours, guardrail.

    Enqueues itself again while it is open.
    """

    name: ClassVar[str] = "bisects.monitor"
    queue: ClassVar[Queue] = Queue.BISECT
    subject_kind: ClassVar[str] = HOUSEKEEPING

    bisect_id: BisectId


@dataclass(frozen=True)
class PullRequestStarted(Job):
    """The measurement of a pull request begins: set a pending status."""

    name: ClassVar[str] = "bisects.notify-started"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    bisect_id: BisectId


@dataclass(frozen=True)
class MeasureOpenPullRequests(Job):
    """Ask the code host for the open pull requests of a service, and measure those that changed last."""

    name: ClassVar[str] = "bisects.measure-open-pull-requests"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    service_id: ServiceId


@dataclass(frozen=True)
class MeasureRefusedPullRequest(Job):
    """Measure the head of a pull request that was refused because the minutes of the day were used up."""

    name: ClassVar[str] = "bisects.measure-refused-pull-request"
    queue: ClassVar[Queue] = Queue.BISECT
    subject_kind: ClassVar[str] = HOUSEKEEPING

    bisect_id: BisectId


@dataclass(frozen=True)
class BisectFinished(Job):
    """A bisect has ended: notify once."""

    name: ClassVar[str] = "bisects.notify-finished"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    bisect_id: BisectId
