"""The document that explains a gap: `slowpath.gap-explanation/2`.

Parts of it are the decoder's output (`gap-explain`), which leaves out members without a value: these are typed
dictionaries. Times of pieces and parts are nanoseconds since the gap began.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NotRequired

from typing_extensions import TypedDict

Format = Literal["slowpath.gap-explanation/2"]
FORMAT: Final[Format] = "slowpath.gap-explanation/2"
GoroutineState = Literal["running", "assist", "runnable", "blocked", "syscall", "unknown"]
ExplanationBasis = Literal["id", "clock", "no-goroutine", "nothing"]
"""How the goroutine was found: by the span's id in the trace, by the clock, not at all; or no trace could be read."""


class GapOccupant(TypedDict):
    """What ran on the Ps for `ns`; `group` is empty for what is not a goroutine group."""

    kind: str
    group: str
    ns: float


class GapFrame(TypedDict):
    """One frame of a stack."""

    function: str
    file: str
    line: int


class GapGoroutine(TypedDict):
    """A goroutine and its group."""

    id: int
    group: str


class GapWaker(TypedDict):
    """The goroutine that woke the span's goroutine, and where."""

    id: int
    group: str
    stack: list[GapFrame]


class GapPart(TypedDict):
    """A state of the goroutine over the gap; `occupancy` is of the Ps while it was runnable."""

    state: GoroutineState
    reason: str
    ns: int
    times: int
    occupancy: NotRequired[list[GapOccupant]]
    stack: NotRequired[list[GapFrame]]
    waker: NotRequired[GapWaker | None]


class GapPiece(TypedDict):
    """A state of the goroutine from one time to another."""

    from_ns: int
    to_ns: int
    state: GoroutineState
    reason: str


class GapGc(TypedDict):
    """Garbage collection during the gap."""

    mark_ns: int
    stop_ns: int
    cycles: int


class GapSample(TypedDict):
    """CPU samples of the goroutine on one stack."""

    count: int
    stack: list[GapFrame]


class TraceClock(TypedDict):
    """How the clock of the trace relates to that of the span."""

    snapshots: int
    drift_ns: int
    anchored: bool
    apart_ns: int | None


class GapAnswer(TypedDict):
    """The decoder's output about one gap; without an explanation it has only `basis` and `reason`."""

    basis: ExplanationBasis
    reason: NotRequired[str]
    gap_ns: NotRequired[int]
    trace_from_ns: NotRequired[int | None]
    clock: NotRequired[TraceClock]
    marks: NotRequired[int]
    hit: NotRequired[int]
    luck: NotRequired[float]
    rivals: NotRequired[int]
    goroutine: NotRequired[GapGoroutine | None]
    parts: NotRequired[list[GapPart]]
    pieces: NotRequired[list[GapPiece]]
    pieces_total: NotRequired[int]
    processors: NotRequired[list[GapOccupant]]
    procs: NotRequired[int]
    gc: NotRequired[GapGc]
    samples: NotRequired[list[GapSample]]


@dataclass(frozen=True)
class ExplainedGap:
    """The gap: its operation, and the children before and after."""

    service: str
    instance: str
    op: str
    previous: str
    next: str
    duration_ns: int


@dataclass(frozen=True)
class ExplainingTrace:
    """The execution trace that explains the gap; `from_ns` is where the gap begins in it."""

    artifact_id: str
    name: str
    from_ns: int | None


@dataclass(frozen=True)
class UnusedTrace:
    """A trace that was read and does not explain the gap, and why."""

    artifact_id: str
    name: str
    reason: str


@dataclass(frozen=True)
class GapExplanationDocument:
    """The complete document. It contains only the longest of `pieces_total` pieces."""

    format: Format
    basis: ExplanationBasis
    reason: str | None
    sentence: str
    gap: ExplainedGap
    trace: ExplainingTrace | None
    goroutine: GapGoroutine | None
    parts: Sequence[GapPart]
    pieces: Sequence[GapPiece]
    pieces_total: int
    processors: Sequence[GapOccupant]
    procs: int
    gc: GapGc
    samples: Sequence[GapSample]
    caveats: Sequence[str]
    looked: Sequence[UnusedTrace]
