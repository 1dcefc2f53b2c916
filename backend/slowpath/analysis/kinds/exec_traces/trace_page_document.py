"""The document of the page about execution traces: `slowpath.trace-comparison/2`.

Times are nanoseconds, of a trace since its first event. In the document of one trace, all of the candidate is None.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from typing_extensions import TypedDict

Format = Literal["slowpath.trace-comparison/2"]
FORMAT: Final[Format] = "slowpath.trace-comparison/2"
TraceSideName = Literal["base", "candidate"]
WaiterState = Literal["noise", "more", "less", "only-candidate", "only-base"]
BlockedReason = Literal["sync", "chan send", "syscall exit"]


@dataclass(frozen=True)
class UnreadableRange:
    """The end of a trace that could not be read: its bytes, its share of the file, and why."""

    bytes: int
    share: float
    after_ns: int
    message: str


@dataclass(frozen=True)
class TraceFacts:
    """One trace. `lost` is None if all of it was read; `artifact` is None in the document of one trace."""

    artifact: str | None
    name: str
    duration_ns: int
    gomaxprocs: int
    events: int
    header_version: str
    lost: UnreadableRange | None
    recording: str
    warnings: Sequence[str]
    cpu_samples: int
    wall_start_ns: int | None


@dataclass(frozen=True)
class TraceSide:
    """The traces of one side, and the waiting of all their goroutines."""

    label: str
    traces: Sequence[TraceFacts]
    duration_ns: int
    wakes_per_second: float
    wait_seconds_per_second: float
    requests_per_second: float | None
    wait_ns_per_request: float | None


@dataclass(frozen=True)
class TraceSides:
    """Both sides."""

    base: TraceSide | None
    candidate: TraceSide | None


@dataclass(frozen=True)
class SchedulerLatency:
    """The waits of one waiter on one side: counts, quantiles, and how often they exceed a threshold.

    `exceed_per_second` is by the threshold's name: `100us`, `1ms`, `10ms`. `hidden_p50_ns` and `hidden_p99_ns` are of
    the time that a message may have waited before the runtime polled the network.
    """

    waits: int
    waits_per_second: float
    total_ns: int
    censored: int
    handoffs: int
    p50_ns: int | None
    p90_ns: int | None
    p99_ns: int | None
    p999_ns: int | None
    p9999_ns: int | None
    max_ns: int
    exceed_per_second: Mapping[str, float]
    hidden_p50_ns: int | None
    hidden_p99_ns: int | None


@dataclass(frozen=True)
class LatencyRatio:
    """The ratio of a quantile (candidate / base) with its confidence interval."""

    ratio: float
    low: float
    high: float
    q_value: float | None


@dataclass(frozen=True)
class LatencyRatios:
    """The ratios of quantiles; None where the data do not reach."""

    p50: LatencyRatio | None
    p90: LatencyRatio | None
    p99: LatencyRatio | None
    p999: LatencyRatio | None


@dataclass(frozen=True)
class Waker:
    """A goroutine group that woke a waiter, and how often on each side."""

    group: str
    base: int
    candidate: int


@dataclass(frozen=True)
class WaiterRow:
    """One waiter: a goroutine group and its wake reason. A side without it is None."""

    waiter: str
    group: str
    reason: str
    system: bool
    base: SchedulerLatency | None
    candidate: SchedulerLatency | None
    share_of_wait_base: float
    share_of_wait_candidate: float
    change: LatencyRatios
    state: WaiterState
    verdict_base: str | None
    verdict_candidate: str | None
    start: str
    stack: Sequence[str]
    wakers: Sequence[Waker]


@dataclass(frozen=True)
class ShiftPoint:
    """One quantile `q` of a waiter's latency on both sides, and the bounds of its difference."""

    q: float
    base_ns: int | None
    candidate_ns: int | None
    low_ns: int | None
    high_ns: int | None


@dataclass(frozen=True)
class QuantileShift:
    """By how much each quantile of a waiter's latency changed."""

    waiter: str
    points: Sequence[ShiftPoint]


# The member `class` is a keyword of Python: these two cannot be dataclasses.
OccupancyPart = TypedDict(
    "OccupancyPart",
    {
        "class": str,
        "kind": str,
        "group": str | None,
        "base_share": float,
        "candidate_share": float,
        "base_ns_per_wait": float,
        "candidate_ns_per_wait": float,
        "low": float,
        "high": float,
        "new": bool,
    },
)
"""A part of the P occupancy while a waiter waited; `low` and `high` bound its change in ns per wait."""
WaitOccupant = TypedDict("WaitOccupant", {"class": str, "kind": str, "group": str | None, "ns": int})
"""What occupied the Ps during one wait, and for how long."""


@dataclass(frozen=True)
class OccupancyRow:
    """What ran on the Ps while a waiter waited: the largest parts, and the sum of the others."""

    waiter: str
    base_total_ns: int
    candidate_total_ns: int
    parts: Sequence[OccupancyPart]


@dataclass(frozen=True)
class BlockedEnder:
    """A function of a goroutine group that ended blocked time, and its share of it; "" is the kernel or the runtime."""

    group: str
    function: str
    share: float


@dataclass(frozen=True)
class BlockedRow:
    """Time in which a group was blocked on a lock, on a channel send or in a system call of one function.

    In nanoseconds per second, or per request. `subject` is its name in findings. `enders` are of the side with more of it.
    `is_tentative`: load, a lack of CPU or the variation of the traces may explain the change.
    """

    subject: str
    group: str
    reason: BlockedReason
    function: str
    base_ns: float
    candidate_ns: float | None
    change: LatencyRatio | None
    state: WaiterState
    enders: Sequence[BlockedEnder]
    is_tentative: bool = False


@dataclass(frozen=True)
class BlockedTime:
    """The places with the most blocked time, largest first; per request if both sides state their requests."""

    is_per_request: bool
    rows: Sequence[BlockedRow]


@dataclass(frozen=True)
class MutatorUtilization:
    """Minimum mutator utilization by window: mean over the traces of a side, least and most."""

    window_ns: Sequence[float]
    base: Sequence[float] | None
    base_low: Sequence[float] | None
    base_high: Sequence[float] | None
    candidate: Sequence[float] | None
    candidate_low: Sequence[float] | None
    candidate_high: Sequence[float] | None


@dataclass(frozen=True)
class StopTheWorld:
    """Pauses of one reason."""

    reason: str
    count: int
    p50_ns: int
    p99_ns: int
    max_ns: int
    total_ns: int


@dataclass(frozen=True)
class GroupAssist:
    """GC assist of a goroutine group, in ns per second."""

    group: str
    ns_per_second: float


@dataclass(frozen=True)
class GcSummary:
    """Garbage collection on one side; heap sizes in bytes, `cpu_fraction` of all processor time."""

    cycles_per_second: float
    cpu_fraction: float
    mark_wall_share: float
    idle_ns_per_second: float
    assist_ns_per_second: float
    stw: Sequence[StopTheWorld]
    assist_by_group: Sequence[GroupAssist]
    heap_live_max: int
    heap_goal_max: int
    allocated_bytes_per_second: float


@dataclass(frozen=True)
class GcSummaries:
    """Garbage collection on both sides."""

    base: GcSummary | None
    candidate: GcSummary | None


@dataclass(frozen=True)
class SeriesLevel:
    """A level over time: its mean and maximum in each bin."""

    mean: Sequence[float]
    max: Sequence[float]


@dataclass(frozen=True)
class TraceSeries:
    """States and counts of one trace over time; a count has one number per bin, a level two."""

    side: TraceSideName
    artifact: str | None
    name: str
    bin_ns: int
    duration_ns: int
    level: int
    columns: Mapping[str, Sequence[float] | SeriesLevel]


@dataclass(frozen=True)
class LongestWait:
    """One of the longest waits. `has_detail`: its timeline can be fetched in tiles."""

    side: TraceSideName
    artifact: str | None
    name: str
    index: int
    goroutine: int
    start_ns: int
    duration_ns: int
    queue_ahead: int
    overtakes: int
    waker: str | None
    waker_goroutine: int
    proc: int
    verdict: str
    occupancy: Sequence[WaitOccupant]
    block_stack: Sequence[str]
    waker_stack: Sequence[str]
    has_detail: bool
    waiter: str


@dataclass(frozen=True)
class TracePage:
    """The complete document. It contains only the largest rows, to stay below 1 MB compressed.

    `blocked` is None if a trace was decoded, or the document stored, by a version without blocked time.
    """

    format: Format
    sides: TraceSides
    groups: Sequence[WaiterRow]
    shift: Sequence[QuantileShift]
    occupancy: Sequence[OccupancyRow]
    mmu: MutatorUtilization
    gc: GcSummaries
    series: Sequence[TraceSeries]
    worst: Sequence[LongestWait]
    blocked: BlockedTime | None = None
