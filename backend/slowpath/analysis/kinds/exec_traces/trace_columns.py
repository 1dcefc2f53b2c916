"""The columns of a decoded trace by section: name, type and the table that an index refers to."""

from dataclasses import dataclass
from typing import Annotated

from slowpath.analysis.formats.column_sections import F64, I32, I64, U8, U16, U32, U64, Column


@dataclass(frozen=True)
class FrameColumns:
    """Frames of stacks."""

    function: Annotated[U32, Column("u32", "strings")]
    file: Annotated[U32, Column("u32", "strings")]
    line: Annotated[I32, Column("i32")]


@dataclass(frozen=True)
class GoroutineGroupColumns:
    """Goroutine groups, by start function."""

    name: Annotated[U32, Column("u32", "strings")]
    start: Annotated[U32, Column("u32", "strings")]
    system: Annotated[U8, Column("u8")]
    goroutines: Annotated[U32, Column("u32")]
    running_ns: Annotated[I64, Column("i64")]
    runnable_ns: Annotated[I64, Column("i64")]
    syscall_ns: Annotated[I64, Column("i64")]
    waiting_ns: Annotated[I64, Column("i64")]
    assist_ns: Annotated[I64, Column("i64")]
    assist_wait_ns: Annotated[I64, Column("i64")]
    preemptions: Annotated[U32, Column("u32")]
    retakes: Annotated[U32, Column("u32")]
    created: Annotated[U32, Column("u32")]
    wakes: Annotated[U64, Column("u64")]
    run_p50_ns: Annotated[I64, Column("i64")]


@dataclass(frozen=True)
class WaiterColumns:
    """Waiters: goroutine groups that waited for a processor, by wake reason."""

    group: Annotated[U32, Column("u32", "groups")]
    reason: Annotated[U32, Column("u32", "strings")]
    waits: Annotated[U64, Column("u64")]
    total_ns: Annotated[I64, Column("i64")]
    max_ns: Annotated[I64, Column("i64")]
    censored_left: Annotated[U32, Column("u32")]
    censored_right: Annotated[U32, Column("u32")]
    censored_ns: Annotated[I64, Column("i64")]
    handoffs: Annotated[U32, Column("u32")]
    stack: Annotated[U32, Column("u32", "stacks")]
    verdict: Annotated[U32, Column("u32", "strings")]


@dataclass(frozen=True)
class WakerColumns:
    """Wakers of each waiter."""

    waiter: Annotated[U32, Column("u32", "waiters", former_name="victim")]
    group: Annotated[U32, Column("u32", "groups", or_none=True)]
    waits: Annotated[U64, Column("u64")]
    total_ns: Annotated[I64, Column("i64")]


@dataclass(frozen=True)
class WaitHistogramColumns:
    """Counts of waits by waiter, block of time and bucket of length, in this order."""

    waiter: Annotated[U32, Column("u32", "waiters", former_name="victim")]
    block: Annotated[U32, Column("u32", "blocks")]
    bucket: Annotated[U16, Column("u16", "buckets")]
    count: Annotated[U32, Column("u32")]


@dataclass(frozen=True)
class BlockedPlaceColumns:
    """Places where goroutines of a group were blocked on locks, on sends and in system calls, by who ended it."""

    group: Annotated[U32, Column("u32", "groups")]
    reason: Annotated[U32, Column("u32", "strings")]
    stack: Annotated[U32, Column("u32", "stacks")]
    waker_group: Annotated[U32, Column("u32", "groups", or_none=True)]
    waker_stack: Annotated[U32, Column("u32", "stacks")]


@dataclass(frozen=True)
class BlockedTimeColumns:
    """Blocked time of each place that ended in a block of time."""

    place: Annotated[U32, Column("u32", "blocked_places")]
    block: Annotated[U32, Column("u32", "blocks")]
    count: Annotated[U32, Column("u32")]
    ns: Annotated[I64, Column("i64")]


@dataclass(frozen=True)
class NetpollDelayColumns:
    """Netpoll delays, as counts by waiter and bucket."""

    waiter: Annotated[U32, Column("u32", "waiters", former_name="victim")]
    bucket: Annotated[U16, Column("u16", "buckets")]
    count: Annotated[U32, Column("u32")]


@dataclass(frozen=True)
class OccupantColumns:
    """What can occupy a processor: a kind, and for goroutines their group."""

    kind: Annotated[U8, Column("u8", "class_kinds")]
    group: Annotated[U32, Column("u32", "groups", or_none=True)]


@dataclass(frozen=True)
class OccupancyColumns:
    """Processor time of each occupant during the waits of each waiter, times the number waiting, per block."""

    waiter: Annotated[U32, Column("u32", "waiters", former_name="victim")]
    class_: Annotated[U32, Column("u32", "classes")]
    block: Annotated[U32, Column("u32", "occupancy_blocks")]
    ns: Annotated[F64, Column("f64")]


@dataclass(frozen=True)
class LongestWaitColumns:
    """The longest waits."""

    waiter: Annotated[U32, Column("u32", "waiters", former_name="victim")]
    goroutine: Annotated[U64, Column("u64")]
    start_ns: Annotated[I64, Column("i64")]
    end_ns: Annotated[I64, Column("i64")]
    overall: Annotated[U8, Column("u8")]
    queue_ahead: Annotated[U32, Column("u32")]
    overtakes: Annotated[U32, Column("u32")]
    waker_group: Annotated[U32, Column("u32", "groups", or_none=True)]
    waker_goroutine: Annotated[U64, Column("u64")]
    waker_stack: Annotated[U32, Column("u32", "stacks")]
    block_stack: Annotated[U32, Column("u32", "stacks")]
    proc: Annotated[U32, Column("u32")]
    verdict: Annotated[U32, Column("u32", "strings")]


@dataclass(frozen=True)
class LongestWaitOccupancyColumns:
    """Occupants of the processors during each of the longest waits.

    The times of one wait sum to its length.
    """

    class_: Annotated[U32, Column("u32", "classes")]
    ns: Annotated[F64, Column("f64")]


@dataclass(frozen=True)
class TimelineTileColumns:
    """Time ranges around the longest waits."""

    worst: Annotated[U32, Column("u32", "worst")]
    level: Annotated[U8, Column("u8")]
    start_ns: Annotated[I64, Column("i64")]
    end_ns: Annotated[I64, Column("i64")]


@dataclass(frozen=True)
class SegmentColumns:
    """What ran on each processor within the tiles."""

    proc: Annotated[U16, Column("u16")]
    start_ns: Annotated[I64, Column("i64")]
    end_ns: Annotated[I64, Column("i64")]
    class_: Annotated[U32, Column("u32", "classes")]
    goroutine: Annotated[U64, Column("u64")]
    merged: Annotated[U32, Column("u32")]


@dataclass(frozen=True)
class MarkPhaseColumns:
    """Phases of concurrent marking."""

    start_ns: Annotated[I64, Column("i64")]
    end_ns: Annotated[I64, Column("i64")]
    worker_ns: Annotated[I64, Column("i64")]
    assist_ns: Annotated[I64, Column("i64")]


@dataclass(frozen=True)
class StopTheWorldColumns:
    """Stop-the-world pauses."""

    start_ns: Annotated[I64, Column("i64")]
    end_ns: Annotated[I64, Column("i64")]
    reason: Annotated[U32, Column("u32", "strings")]
