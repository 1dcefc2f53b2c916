"""Pure decisions about execution traces."""

from enum import StrEnum


class ExcerptState(StrEnum):
    """Where a piece that is cut out of a trace stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


def is_inside(from_ns: int, to_ns: int, duration_ns: int) -> bool:
    """Tell whether a window holds some time, and some of it lies in the trace."""
    return 0 <= from_ns < to_ns and from_ns <= duration_ns
