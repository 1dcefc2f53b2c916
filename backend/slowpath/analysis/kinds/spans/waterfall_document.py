"""The document of the page about one trace of spans: `slowpath.spans-trace/1`.

Times are nanoseconds since the first span of the trace began.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Format = Literal["slowpath.spans-trace/1"]
FORMAT: Final[Format] = "slowpath.spans-trace/1"


@dataclass(frozen=True)
class WaterfallEvent:
    """An event of a span."""

    at_ns: int
    name: str


@dataclass(frozen=True)
class WaterfallLink:
    """A link of a span to another trace."""

    trace_id: str
    span_id: str


@dataclass(frozen=True)
class WaterfallGap:
    """A gap in the self time of a span; `previous` and `next` are the children around it. `suspect`: clock skew."""

    start_ns: int
    end_ns: int
    previous: str
    next: str
    suspect: bool


@dataclass(frozen=True)
class WaterfallSpan:
    """One span; `parent` is a row of the document, `critical` its pieces (start, end) of the critical path."""

    id: str
    parent: int | None
    depth: int
    service: str
    instance: str
    op: str
    kind: str
    start_ns: int
    duration_ns: int
    status: str
    flags: Sequence[str]
    skew_ns: int
    attributes: Sequence[tuple[str, str]]
    events: Sequence[WaterfallEvent]
    links: Sequence[WaterfallLink]
    self_ns: int
    gaps: Sequence[WaterfallGap]
    critical: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class CriticalPathPiece:
    """A piece of the critical path: the row of its span, from start to end."""

    row: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class TraceWaterfall:
    """The whole document; `start_ns` is Unix time. Of `spans_total` spans it has the first in preorder."""

    format: Format
    trace_id: str
    start_ns: int
    duration_ns: int
    spans_total: int
    spans: Sequence[WaterfallSpan]
    critical_path: Sequence[CriticalPathPiece]
    services: Sequence[str]
