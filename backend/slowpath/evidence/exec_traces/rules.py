"""Pure rules of trace excerpts."""

from enum import StrEnum


class ExcerptState(StrEnum):
    """State of a trace excerpt."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


def is_inside(from_ns: int, to_ns: int, duration_ns: int) -> bool:
    """Return whether a time range is not empty and overlaps the trace."""
    return 0 <= from_ns < to_ns and from_ns <= duration_ns
