"""What the decoder has added up of a profile: its distinct stacks, and the totals of its functions and lines.

A comparison of stored profiles reads this first, and of the large trees only what it has not seen before. Files of
an older decoder have no summary; then all of it is read from the trees.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.columns import Columns, ColumnsError

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@dataclass(frozen=True)
class StackRows:
    """The distinct stacks of one profile: the node each ends at, its path hash, its frames, its value per type."""

    node: U32
    hash: U64
    depth: NDArray[np.int64]
    values: tuple[I64, ...]


@dataclass(frozen=True)
class Names:
    """Own and total values, per sample type, of functions (`line` is None) or of lines of functions.

    `key` is a string of the profile's table. Recursion counts once.
    """

    key: U32
    line: I32 | None
    own: tuple[I64, ...]
    total: tuple[I64, ...]


@dataclass(frozen=True)
class Summary:
    """All that was added up; `lines` is None in a brief file. `of` are the values that it was made from."""

    stacks: StackRows
    functions: Names
    lines: Names | None
    of: tuple[I64, ...]


def read_stacks(columns: Columns, types: int) -> StackRows | None:
    """The distinct stacks, or None where the file has no summary. Raises `ColumnsError`."""
    if "stack_node" not in columns.arrays:
        return None
    node, hashed = columns.column("stack_node", "u32"), columns.column("stack_hash", "u64")
    depth, values = columns.column("stack_depth", "u32"), _by_type(columns, "stack_value", types)
    if any(len(each) != len(node) for each in (hashed, depth, *values)):
        raise ColumnsError("length-differs", "the columns of stacks differ in length")
    return StackRows(node, hashed, depth.astype(np.int64), values)


def read_summary(columns: Columns, stacks: StackRows, of: tuple[I64, ...], strings: int) -> Summary:
    """The summary of the file that has those stacks. Raises `ColumnsError`."""
    types = len(of)
    functions = Names(
        columns.column("key_string", "u32"),
        None,
        _by_type(columns, "key_self", types),
        _by_type(columns, "key_total", types),
    )
    lines = None
    if "spot_key" in columns.arrays:
        lines = Names(
            columns.column("spot_key", "u32"),
            columns.column("spot_line", "i32"),
            _by_type(columns, "spot_self", types),
            _by_type(columns, "spot_total", types),
        )
    for names in (functions, lines):
        if names is not None:
            _check(names, strings)
    return Summary(stacks, functions, lines, of)


def _by_type(columns: Columns, name: str, types: int) -> tuple[I64, ...]:
    return tuple(columns.column(f"{name}_{number}", "i64") for number in range(types))


def _check(names: Names, strings: int) -> None:
    lines = () if names.line is None else (names.line,)
    if any(len(each) != len(names.key) for each in (*lines, *names.own, *names.total)):
        raise ColumnsError("length-differs", "the columns of totals differ in length")
    if len(names.key) and int(names.key.max()) >= strings:
        raise ColumnsError("index-outside", f"a total is of string {int(names.key.max())} of {strings}")
