"""Pure decisions about samples: what is taken, what is too much, what is too early or too late."""

from datetime import UTC, datetime
from typing import Final, NewType
from uuid import UUID

MetricRuleId = NewType("MetricRuleId", UUID)

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
RETENTION_DAYS: Final = 30
"""Unless the team says otherwise."""
FUTURE_MS: Final = 10 * 60_000
"""How far the clock of a sender may be ahead of ours."""
SERIES_PER_BLOCK: Final = 256
"""More would make one hour of one block too large to read for one series."""
MOST_SERVICES: Final = 500
"""So many services are made by themselves; more only by hand."""
MAX_PACKED_BYTES: Final = 4 << 20
MAX_UNPACKED_BYTES: Final = 8 << 20
"""A push is held in memory once as it came and once unpacked; senders keep theirs far below this."""
FOLD_AFTER_S: Final = 180.0
FOLD_ASK_MS: Final = 20_000
"""How often a process asks for a fold while samples come in."""
WATCH_AFTER_S: Final = 8.0
"""What is looked for in new samples waits for the rest of them: with FOLD_ASK_MS, a look every half minute at most."""
FOLD_SAMPLES: Final = 2_000_000
"""At once, in one job's memory."""
RETAIN_AFTER_S: Final = 6 * 3600.0
MONTHS_AHEAD: Final = 12
"""So many months have their partition before they begin."""

LATENCY_LOOKS_MIN: Final = (15, 30, 60, 120, 240, 480, 1440)
"""So many minutes after a deploy the latency of its build is measured (again), and when the deploy has ended."""


def measurable_until(began_ms: int, ended_ms: int | None, newest_ms: int) -> int | None:
    """Return until when the latency of a deploy can be measured by what has come in; None if it is too early."""
    last_ms = began_ms + LATENCY_LOOKS_MIN[-1] * 60_000
    if ended_ms is not None and ended_ms <= min(newest_ms, last_ms):
        return ended_ms if ended_ms - began_ms >= LATENCY_LOOKS_MIN[0] * 60_000 else None
    due = [began_ms + minutes * 60_000 for minutes in LATENCY_LOOKS_MIN if began_ms + minutes * 60_000 <= newest_ms]
    return max(due, default=None)


def iso(at_ms: float) -> str:
    """Return a time as people read it; of one beyond all calendars, its number."""
    try:
        return datetime.fromtimestamp(int(at_ms) // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{int(at_ms)} ms"
