"""Sections of a column file: tables whose columns have the same length.

A section is declared as a dataclass of annotated arrays, and the declaration is the check: `read_section` raises
`ColumnFileError` with the column's name if a file does not match it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import Array, ColumnFile, ColumnFileError

NONE = 0xFFFFFFFF
"""Index of no row."""

U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

Section = TypeVar("Section")
_KINDS = {
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "i32": np.int32,
    "i64": np.int64,
    "f64": np.float64,
}


@dataclass(frozen=True)
class Column:
    """A column of type `kind`; `into` names the table its indices refer to, `or_none` allows `NONE` too.

    `former_name` is the name in the file, where files keep the name of an earlier version.
    """

    kind: str
    into: str | None = None
    or_none: bool = False
    former_name: str | None = None


def _columns_of(section: type[Any]) -> dict[str, Column]:
    """Return the declared columns of a section by field name."""
    return {name: hint.__metadata__[0] for name, hint in get_type_hints(section, include_extras=True).items()}


def _file_name(prefix: str, field: str, declared: Column) -> str:
    return f"{prefix}_{declared.former_name or field.rstrip('_')}"


def read_section(columns: ColumnFile, section: type[Section], prefix: str) -> Section:
    """Read one section.

    Raises `ColumnFileError` for a column that is missing or has another type or length.
    """
    arrays: dict[str, Array] = {}
    length: int | None = None
    for field, declared in _columns_of(section).items():
        name = _file_name(prefix, field, declared)
        array = arrays[field] = columns.column(name, declared.kind)
        length = len(array) if length is None else length
        if len(array) != length:
            raise ColumnFileError("length-differs", f"{name} has {len(array)} entries, expected {length}")
    return section(**arrays)


def make_empty_section(_columns: ColumnFile, section: type[Section], _prefix: str) -> Section:
    """Return a section without rows: of a file that an earlier version wrote without it."""
    return section(**{field: np.zeros(0, _KINDS[one.kind]) for field, one in _columns_of(section).items()})


def check_section(section: object, prefix: str, limits: Mapping[str, int]) -> None:
    """Check that indices are within their tables and that no time is negative. Raises `ColumnFileError`."""
    for field, declared in _columns_of(type(section)).items():
        name, array = _file_name(prefix, field, declared), getattr(section, field)
        if declared.into is not None:
            limit = limits[declared.into]
            pointing = array[array != NONE] if declared.or_none else array
            if len(pointing) and int(pointing.max()) >= limit:
                raise ColumnFileError("index-outside", f"{name} refers to {int(pointing.max())} of {limit}")
        elif declared.kind == "i64" and np.any(array < 0):
            raise ColumnFileError("value-outside", f"{name} contains a negative time")
        elif declared.kind == "f64" and not np.all(np.isfinite(array)):
            raise ColumnFileError("value-outside", f"{name} contains a value that is not a number")


def check_offsets(name: str, offsets: Array, rows: int, target: int) -> None:
    """Check that offsets ascend from 0 to `target` in `rows` pieces. Raises `ColumnFileError`."""
    if len(offsets) != rows + 1:
        raise ColumnFileError("length-differs", f"{name} has {len(offsets)} entries, expected {rows + 1}")
    if int(offsets[0]) != 0 or int(offsets[-1]) != target or np.any(offsets[1:] < offsets[:-1]):
        raise ColumnFileError("offsets-damaged", f"{name} does not ascend from 0 to {target}")


def check_ends(prefix: str, start_ns: I64, end_ns: I64) -> None:
    """Check that no end is before its start. Raises `ColumnFileError`."""
    if np.any(end_ns < start_ns):
        raise ColumnFileError("times-damaged", f"{prefix}: an end is before its start")
