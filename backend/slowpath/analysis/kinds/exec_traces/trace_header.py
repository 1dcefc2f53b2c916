"""Parse the header of a decoded trace; wrong types mean a damaged file."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from slowpath.analysis.formats.column_file import ColumnFileError
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


def read_header(header: Mapping[str, Any]) -> TraceHeader:
    """Parse the header; raises `ColumnFileError` if a field is missing or has the wrong type."""
    try:
        read = _read(header)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        if isinstance(error, ColumnFileError):
            raise
        raise ColumnFileError("header-damaged", f"the trace's header lacks or mistypes {error}") from error
    for name in ("block_ns", "occupancy_block_ns", "bin_ns"):
        if getattr(read, name) <= 0:
            raise ColumnFileError("header-damaged", f"{name} is {getattr(read, name)}")
    if read.duration_ns < 0 or read.blocks > MOST_BLOCKS or read.occupancy_blocks > MOST_BLOCKS:
        raise ColumnFileError("duration-implausible", f"the trace has an implausible duration of {read.duration_ns} ns")
    return read


def _read(header: Mapping[str, Any]) -> TraceHeader:
    procs, wall, lost = header["gomaxprocs"], header.get("wall_start_ns"), header.get("lost")
    return TraceHeader(
        header_version=str(header["header_version"]),
        duration_ns=Nanoseconds(int(header["duration_ns"])),
        events=int(header["events"]),
        generations=int(header["generations"]),
        wall_start_ns=None if wall is None else int(wall),
        procs=GomaxprocsRange(int(procs["first"]), int(procs["last"]), int(procs["max"]), int(procs["changes"])),
        recording=str(header["recording"]),
        block_ns=Nanoseconds(int(header["block_ns"])),
        occupancy_block_ns=Nanoseconds(int(header["blame_block_ns"])),
        bin_ns=Nanoseconds(int(header["bin_ns"])),
        lost=None if lost is None else _unreadable_range(lost),
        warnings=tuple(str(text) for text in header.get("warnings") or []),
        cpu_samples=int(header.get("cpu_samples") or 0),
        class_kinds=tuple(str(kind) for kind in header["class_kinds"]),
        gc=_gc(header["gc"]),
        totals=_totals(header["totals"]),
        series=tuple(SeriesName(str(s["name"]), str(s["unit"]), str(s["of"])) for s in header["series"][:MOST_SERIES]),
    )


def _unreadable_range(lost: Mapping[str, Any]) -> UnreadableRange:
    return UnreadableRange(
        bytes=int(lost.get("bytes") or 0),
        share=_finite(lost.get("share") or 0),
        after_ns=int(lost.get("after_ns") or 0),
        message=str(lost.get("message") or ""),
    )


def _gc(gc: Mapping[str, Any]) -> GcTotals:
    counts = {name: int(gc.get(name) or 0) for name in GcTotals.__dataclass_fields__ if name != "cpu_fraction"}
    return GcTotals(cpu_fraction=_finite(gc.get("cpu_fraction") or 0), **counts)


def _totals(totals: Mapping[str, Any]) -> TraceTotals:
    counts = {
        name: int(totals.get(name) or 0) for name in TraceTotals.__dataclass_fields__ if name != "host_contention"
    }
    return TraceTotals(host_contention=bool(totals.get("host_contention")), **counts)


def _finite(value: Any) -> float:  # noqa: ANN401 - a value of decoded JSON
    number = float(value)
    if not isfinite(number):
        raise ColumnFileError("header-damaged", "the trace's header contains a number that is not finite")
    return number
