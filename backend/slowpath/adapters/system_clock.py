"""The real clock: the one place that asks the machine what time it is."""

from datetime import UTC, datetime


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        """Return the time."""
        return datetime.now(UTC)
