"""Units of measure, as types. The lowest storey: it knows nothing of ours.

A number without a unit is a bug that has not happened yet. On the wire the unit stands in the name (`duration_ns`);
in Python it stands in the type, so that mypy refuses to add bytes to nanoseconds.
"""

from typing import NewType

Nanoseconds = NewType("Nanoseconds", int)
Microseconds = NewType("Microseconds", float)
Seconds = NewType("Seconds", float)
Bytes = NewType("Bytes", int)

NANOSECONDS_PER_MICROSECOND = 1_000
NANOSECONDS_PER_MILLISECOND = 1_000_000
NANOSECONDS_PER_SECOND = 1_000_000_000
MILLISECONDS_PER_MINUTE = 60_000


def seconds(duration: Nanoseconds) -> Seconds:
    """The same length of time in seconds."""
    return Seconds(duration / NANOSECONDS_PER_SECOND)
