"""The system clock: the only module that reads the current time."""

from datetime import UTC, datetime


class SystemClock:
    """The clock of this machine, in UTC."""

    def now(self) -> datetime:
        """Return the current time."""
        return datetime.now(UTC)
