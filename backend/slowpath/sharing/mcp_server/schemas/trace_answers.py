"""What tools read from execution traces. Members that tools do not read are ignored."""

from pydantic import BaseModel


class Occupant(BaseModel):
    """What ran on the Ps while a goroutine waited."""

    kind: str
    group: str | None
    ns: int


class LongestWait(BaseModel):
    """One of the longest waits."""

    index: int
    goroutine: int
    start_ns: int
    duration_ns: int
    queue_ahead: int
    overtakes: int
    waker: str | None
    verdict: str
    occupancy: list[Occupant]
    block_stack: list[str]
    waker_stack: list[str]
    waiter: str


class TraceRead(BaseModel):
    """An execution trace."""

    worst: list[LongestWait]
