"""One decoded execution trace as tables of columns.

Waits for a processor, and the P occupancy meanwhile. Reads what `slowpath-decode trace` writes. The file is validated
once here (indices within their tables, ascending offsets, blocks within the trace), so that later code may index
without checks. Times are nanoseconds since the trace's first event.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slowpath.analysis.formats.column_file import Array, ColumnFile, ColumnFileError, read_columns
from slowpath.analysis.formats.column_sections import (
    F64,
    I64,
    NONE,
    U32,
    U64,
    check_ends,
    check_offsets,
    check_section,
    make_empty_section,
    read_section,
)
from slowpath.analysis.kinds.exec_traces import trace_columns
from slowpath.analysis.kinds.exec_traces.duration_buckets import BUCKETS
from slowpath.analysis.kinds.exec_traces.trace_header import TraceHeader, parse_trace_header
from slowpath.analysis.kinds.profiles.decoded.profile_table import StringTable

FORMAT = "slowpath.trace"
LEVEL_PARTS = ("mean", "min", "max")


@dataclass(frozen=True)
class TraceTable:
    """One decoded trace. Stack 0 is empty; the group NONE is the runtime."""

    header: TraceHeader
    strings: StringTable
    frames: trace_columns.FrameColumns
    stack_offset: U32
    stack_frame: U32
    groups: trace_columns.GoroutineGroupColumns
    waiters: trace_columns.WaiterColumns
    wakers: trace_columns.WakerColumns
    histogram: trace_columns.WaitHistogramColumns
    netpoll: trace_columns.NetpollDelayColumns
    blocked: trace_columns.BlockedPlaceColumns
    blocked_time: trace_columns.BlockedTimeColumns
    has_blocked_time: bool
    """False for traces that an earlier version decoded."""
    classes: trace_columns.OccupantColumns
    occupancy: trace_columns.OccupancyColumns
    worst: trace_columns.LongestWaitColumns
    worst_occupancy_offset: U32
    worst_occupancy: trace_columns.LongestWaitOccupancyColumns
    tiles: trace_columns.TimelineTileColumns
    tile_offset: U64
    segments: trace_columns.SegmentColumns
    mark_phases: trace_columns.MarkPhaseColumns
    stops: trace_columns.StopTheWorldColumns
    mmu_window_ns: I64
    mmu: F64
    series: Mapping[str, Array]

    @classmethod
    def parse(cls, buffer: bytes | memoryview, *, checked: bool = False) -> "TraceTable":
        """Parse a trace file; raises `ColumnFileError` if it is not one, or is damaged.

        `checked`: the file was validated before, so only its frame is checked.
        """
        columns = read_columns(buffer, FORMAT)
        has_blocked_time = "blocked_group" in columns.arrays
        read_blocked = read_section if has_blocked_time else make_empty_section
        header = parse_trace_header(columns.header)
        table = cls(
            header=header,
            strings=StringTable(
                columns.column("strings_offset", "u32"), columns.column("strings_bytes", "u8").tobytes()
            ),
            frames=read_section(columns, trace_columns.FrameColumns, "frame"),
            stack_offset=columns.column("stack_offset", "u32"),
            stack_frame=columns.column("stack_frame", "u32"),
            groups=read_section(columns, trace_columns.GoroutineGroupColumns, "group"),
            waiters=read_section(columns, trace_columns.WaiterColumns, "victim"),
            wakers=read_section(columns, trace_columns.WakerColumns, "waker"),
            histogram=read_section(columns, trace_columns.WaitHistogramColumns, "hist"),
            netpoll=read_section(columns, trace_columns.NetpollDelayColumns, "netpoll"),
            blocked=read_blocked(columns, trace_columns.BlockedPlaceColumns, "blocked"),
            blocked_time=read_blocked(columns, trace_columns.BlockedTimeColumns, "blocked_time"),
            has_blocked_time=has_blocked_time,
            classes=read_section(columns, trace_columns.OccupantColumns, "class"),
            occupancy=read_section(columns, trace_columns.OccupancyColumns, "blame"),
            worst=read_section(columns, trace_columns.LongestWaitColumns, "worst"),
            worst_occupancy_offset=columns.column("worst_blame_offset", "u32"),
            worst_occupancy=read_section(columns, trace_columns.LongestWaitOccupancyColumns, "worst_blame"),
            tiles=read_section(columns, trace_columns.TimelineTileColumns, "tile"),
            tile_offset=columns.column("tile_offset", "u64"),
            segments=read_section(columns, trace_columns.SegmentColumns, "segment"),
            mark_phases=read_section(columns, trace_columns.MarkPhaseColumns, "gc"),
            stops=read_section(columns, trace_columns.StopTheWorldColumns, "stw"),
            mmu_window_ns=columns.column("mmu_window_ns", "i64"),
            mmu=columns.column("mmu", "f64"),
            series=_series(columns, header),
        )
        if not checked:
            _check(table)
        return table

    @cached_property
    def group_names(self) -> list[str]:
        """Return the name of each group."""
        return [self.strings[int(index)] for index in self.groups.name]

    @cached_property
    def reasons(self) -> list[str]:
        """Return the wake reason of each waiter."""
        return [self.strings[int(index)] for index in self.waiters.reason]

    @cached_property
    def class_kinds(self) -> list[str]:
        """Return the kind of each occupant, as a word."""
        return [self.header.class_kinds[int(kind)] for kind in self.classes.kind]

    @cached_property
    def class_groups(self) -> list[str | None]:
        """Return the group of each occupant; None for kinds without a group."""
        return [None if int(group) == NONE else self.group_names[int(group)] for group in self.classes.group]

    def stack(self, index: int) -> list[str]:
        """Return the functions of a stack, leaf first."""
        frames = self.stack_frame[int(self.stack_offset[index]) : int(self.stack_offset[index + 1])]
        return [self.strings[int(self.frames.function[int(frame)])] for frame in frames]

    def seconds(self) -> float:
        """Return the duration of the trace; never 0, so that rates are finite."""
        return max(self.header.duration_ns, 1) / 1e9


def _series(columns: ColumnFile, header: TraceHeader) -> dict[str, Array]:
    names = [
        f"series_{each.name}{part}"
        for each in header.series
        for part in ([f"_{p}" for p in LEVEL_PARTS] if each.of == "level" else [""])
    ]
    return {name.removeprefix("series_"): columns.column(name, "f32") for name in names}


_SECTIONS = {
    # field: prefix in the file, which keeps the names of its first version
    "frames": "frame",
    "groups": "group",
    "waiters": "victim",
    "wakers": "waker",
    "histogram": "hist",
    "netpoll": "netpoll",
    "blocked": "blocked",
    "blocked_time": "blocked_time",
    "classes": "class",
    "occupancy": "blame",
    "worst": "worst",
    "worst_occupancy": "worst_blame",
    "tiles": "tile",
    "segments": "segment",
    "mark_phases": "gc",
    "stops": "stw",
}


def _check(table: TraceTable) -> None:
    texts = len(table.strings)
    if texts < 1 or np.any(table.strings.offsets[1:] < table.strings.offsets[:-1]):
        raise ColumnFileError("strings-damaged", "string offsets do not ascend")
    if int(table.strings.offsets[-1]) != len(table.strings.data):
        raise ColumnFileError("strings-damaged", "string offsets do not match the bytes")
    limits = {
        "strings": texts,
        "groups": len(table.groups.name),
        "waiters": len(table.waiters.group),
        "stacks": max(len(table.stack_offset) - 1, 0),
        "classes": len(table.classes.kind),
        "blocked_places": len(table.blocked.group),
        "class_kinds": len(table.header.class_kinds),
        "worst": len(table.worst.waiter),
        "blocks": table.header.blocks,
        "occupancy_blocks": table.header.occupancy_blocks,
        "buckets": BUCKETS,
    }
    _check_offsets(table)
    for name, prefix in _SECTIONS.items():
        check_section(getattr(table, name), prefix, limits)
    _check_times(table)
    _check_series(table)
    _check_order(table.histogram)


def _check_offsets(table: TraceTable) -> None:
    stacks = len(table.stack_offset) - 1
    if stacks < 1:
        raise ColumnFileError("offsets-damaged", "stack 0 is missing")
    check_offsets("stack_offset", table.stack_offset, stacks, len(table.stack_frame))
    if len(table.stack_frame) and int(table.stack_frame.max()) >= len(table.frames.line):
        raise ColumnFileError(
            "index-outside", f"stack_frame refers to {int(table.stack_frame.max())} of {len(table.frames.line)}"
        )
    worst = len(table.worst.waiter)
    check_offsets("worst_blame_offset", table.worst_occupancy_offset, worst, len(table.worst_occupancy.ns))
    check_offsets("tile_offset", table.tile_offset, len(table.tiles.worst), len(table.segments.proc))


def _check_times(table: TraceTable) -> None:
    for prefix, section in (
        ("worst", table.worst),
        ("tile", table.tiles),
        ("segment", table.segments),
        ("gc", table.mark_phases),
        ("stw", table.stops),
    ):
        check_ends(prefix, section.start_ns, section.end_ns)
    windows, mmu = table.mmu_window_ns, table.mmu
    if len(windows) != len(mmu):
        raise ColumnFileError("length-differs", f"mmu has {len(mmu)} entries, expected {len(windows)}")
    if not np.all((mmu >= 0) & (mmu <= 1)):
        raise ColumnFileError("value-outside", "mmu is outside 0 to 1")


def _check_series(table: TraceTable) -> None:
    lengths = {len(series) for series in table.series.values()}
    if len(lengths) > 1:
        raise ColumnFileError("length-differs", f"series have {min(lengths)} to {max(lengths)} bins")
    if any(not np.all(np.isfinite(series)) for series in table.series.values()):
        raise ColumnFileError("value-outside", "a series contains a number that is not finite")


def _check_order(histogram: trace_columns.WaitHistogramColumns) -> None:
    """Check the order by waiter, block and bucket; each cell occurs once."""
    key = (histogram.waiter.astype(np.int64) << 32 | histogram.block) * BUCKETS + histogram.bucket
    if np.any(key[1:] <= key[:-1]):
        raise ColumnFileError("order-damaged", "the latency histograms are not sorted by waiter, block and bucket")
