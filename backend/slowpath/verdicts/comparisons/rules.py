"""Pure decisions about comparisons."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from slowpath.core.ids import EnvironmentId, ServiceId


class DiffViewState(StrEnum):
    """Where a view stands. `uncut`: nobody has looked at it yet, so nothing was done for it."""

    NOT_BUILT = "not-built"
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ComparisonState(StrEnum):
    """Where a comparison or an export stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Side(StrEnum):
    """The two sides; never before and after."""

    BASE = "base"
    CANDIDATE = "candidate"


class Granularity(StrEnum):
    """What one frame of a view is."""

    PACKAGE = "package"
    FUNCTION = "function"
    LINE = "line"


class ExportFormat(StrEnum):
    """What a comparison can be taken away as."""

    PPROF_BASE = "pprof-base"
    PPROF_CANDIDATE = "pprof-candidate"
    PPROF_DIFF = "pprof-diff"
    JSON = "json"
    CSV = "csv"


MAX_ARTIFACTS_A_SIDE = 200
"""Beyond this nothing more is learnt that would not show already; memory grows with it."""

MAX_WINDOW_MS = 7 * 86_400_000
"""A week holds every rhythm of a service once."""
LATEST_MS = 4_102_444_800_000
"""2100: what a clock that was never set says is no window."""


@dataclass(frozen=True)
class TimeRange:
    """A service's metrics in an environment between two times, in milliseconds since 1970."""

    service_id: ServiceId
    environment_id: EnvironmentId
    from_ms: int
    to_ms: int

    def overlaps(self, other: "TimeRange") -> bool:
        """Whether some of the same requests would lie in both."""
        same = (self.service_id, self.environment_id) == (other.service_id, other.environment_id)
        return same and self.from_ms < other.to_ms and other.from_ms < self.to_ms

    def to_json(self) -> dict[str, Any]:
        """What is stored."""
        return {
            "service_id": str(self.service_id),
            "environment_id": str(self.environment_id),
            "from_ms": self.from_ms,
            "to_ms": self.to_ms,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "TimeRange":
        """From what was stored."""
        service_id, environment_id = UUID(stored["service_id"]), UUID(stored["environment_id"])
        return cls(ServiceId(service_id), EnvironmentId(environment_id), stored["from_ms"], stored["to_ms"])


def windows_from(stored: dict[str, Any]) -> dict[Side, TimeRange]:
    """Return the windows of a comparison by side, from what was stored."""
    return {Side(side): TimeRange.from_json(window) for side, window in stored.items()}
