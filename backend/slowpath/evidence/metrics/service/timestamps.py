"""Milliseconds since 1970, as samples have them, and times, as rows have them."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime.fromtimestamp(0, UTC)


def at_time(ms: int) -> datetime:
    """Return the time of milliseconds since 1970."""
    return EPOCH + timedelta(milliseconds=ms)


def to_ms(at: datetime) -> int:
    """Return milliseconds since 1970."""
    return (at - EPOCH) // timedelta(milliseconds=1)
