"""Units of measure, as types. The lowest storey: it knows nothing of ours.

A number carries its unit: on the wire in the name (`duration_ns`), in Python in the type, so that mypy rejects a
number of another unit.
"""

from typing import NewType

Nanoseconds = NewType("Nanoseconds", int)

NANOSECONDS_PER_SECOND = 1_000_000_000
MILLISECONDS_PER_SECOND = 1_000
MILLISECONDS_PER_MINUTE = 60_000
