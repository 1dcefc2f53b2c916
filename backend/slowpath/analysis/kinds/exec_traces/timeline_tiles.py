"""The timeline around a worst wait, cut into files of its own: a page then fetches what it draws and nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from slowpath.analysis.formats.column_file import ColumnFile, ColumnHeader, write_columns
from slowpath.analysis.formats.header_members import HeaderMembers

SEGMENT_COLUMNS = (
    "segment_proc",
    "segment_start_ns",
    "segment_end_ns",
    "segment_goroutine",
    "segment_merged",
)


@dataclass(frozen=True)
class TileOccupant:
    """What held a P: its kind, and the goroutine group if the kind has one."""

    kind: str
    group: str | None


@dataclass(frozen=True, kw_only=True)
class TimelineTileHeader(ColumnHeader):
    """The place of a tile in the timeline of a wait; `segment_class` counts into `classes`.

    `numbers` are the tiles of this level, `finer` those of level 1. Times are nanoseconds since the trace's first event.
    """

    format: Literal["slowpath.trace-tile"] = "slowpath.trace-tile"
    index: int
    level: int
    number: int
    numbers: int
    finer: int
    start_ns: int
    end_ns: int
    wait_start_ns: int
    wait_end_ns: int
    wait_proc: int
    wait_goroutine: int
    classes: Sequence[TileOccupant]


@dataclass(frozen=True)
class TimelineTile:
    """One tile: of which wait (its row), how fine (0 is the whole window), which piece, and its columns."""

    index: int
    level: int
    number: int
    content: bytes


def cut_tiles(columns: ColumnFile) -> Iterator[TimelineTile]:
    """All tiles of a decoded trace (`slowpath.trace`), level by level of each wait.

    A tile holds segments [start, end) of what ran on each processor, in nanoseconds since the trace's first event;
    `segment_class` counts into the classes that its header lists.
    """
    worst, levels = columns.column("tile_worst", "u32"), columns.column("tile_level", "u8")
    seen: dict[tuple[int, int], int] = {}
    pieces: dict[tuple[int, int], int] = {}
    for key in zip(worst.tolist(), levels.tolist(), strict=True):
        pieces[key] = pieces.get(key, 0) + 1
    for row, (index, level) in enumerate(zip(worst.tolist(), levels.tolist(), strict=True)):
        number = seen.get((index, level), 0)
        seen[index, level] = number + 1
        yield TimelineTile(index, level, number, _content(columns, row, number, pieces))


def _content(columns: ColumnFile, row: int, number: int, pieces: Mapping[tuple[int, int], int]) -> bytes:
    index, level = int(columns.arrays["tile_worst"][row]), int(columns.arrays["tile_level"][row])
    begin, end = columns.column("tile_offset", "u64")[row : row + 2].tolist()
    used, classes = np.unique(columns.column("segment_class", "u32")[begin:end], return_inverse=True)
    header = TimelineTileHeader(
        index=index,
        level=level,
        number=number,
        numbers=pieces[index, level],
        finer=pieces.get((index, 1), 0),
        start_ns=int(columns.arrays["tile_start_ns"][row]),
        end_ns=int(columns.arrays["tile_end_ns"][row]),
        wait_start_ns=int(columns.arrays["worst_start_ns"][index]),
        wait_end_ns=int(columns.arrays["worst_end_ns"][index]),
        wait_proc=int(columns.arrays["worst_proc"][index]),
        wait_goroutine=int(columns.arrays["worst_goroutine"][index]),
        classes=[_class(columns, number) for number in used.tolist()],
    )
    segments = {name: columns.arrays[name][begin:end] for name in SEGMENT_COLUMNS}
    return write_columns(header, {**segments, "segment_class": classes.astype(np.uint32)})


def _class(columns: ColumnFile, number: int) -> TileOccupant:
    kind = HeaderMembers(columns.header).texts("class_kinds")[int(columns.column("class_kind", "u8")[number])]
    group = int(columns.column("class_group", "u32")[number])
    groups = columns.column("group_name", "u32")
    return TileOccupant(kind, _text(columns, int(groups[group])) if group < len(groups) else None)


def _text(columns: ColumnFile, number: int) -> str:
    offsets = columns.column("strings_offset", "u32")
    begin, end = int(offsets[number]), int(offsets[number + 1])
    return columns.column("strings_bytes", "u8")[begin:end].tobytes().decode("utf-8", "replace")
