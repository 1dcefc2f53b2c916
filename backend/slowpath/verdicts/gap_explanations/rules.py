"""Rules of gap explanations, without a database."""

from dataclasses import dataclass
from enum import StrEnum


class ExplanationState(StrEnum):
    """States of an explanation."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class GapRef:
    """One gap of a span set: the trace ID, and span and gap by their index on the page of the trace."""

    trace_id: str
    span_number: int
    gap_number: int


def is_final(state: str, basis: str | None) -> bool:
    """Return whether a repeated request would return the same: a goroutine was found, or the job is open.

    A gap that could not be explained may be explained by a trace uploaded later.
    """
    return state in {ExplanationState.WAITING, ExplanationState.RUNNING} or (
        state == ExplanationState.DONE and basis in {"id", "clock"}
    )
