"""The functions of a decoded Go executable: search and order them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import RangeReader, StoredColumns
from slowpath.analysis.formats.executable_header import EXECUTABLE_FORMAT

FunctionOrder = Literal["frame", "size", "inlined", "entry"]
_WRAPPER, _CHECKED = 1, 2
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class ExecutableFunction:
    """One function: its declaration, frame and code size in bytes, and numbers of calls inlined in it and made by it."""

    name: str
    file: str
    line: int
    frame_bytes: int
    size_bytes: int
    has_stack_check: bool
    is_wrapper: bool
    inlined: int
    calls: int


@dataclass(frozen=True)
class FoundFunctions:
    """Functions of a search, how many match, and how many there are."""

    functions: Sequence[ExecutableFunction]
    matched: int
    total: int


def search_functions(read: RangeReader, text: str, order: FunctionOrder, limit: int, offset: int = 0) -> FoundFunctions:
    """Return functions whose name contains a text, in any case: by address, or the largest first and wrappers last.

    At most `limit`, without the first `offset`. Only what the search, the order and these functions need is read.

    The runtime has call wrappers of up to 1 GB of stack, which are rarely what is sought.

    Raises `ColumnFileError`.
    """
    columns = StoredColumns(read, EXECUTABLE_FORMAT)
    total = columns.length("function_name")
    matching = _search(columns, text) if text else np.arange(total)
    if order != "entry":
        made = columns.column("function_flags", "u8")[matching] & _WRAPPER
        matching = matching[np.lexsort((-_values(columns, order)[matching], made))]
    return FoundFunctions(_functions(columns, matching[offset : offset + limit]), len(matching), total)


def _values(columns: StoredColumns, order: FunctionOrder) -> Rows:
    if order == "inlined":
        ends = columns.column("function_inlined", "u32").astype(np.int64)
        return ends[1:] - ends[:-1]
    name, kind = ("function_frame", "i32") if order == "frame" else ("function_size", "u32")
    return columns.column(name, kind).astype(np.int64)


def _counts(columns: StoredColumns, name: str, rows: Rows) -> Rows:
    """Return how many elements belong to each row of a column of offsets."""
    begins, ends = columns.limits(name, rows)
    return ends - begins


def _search(columns: StoredColumns, text: str) -> Rows:
    """Return the functions whose name contains a text."""
    offsets = columns.column("strings_offset", "u32").astype(np.int64)
    content = np.frombuffer(columns.column("strings_bytes", "u8").tobytes().lower(), np.uint8)
    wanted = text.encode().lower()
    found = np.flatnonzero(content[: max(len(content) - len(wanted) + 1, 0)] == wanted[0])
    for at, byte in enumerate(wanted[1:], start=1):
        found = found[content[found + at] == byte]
    numbers = np.searchsorted(offsets, found, side="right") - 1
    numbers = numbers[found + len(wanted) <= offsets[numbers + 1]]
    matching = np.zeros(len(offsets) - 1, dtype=np.bool_)
    matching[numbers] = True
    return np.flatnonzero(matching[columns.column("function_name", "u32")])


def _functions(columns: StoredColumns, rows: Rows) -> list[ExecutableFunction]:
    names = columns.values("function_name", "u32", rows)
    files, number_of_file = np.unique(columns.values("function_file", "u32", rows), return_inverse=True)
    texts = columns.texts(np.concatenate([names, files]).astype(np.int64))
    flags = columns.values("function_flags", "u8", rows)
    return [
        ExecutableFunction(
            name=name,
            file=texts[len(rows) + int(file)],
            line=int(line),
            frame_bytes=int(frame),
            size_bytes=int(size),
            has_stack_check=bool(flag & _CHECKED),
            is_wrapper=bool(flag & _WRAPPER),
            inlined=int(inlined),
            calls=int(calls),
        )
        for name, file, line, frame, size, flag, inlined, calls in zip(
            texts[: len(rows)],
            number_of_file,
            columns.values("function_line", "i32", rows),
            columns.values("function_frame", "i32", rows),
            columns.values("function_size", "u32", rows),
            flags,
            _counts(columns, "function_inlined", rows),
            _counts(columns, "function_calls", rows),
            strict=True,
        )
    ]
