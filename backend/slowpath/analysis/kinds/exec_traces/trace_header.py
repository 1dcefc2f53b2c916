"""Parse the header of a decoded trace; wrong types mean a damaged file."""

from collections.abc import Mapping
from dataclasses import dataclass

from slowpath.analysis.formats.column_file import ColumnFileError
from slowpath.analysis.formats.header_members import HeaderMembers
from slowpath.analysis.kinds.exec_traces.trace_page_document import UnreadableRange
from slowpath.units import Nanoseconds

# Blocks are numbered in 32 bits; a file with more of them (thirteen years) is damaged.
MOST_BLOCKS = 2**32
MOST_SERIES = 256


@dataclass(frozen=True)
class GomaxprocsRange:
    """GOMAXPROCS over the trace."""

    first: int
    last: int
    most: int
    changes: int


@dataclass(frozen=True)
class GcTotals:
    """Garbage collection over the trace.

    Times in processor nanoseconds, `cpu_fraction` of all processor time.
    """

    cycles: int
    mark_wall_ns: int
    dedicated_ns: int
    fractional_ns: int
    idle_ns: int
    assist_ns: int
    assist_wall_ns: int
    sweep_ns: int
    stw_ns: int
    cpu_fraction: float
    heap_live_max: int
    heap_goal_max: int
    allocated_bytes: int


@dataclass(frozen=True)
class TraceTotals:
    """Counts over the trace. `procs_ns` is the known processor time."""

    waits: int
    wait_ns: int
    censored_left: int
    censored_right: int
    censored_ns: int
    handoffs: int
    preemptions: int
    retakes: int
    network_wakes: int
    created: int
    procs_ns: int
    host_contention: bool


@dataclass(frozen=True)
class SeriesName:
    """One series: `level` has mean, minimum and maximum per bin, `count` one number."""

    name: str
    unit: str
    of: str


@dataclass(frozen=True)
class TraceHeader:
    """The header of one trace as the decoder wrote it."""

    header_version: str
    duration_ns: Nanoseconds
    events: int
    generations: int
    wall_start_ns: int | None
    procs: GomaxprocsRange
    recording: str
    block_ns: Nanoseconds
    occupancy_block_ns: Nanoseconds
    bin_ns: Nanoseconds
    lost: UnreadableRange | None
    warnings: tuple[str, ...]
    cpu_samples: int
    goroutines: int
    class_kinds: tuple[str, ...]
    gc: GcTotals
    totals: TraceTotals
    series: tuple[SeriesName, ...]

    @property
    def blocks(self) -> int:
        """Return the number of blocks of `block_ns` in the trace; a wait may end exactly at the end."""
        return self.duration_ns // self.block_ns + 1

    @property
    def occupancy_blocks(self) -> int:
        """Return the number of blocks of `occupancy_block_ns` in the trace."""
        return self.duration_ns // self.occupancy_block_ns + 1


def parse_trace_header(header: Mapping[str, object]) -> TraceHeader:
    """Parse the header. Raises `ColumnFileError` if a member is missing, has another type or is implausible."""
    parsed = _parse(HeaderMembers(header))
    for name in ("block_ns", "occupancy_block_ns", "bin_ns"):
        if getattr(parsed, name) <= 0:
            raise ColumnFileError("header-damaged", f"{name} is {getattr(parsed, name)}")
    if parsed.duration_ns < 0 or parsed.blocks > MOST_BLOCKS or parsed.occupancy_blocks > MOST_BLOCKS:
        raise ColumnFileError(
            "duration-implausible", f"the trace has an implausible duration of {parsed.duration_ns} ns"
        )
    return parsed


def _parse(header: HeaderMembers) -> TraceHeader:
    procs = header.inner("gomaxprocs")
    return TraceHeader(
        header_version=header.text("header_version"),
        duration_ns=Nanoseconds(header.integer("duration_ns")),
        events=header.integer("events"),
        generations=header.integer("generations"),
        wall_start_ns=header.find_integer("wall_start_ns"),
        procs=GomaxprocsRange(*(procs.integer(name) for name in ("first", "last", "max", "changes"))),
        recording=header.text("recording"),
        block_ns=Nanoseconds(header.integer("block_ns")),
        occupancy_block_ns=Nanoseconds(header.integer("blame_block_ns")),
        bin_ns=Nanoseconds(header.integer("bin_ns")),
        lost=None if header.members.get("lost") is None else _unreadable_range(header.inner("lost")),
        warnings=header.texts("warnings", ()),
        cpu_samples=header.integer("cpu_samples", 0),
        goroutines=header.inner("counts", {}).integer("goroutines", 0),
        class_kinds=header.texts("class_kinds"),
        gc=_gc(header.inner("gc")),
        totals=_totals(header.inner("totals")),
        series=tuple(
            SeriesName(each.text("name"), each.text("unit"), each.text("of"))
            for each in header.each("series")[:MOST_SERIES]
        ),
    )


def _unreadable_range(lost: HeaderMembers) -> UnreadableRange:
    return UnreadableRange(
        bytes=lost.integer("bytes", 0),
        share=lost.number("share", 0.0),
        after_ns=lost.integer("after_ns", 0),
        message=lost.text("message", ""),
    )


def _gc(gc: HeaderMembers) -> GcTotals:
    counts = {name: gc.integer(name, 0) for name in GcTotals.__dataclass_fields__ if name != "cpu_fraction"}
    return GcTotals(cpu_fraction=gc.number("cpu_fraction", 0.0), **counts)


def _totals(totals: HeaderMembers) -> TraceTotals:
    counts = {name: totals.integer(name, 0) for name in TraceTotals.__dataclass_fields__ if name != "host_contention"}
    return TraceTotals(host_contention=totals.boolean("host_contention", default=False), **counts)
