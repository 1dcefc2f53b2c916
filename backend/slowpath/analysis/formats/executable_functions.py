"""The functions of a decoded Go executable: search and order them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import ColumnFile, read_some_columns
from slowpath.analysis.formats.executable_header import EXECUTABLE_FORMAT

FunctionOrder = Literal["frame", "size", "inlined", "entry"]
_WRAPPER, _CHECKED = 1, 2
COLUMNS = frozenset(
    {f"function_{name}" for name in ("name", "file", "line", "frame", "size", "flags", "inlined", "calls")}
    | {"strings_offset", "strings_bytes"}
)


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


def search_functions(
    read: Callable[[int, int], bytes], text: str, order: FunctionOrder, limit: int, offset: int = 0
) -> FoundFunctions:
    """Return functions whose name contains a text, in any case: by address, or the largest first and wrappers last.

    At most `limit`, without the first `offset`.

    `read` returns the bytes of the stored columns at an offset, up to a length; calls and inline trees are not read.
    The runtime has call wrappers of up to 1 GB of stack, which are rarely what is sought.

    Raises `ColumnFileError`.
    """
    columns = read_some_columns(read, EXECUTABLE_FORMAT, COLUMNS)
    names = columns.column("function_name", "u32")
    matching = np.flatnonzero(_strings_with(columns, text)[names]) if text else np.arange(len(names))
    if order != "entry":
        made = columns.column("function_flags", "u8")[matching] & _WRAPPER
        matching = matching[np.lexsort((-_values(columns, order)[matching], made))]
    return FoundFunctions(
        [_function(columns, int(at)) for at in matching[offset : offset + limit]], len(matching), len(names)
    )


def _values(columns: ColumnFile, order: FunctionOrder) -> NDArray[np.int64]:
    if order == "inlined":
        ends = columns.column("function_inlined", "u32").astype(np.int64)
        return ends[1:] - ends[:-1]
    name, kind = ("function_frame", "i32") if order == "frame" else ("function_size", "u32")
    return columns.column(name, kind).astype(np.int64)


def _strings_with(columns: ColumnFile, text: str) -> NDArray[np.bool_]:
    """Return of every string whether it contains a text."""
    offsets = columns.column("strings_offset", "u32")
    found = np.zeros(len(offsets) - 1, dtype=np.bool_)
    content, wanted = columns.column("strings_bytes", "u8").tobytes().lower(), text.encode().lower()
    at = content.find(wanted)
    while at >= 0:
        number = int(np.searchsorted(offsets, at, side="right")) - 1
        end = int(offsets[number + 1])
        found[number] |= at + len(wanted) <= end
        at = content.find(wanted, end if found[number] else at + 1)
    return found


def _function(columns: ColumnFile, at: int) -> ExecutableFunction:
    offsets, content = columns.column("strings_offset", "u32"), columns.column("strings_bytes", "u8")
    flags = int(columns.column("function_flags", "u8")[at])

    def text(name: str) -> str:
        number = int(columns.column(name, "u32")[at])
        return content[int(offsets[number]) : int(offsets[number + 1])].tobytes().decode()

    def count(name: str) -> int:
        ends = columns.column(name, "u32")
        return int(ends[at + 1]) - int(ends[at])

    return ExecutableFunction(
        name=text("function_name"),
        file=text("function_file"),
        line=int(columns.column("function_line", "i32")[at]),
        frame_bytes=int(columns.column("function_frame", "i32")[at]),
        size_bytes=int(columns.column("function_size", "u32")[at]),
        has_stack_check=bool(flags & _CHECKED),
        is_wrapper=bool(flags & _WRAPPER),
        inlined=count("function_inlined"),
        calls=count("function_calls"),
    )
