"""Limits and pure rules of samples."""

from datetime import UTC, datetime
from typing import Final, NewType
from uuid import UUID

MetricRuleId = NewType("MetricRuleId", UUID)

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
RETENTION_DAYS: Final = 30
"""Default retention."""
FUTURE_MS: Final = 10 * 60_000
"""Maximum time of a sample after the server's clock."""
SERIES_PER_BLOCK: Final = 256
"""Limit of a series group: a larger chunk would be too slow to read for one series."""
MOST_SERVICES: Final = 500
"""Maximum number of services created automatically; more can be created manually."""
MAX_PACKED_BYTES: Final = 4 << 20
MAX_UNPACKED_BYTES: Final = 8 << 20
"""A push is in memory both compressed and decompressed. Usual senders stay far below this limit."""
COMPACT_AFTER_S: Final = 180.0
COMPACTION_INTERVAL_MS: Final = 20_000
"""Interval at which a process enqueues a compaction while it receives samples."""
DETECT_AFTER_S: Final = 8.0
"""Delay of detection, to wait for related samples: with COMPACTION_INTERVAL_MS, at most one scan per half minute."""
COMPACTION_SAMPLES: Final = 2_000_000
"""Maximum number of samples of one compaction or one job of roll-ups, held in memory."""
CLOSE_AFTER_MS: Final = 10 * 60_000
"""Time after the end of an hour when its pieces are joined; samples that come later are joined once more."""
ROLL_UP_HOURS: Final = 4
"""Hours that are added to roll-ups at once: fewer would write a roll-up more often, more would read more raw samples."""
ROLL_UP_SPANS: Final = {300_000: 24, 3_600_000: 96}
"""Hours of one roll-up by resolution (ms)."""
SAMPLES_READ_MAX: Final = 20_000_000
"""Maximum number of samples that one request reads."""
RETAIN_AFTER_S: Final = 6 * 3600.0
MONTHS_AHEAD: Final = 12
"""Number of months whose partitions are created in advance."""

LATENCY_LOOKS_MIN: Final = (15, 30, 60, 120, 240, 480, 1440)
"""Minutes after a deployment at which the latency of its build is measured; also when the deployment ends."""


def measurable_until(began_ms: int, ended_ms: int | None, newest_ms: int) -> int | None:
    """Return the end of the time in which the latency of a deployment can be measured now; None if it is too early."""
    last_ms = began_ms + LATENCY_LOOKS_MIN[-1] * 60_000
    if ended_ms is not None and ended_ms <= min(newest_ms, last_ms):
        return ended_ms if ended_ms - began_ms >= LATENCY_LOOKS_MIN[0] * 60_000 else None
    due = [began_ms + minutes * 60_000 for minutes in LATENCY_LOOKS_MIN if began_ms + minutes * 60_000 <= newest_ms]
    return max(due, default=None)


def hours_over(now_ms: int) -> tuple[int, int]:
    """Return the first hour (since 1970) whose pieces are not joined yet, and the first one that roll-ups do not have yet."""
    closed = (now_ms - CLOSE_AFTER_MS) // HOUR_MS
    return closed, closed // ROLL_UP_HOURS * ROLL_UP_HOURS


def iso(at_ms: float) -> str:
    """Return a time as text in UTC, or as a number if it is outside the calendar."""
    try:
        return datetime.fromtimestamp(int(at_ms) // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{int(at_ms)} ms"
