"""Rules of comparisons, without a database."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher
from slowpath.core.ids import EnvironmentId, ServiceId


class ComparisonState(StrEnum):
    """States of a comparison or an export."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ComparisonOrigin(StrEnum):
    """What created a comparison: a user, the evidence of a regression, or the evidence of a build."""

    MANUAL = "manual"
    REGRESSION = "regression"
    BUILD = "build"


LISTED_ORIGINS: Final = (ComparisonOrigin.MANUAL, ComparisonOrigin.REGRESSION)
"""Origins that are listed by default: every build has a comparison, which its page links."""


class Side(StrEnum):
    """The two sides; never before and after."""

    BASE = "base"
    CANDIDATE = "candidate"


class ExportFormat(StrEnum):
    """File formats of an export."""

    PPROF_BASE = "pprof-base"
    PPROF_CANDIDATE = "pprof-candidate"
    PPROF_DIFF = "pprof-diff"
    JSON = "json"
    CSV = "csv"


MAX_ARTIFACTS_A_SIDE = 200
"""Most artifacts per side: more hardly add precision, and memory grows with them."""

MAX_LABELS_A_SIDE = 5
"""Most label matchers per side."""

MAX_WINDOW_MS = 7 * 86_400_000
"""Longest time range: a week covers the daily and weekly cycles of a service."""
LATEST_MS = 4_102_444_800_000
"""Latest accepted time, the year 2100: rejects clocks that are not set."""


@dataclass(frozen=True)
class TimeRange:
    """A service's metrics in an environment between two times, in milliseconds since 1970."""

    service_id: ServiceId
    environment_id: EnvironmentId
    from_ms: int
    to_ms: int

    def overlaps(self, other: "TimeRange") -> bool:
        """Return whether both ranges can contain the same requests."""
        same = (self.service_id, self.environment_id) == (other.service_id, other.environment_id)
        return same and self.from_ms < other.to_ms and other.from_ms < self.to_ms

    def to_json(self) -> dict[str, Any]:
        """Return the time range as stored JSON."""
        return {
            "service_id": str(self.service_id),
            "environment_id": str(self.environment_id),
            "from_ms": self.from_ms,
            "to_ms": self.to_ms,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "TimeRange":
        """Return the time range of stored JSON."""
        service_id, environment_id = UUID(stored["service_id"]), UUID(stored["environment_id"])
        return cls(ServiceId(service_id), EnvironmentId(environment_id), stored["from_ms"], stored["to_ms"])


LabelMatchers = tuple[LabelMatcher, ...]


def format_label_matchers(matchers: LabelMatchers) -> list[dict[str, str | None]]:
    """Return label matchers as stored JSON."""
    return [{"key": each.key, "value": each.value} for each in matchers]


def parse_label_matchers(stored: dict[str, Any]) -> dict[Side, LabelMatchers]:
    """Return the label matchers of a comparison by side, from stored JSON; a side without any is absent."""
    return {Side(side): tuple(LabelMatcher(each["key"], each["value"]) for each in of) for side, of in stored.items()}


def parse_time_ranges(stored: dict[str, Any]) -> dict[Side, TimeRange]:
    """Return the time ranges of a comparison by side, from stored JSON."""
    return {Side(side): TimeRange.from_json(window) for side, window in stored.items()}
