"""Rules of the compiler's evidence, without a database."""

from enum import StrEnum


class AssemblyState(StrEnum):
    """States of an assembly."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
