"""The document of the page about span sets: `slowpath.spans-comparison/1`.

Times are nanoseconds. In the document of one set, all of the candidate is None. `low` and `high` are the bounds of a
confidence interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Format = Literal["slowpath.spans-comparison/1"]
FORMAT: Final[Format] = "slowpath.spans-comparison/1"
SpanSideName = Literal["base", "candidate"]
SpanRowState = Literal["noise", "more", "less", "only-candidate", "only-base"]


@dataclass(frozen=True)
class RootOperation:
    """An operation of root spans: how many, and quantiles of their durations."""

    op: str
    service: str
    n: int
    p50_ns: int
    p90_ns: int
    p99_ns: int


@dataclass(frozen=True)
class SpanSide:
    """The span sets of one side: counts, the time that they cover, and the most frequent root operations."""

    label: str
    artifacts: Sequence[str]
    traces: int
    spans: int
    seconds: float
    root_ops: Sequence[RootOperation]


@dataclass(frozen=True)
class SpanSides:
    """Both sides."""

    base: SpanSide | None
    candidate: SpanSide | None


@dataclass(frozen=True)
class SpanService:
    """A service: its spans, and quantiles of the spans through which requests enter it."""

    service: str
    spans: int
    errors: int
    p50_ns: int
    p99_ns: int


@dataclass(frozen=True)
class EdgeCalls:
    """Calls between two services on one side; `ratio` is calls per request."""

    calls: int
    requests: int
    ratio: float
    p99_ns: int
    errors: int


@dataclass(frozen=True)
class EdgeRow:
    """Calls from one service to another."""

    caller: str
    callee: str
    base: EdgeCalls | None
    candidate: EdgeCalls | None
    state: SpanRowState


@dataclass(frozen=True)
class GapSide:
    """The gaps of one edge on one side; `suspect` ones may come from clock skew and have no quantile."""

    n: int
    suspect: int
    p50_ns: int
    p90_ns: int
    p99_ns: int
    per_request_ns: float
    share: float


@dataclass(frozen=True)
class GapQuantileChange:
    """The change of one quantile of a gap; `low` and `high` bound the ratio."""

    ratio: float | None
    difference: float
    low: float | None
    high: float | None
    q_value: float | None


@dataclass(frozen=True)
class GapChange:
    """The change of a gap at `quantile`; None for an edge on one side only, whose whole time is compared."""

    quantile: float | None
    ratio: float | None
    difference: float
    low: float | None
    high: float | None
    q_value: float | None


@dataclass(frozen=True)
class GapChanges:
    """The changes of quantiles of a gap; None where too few values are beyond a quantile."""

    p50: GapQuantileChange | None
    p90: GapQuantileChange | None
    p99: GapQuantileChange | None


@dataclass(frozen=True)
class GapRow:
    """Gaps at one edge: an operation, and the children before and after. A `leaf` has no children."""

    edge: str
    service: str
    op: str
    previous: str
    next: str
    base: GapSide | None
    candidate: GapSide | None
    change: GapChange | None
    changes: GapChanges | None
    state: SpanRowState
    leaf: bool


@dataclass(frozen=True)
class CallPathShare:
    """A call path on the critical paths of one side: its time, how often it is called, and how long a call takes."""

    ns_per_request: float
    share: float
    calls_per_request: float
    mean_ns: float


@dataclass(frozen=True)
class CriticalPathRow:
    """A call path on the critical paths; `low` and `high` bound the difference in ns per request."""

    path: Sequence[str]
    service: str
    op: str
    base: CallPathShare | None
    candidate: CallPathShare | None
    low: float | None
    high: float | None
    state: SpanRowState


@dataclass(frozen=True)
class CallCounts:
    """Calls that one request makes on one side."""

    n: int
    calls: int
    mean: float
    p99: float
    max: int
    errors: int
    call_ns: float
    p99_ns: float


@dataclass(frozen=True)
class AmplificationRow:
    """Calls per request from an operation to a callee; `of` names what `low` and `high` bound."""

    edge: str
    caller: str
    op: str
    callee: str
    base: CallCounts | None
    candidate: CallCounts | None
    ratio: float | None
    low: float | None
    high: float | None
    of: Literal["ratio", "difference"]
    q_value: float | None
    state: SpanRowState


@dataclass(frozen=True)
class FanOutRow:
    """Parallel calls whose slowest one decides how long they take."""

    side: SpanSideName
    caller: str
    callee: str
    n: int
    spans: float
    callee_p99_ns: float
    expected_p99_ns: float
    observed_p99_ns: float
    share: float
    explains: bool


@dataclass(frozen=True)
class RepeatedCallsRow:
    """Retries, or sequential calls in a loop (N+1)."""

    side: SpanSideName
    caller: str
    callee: str
    spans: int
    traces: int
    mean: float
    max: int
    total_ns: int


@dataclass(frozen=True)
class AttributeRow:
    """An attribute whose value is more frequent among the slow requests."""

    key: str
    value: str
    slow_share: float
    fast_share: float
    q_value: float


@dataclass(frozen=True)
class SpanTraceRow:
    """One trace as a row: its root span, and its largest gap between calls."""

    trace_id: str
    root: str
    service: str
    start_ns: int
    duration_ns: int
    spans: int
    errors: int
    gap_ns: int


@dataclass(frozen=True)
class SlowTraceRow:
    """One of the slowest traces of a side."""

    artifact: str
    trace_id: str
    root: str
    service: str
    start_ns: int
    duration_ns: int
    spans: int
    errors: int
    gap_ns: int
    side: SpanSideName


@dataclass(frozen=True)
class SpansPage:
    """The complete document. It contains only the slowest traces, to stay below 1 MB."""

    format: Format
    sides: SpanSides
    services: Sequence[SpanService]
    edges: Sequence[EdgeRow]
    order: Sequence[str]
    gaps: Sequence[GapRow]
    critical: Sequence[CriticalPathRow]
    amplification: Sequence[AmplificationRow]
    fan_out: Sequence[FanOutRow]
    retries: Sequence[RepeatedCallsRow]
    n_plus_one: Sequence[RepeatedCallsRow]
    attributes: Sequence[AttributeRow]
    traces: Sequence[SlowTraceRow]
