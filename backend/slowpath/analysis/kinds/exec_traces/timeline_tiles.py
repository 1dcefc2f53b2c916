"""The timeline around a worst wait, cut into files of its own: a page then fetches what it draws and nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from slowpath.analysis.formats.column_file import ColumnFile, write_columns

FORMAT = "slowpath.trace-tile"
SEGMENT_COLUMNS = (
    "segment_proc",
    "segment_start_ns",
    "segment_end_ns",
    "segment_goroutine",
    "segment_merged",
)


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
        numbering = {
            "level": level,
            "number": number,
            "numbers": pieces[index, level],
            "finer": pieces.get((index, 1), 0),
        }
        yield TimelineTile(index, level, number, _content(columns, row, index, numbering))


def _content(columns: ColumnFile, row: int, index: int, numbering: dict[str, int]) -> bytes:
    begin, end = columns.column("tile_offset", "u64")[row : row + 2].tolist()
    used, classes = np.unique(columns.column("segment_class", "u32")[begin:end], return_inverse=True)
    header = {
        "format": FORMAT,
        "format_version": 1,
        "index": index,
        **numbering,
        "start_ns": int(columns.arrays["tile_start_ns"][row]),
        "end_ns": int(columns.arrays["tile_end_ns"][row]),
        "wait_start_ns": int(columns.arrays["worst_start_ns"][index]),
        "wait_end_ns": int(columns.arrays["worst_end_ns"][index]),
        "wait_proc": int(columns.arrays["worst_proc"][index]),
        "wait_goroutine": int(columns.arrays["worst_goroutine"][index]),
        "classes": [_class(columns, number) for number in used.tolist()],
    }
    segments = {name: columns.arrays[name][begin:end] for name in SEGMENT_COLUMNS}
    return write_columns(header, {**segments, "segment_class": classes.astype(np.uint32)})


def _class(columns: ColumnFile, number: int) -> dict[str, Any]:
    kind = columns.header["class_kinds"][int(columns.column("class_kind", "u8")[number])]
    group = int(columns.column("class_group", "u32")[number])
    groups = columns.column("group_name", "u32")
    return {"kind": kind, "group": _text(columns, int(groups[group])) if group < len(groups) else None}


def _text(columns: ColumnFile, number: int) -> str:
    offsets = columns.column("strings_offset", "u32")
    begin, end = int(offsets[number]), int(offsets[number + 1])
    return columns.column("strings_bytes", "u8")[begin:end].tobytes().decode("utf-8", "replace")
