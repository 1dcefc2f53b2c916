"""What is to be done for bisects, as values. The rows are the truth: done twice, each finds nothing left to do."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import BisectId, ProbeWindowId
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue


@dataclass(frozen=True)
class PlanBisect(Job):
    """Find the candidates between good and bad, and have the search begin."""

    name: ClassVar[str] = "bisects.plan"
    queue: ClassVar[Queue] = Queue.BISECT
    subject_kind: ClassVar[str] = "bisect"

    bisect_id: BisectId


@dataclass(frozen=True)
class ExpandCandidate(Job):
    """Look into a candidate that may hide others: a merge, a bump of versions."""

    name: ClassVar[str] = "bisects.expand-candidate"
    queue: ClassVar[Queue] = Queue.BISECT
    subject_kind: ClassVar[str] = "bisect"

    bisect_id: BisectId
    candidate: str


@dataclass(frozen=True)
class AdvanceBisect(Job):
    """Do what the search says next, if there is anything."""

    name: ClassVar[str] = "bisects.advance"
    queue: ClassVar[Queue] = Queue.BISECT
    subject_kind: ClassVar[str] = HOUSEKEEPING

    bisect_id: BisectId


@dataclass(frozen=True)
class ReadMeasurement(Job):
    """Read a window's value from its artifacts, as soon as they are decoded."""

    name: ClassVar[str] = "bisects.read-measurement"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = HOUSEKEEPING

    window_id: ProbeWindowId
    bisect_id: BisectId


@dataclass(frozen=True)
class MonitorBisect(Job):
    """Look after an open bisect: leases that ended, allowed hours, the guard. Asks for itself again while it is open."""

    name: ClassVar[str] = "bisects.monitor"
    queue: ClassVar[Queue] = Queue.BISECT
    subject_kind: ClassVar[str] = HOUSEKEEPING

    bisect_id: BisectId


@dataclass(frozen=True)
class BisectFinished(Job):
    """A bisect has ended: it may be told of, once."""

    name: ClassVar[str] = "bisects.notify-finished"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    bisect_id: BisectId
