"""Convert between milliseconds since 1970 and datetimes."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime.fromtimestamp(0, UTC)


def at_time(ms: int) -> datetime:
    """Return milliseconds since 1970 as a datetime."""
    return EPOCH + timedelta(milliseconds=ms)


def to_ms(at: datetime) -> int:
    """Return a datetime as milliseconds since 1970."""
    return (at - EPOCH) // timedelta(milliseconds=1)
