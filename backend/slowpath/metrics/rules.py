"""Pure decisions about samples: what is taken, what is too much, what is too early or too late."""

from typing import Final

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
LATE_MS: Final = 5 * 60_000
"""A sample received so long after its own time is late: it may change what somebody has already looked at."""
FUTURE_MS: Final = 10 * 60_000
"""How far the clock of a sender may be ahead of ours."""
