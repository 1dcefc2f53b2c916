"""The columns of a decoded trace, section by section: what each is called, its type, and what it points at.

A section is a table; its columns are as long as each other. The declaration is the check: `read_section` reads a
section and refuses what does not fit it, by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.columns import Array, Columns, ColumnsError

NONE = 0xFFFFFFFF

U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

Section = TypeVar("Section")


@dataclass(frozen=True)
class Column:
    """A column of that type; `into` names the table whose rows it counts, `or_none` allows NONE, too."""

    kind: str
    into: str | None = None
    or_none: bool = False


@dataclass(frozen=True)
class Frames:
    """Frames of stacks."""

    function: Annotated[U32, Column("u32", "strings")]
    file: Annotated[U32, Column("u32", "strings")]
    line: Annotated[I32, Column("i32")]


@dataclass(frozen=True)
class Groups:
    """Goroutines that began in the same function."""

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
class Victims:
    """Groups that waited for a processor, by why they had slept."""

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
class Wakers:
    """Who woke each victim."""

    victim: Annotated[U32, Column("u32", "victims")]
    group: Annotated[U32, Column("u32", "groups", or_none=True)]
    waits: Annotated[U64, Column("u64")]
    total_ns: Annotated[I64, Column("i64")]


@dataclass(frozen=True)
class Histogram:
    """Counts of waits per victim, block of time and bucket of length; sorted so."""

    victim: Annotated[U32, Column("u32", "victims")]
    block: Annotated[U32, Column("u32", "blocks")]
    bucket: Annotated[U16, Column("u16", "buckets")]
    count: Annotated[U32, Column("u32")]


@dataclass(frozen=True)
class Netpoll:
    """How long a ready connection may have gone unnoticed, as counts per victim and bucket."""

    victim: Annotated[U32, Column("u32", "victims")]
    bucket: Annotated[U16, Column("u16", "buckets")]
    count: Annotated[U32, Column("u32")]


@dataclass(frozen=True)
class Classes:
    """What can hold a processor: a kind, and for goroutines their group."""

    kind: Annotated[U8, Column("u8", "class_kinds")]
    group: Annotated[U32, Column("u32", "groups", or_none=True)]


@dataclass(frozen=True)
class Blame:
    """Processor time of each class while each victim waited, times the number that waited; per block of a second."""

    victim: Annotated[U32, Column("u32", "victims")]
    class_: Annotated[U32, Column("u32", "classes")]
    block: Annotated[U32, Column("u32", "blame_blocks")]
    ns: Annotated[F64, Column("f64")]


@dataclass(frozen=True)
class Worst:
    """The longest waits."""

    victim: Annotated[U32, Column("u32", "victims")]
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
class WorstBlame:
    """Who held the processors during each of the longest waits; the shares of one sum to its length."""

    class_: Annotated[U32, Column("u32", "classes")]
    ns: Annotated[F64, Column("f64")]


@dataclass(frozen=True)
class Tiles:
    """Windows around the longest waits."""

    worst: Annotated[U32, Column("u32", "worst")]
    level: Annotated[U8, Column("u8")]
    start_ns: Annotated[I64, Column("i64")]
    end_ns: Annotated[I64, Column("i64")]


@dataclass(frozen=True)
class Segments:
    """What ran on each processor within those windows."""

    proc: Annotated[U16, Column("u16")]
    start_ns: Annotated[I64, Column("i64")]
    end_ns: Annotated[I64, Column("i64")]
    class_: Annotated[U32, Column("u32", "classes")]
    goroutine: Annotated[U64, Column("u64")]
    merged: Annotated[U32, Column("u32")]


@dataclass(frozen=True)
class MarkPhases:
    """Phases of concurrent marking."""

    start_ns: Annotated[I64, Column("i64")]
    end_ns: Annotated[I64, Column("i64")]
    worker_ns: Annotated[I64, Column("i64")]
    assist_ns: Annotated[I64, Column("i64")]


@dataclass(frozen=True)
class Stops:
    """Stop-the-world pauses."""

    start_ns: Annotated[I64, Column("i64")]
    end_ns: Annotated[I64, Column("i64")]
    reason: Annotated[U32, Column("u32", "strings")]


def _columns_of(section: type[Any]) -> dict[str, Column]:
    """The declared columns of a section by the name of its field."""
    return {name: hint.__metadata__[0] for name, hint in get_type_hints(section, include_extras=True).items()}


def _file_name(prefix: str, field: str) -> str:
    return f"{prefix}_{field.rstrip('_')}"


def read_section(columns: Columns, section: type[Section], prefix: str) -> Section:
    """One table; refuses columns that are missing, of another type, or not as long as the others."""
    arrays: dict[str, Array] = {}
    length: int | None = None
    for field, declared in _columns_of(section).items():
        name = _file_name(prefix, field)
        array = arrays[field] = columns.column(name, declared.kind)
        length = len(array) if length is None else length
        if len(array) != length:
            raise ColumnsError("length-differs", f"{name} has {len(array)} entries, expected {length}")
    return section(**arrays)


def check_section(section: object, prefix: str, limits: Mapping[str, int]) -> None:
    """Every index lies inside the table it counts, and nothing lasts less than no time."""
    for field, declared in _columns_of(type(section)).items():
        name, array = _file_name(prefix, field), getattr(section, field)
        if declared.into is not None:
            limit = limits[declared.into]
            pointing = array[array != NONE] if declared.or_none else array
            if len(pointing) and int(pointing.max()) >= limit:
                raise ColumnsError("index-outside", f"{name} points at {int(pointing.max())} of {limit}")
        elif declared.kind == "i64" and np.any(array < 0):
            raise ColumnsError("value-outside", f"{name} holds a time below zero")
        elif declared.kind == "f64" and not np.all(np.isfinite(array)):
            raise ColumnsError("value-outside", f"{name} holds something that is no number")


def check_offsets(name: str, offsets: Array, rows: int, target: int) -> None:
    """Offsets ascend from 0 to the end of what they cut into `rows` pieces."""
    if len(offsets) != rows + 1:
        raise ColumnsError("length-differs", f"{name} has {len(offsets)} entries, expected {rows + 1}")
    if int(offsets[0]) != 0 or int(offsets[-1]) != target or np.any(offsets[1:] < offsets[:-1]):
        raise ColumnsError("offsets-damaged", f"{name} does not ascend from 0 to {target}")


def check_ends(prefix: str, start_ns: I64, end_ns: I64) -> None:
    """Nothing ends before it begins."""
    if np.any(end_ns < start_ns):
        raise ColumnsError("times-damaged", f"{prefix}: something ends before it begins")
