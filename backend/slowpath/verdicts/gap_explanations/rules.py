"""Pure decisions about explanations of gaps."""

from dataclasses import dataclass
from enum import StrEnum


class ExplanationState(StrEnum):
    """Where an explanation stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class GapRef:
    """One gap of a set of spans: of which trace, and span and gap by their place in the trace's page."""

    trace_id: str
    span_number: int
    gap_number: int


def is_final(state: str, basis: str | None) -> bool:
    """Tell whether asking again would say the same: a goroutine was found, or one is being looked for.

    What could not be explained may be since, by a trace that came later.
    """
    return state in {ExplanationState.WAITING, ExplanationState.RUNNING} or (
        state == ExplanationState.DONE and basis in {"id", "clock"}
    )
