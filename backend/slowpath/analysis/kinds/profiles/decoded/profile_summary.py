"""The summary of a profile that the decoder computed.

Its distinct stacks, and the totals of functions and lines. A comparison of stored profiles reads this first, and of the
large trees only new parts. Files of an older decoder have no summary; then everything is read from the trees.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import ColumnFile, ColumnFileError

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@dataclass(frozen=True)
class StackSummary:
    """The distinct stacks of one profile: end node, path hash, number of frames, value per type."""

    node: U32
    hash: U64
    depth: NDArray[np.int64]
    values: tuple[I64, ...]


@dataclass(frozen=True)
class FunctionSummary:
    """Self and total values, per sample type, of functions (`line` is None) or of lines of functions.

    `key` is a string of the profile's table. Recursion counts once.
    """

    key: U32
    line: I32 | None
    own: tuple[I64, ...]
    total: tuple[I64, ...]


@dataclass(frozen=True)
class DecodedProfileSummary:
    """The complete summary; `lines` is None in a brief file.

    `of` are the values that it was computed from.
    """

    stacks: StackSummary
    functions: FunctionSummary
    lines: FunctionSummary | None
    of: tuple[I64, ...]


def read_stacks(columns: ColumnFile, types: int) -> StackSummary | None:
    """Read the distinct stacks, or None if the file has no summary. Raises `ColumnFileError`."""
    if "stack_node" not in columns.arrays:
        return None
    node, hashed = columns.column("stack_node", "u32"), columns.column("stack_hash", "u64")
    depth, values = columns.column("stack_depth", "u32"), _by_type(columns, "stack_value", types)
    if any(len(each) != len(node) for each in (hashed, depth, *values)):
        raise ColumnFileError("length-differs", "the columns of stacks differ in length")
    return StackSummary(node, hashed, depth.astype(np.int64), values)


def read_summary(columns: ColumnFile, stacks: StackSummary, of: tuple[I64, ...], strings: int) -> DecodedProfileSummary:
    """Read the summary of the file with those stacks. Raises `ColumnFileError`."""
    types = len(of)
    functions = FunctionSummary(
        columns.column("key_string", "u32"),
        None,
        _by_type(columns, "key_self", types),
        _by_type(columns, "key_total", types),
    )
    lines = None
    if "spot_key" in columns.arrays:
        lines = FunctionSummary(
            columns.column("spot_key", "u32"),
            columns.column("spot_line", "i32"),
            _by_type(columns, "spot_self", types),
            _by_type(columns, "spot_total", types),
        )
    for names in (functions, lines):
        if names is not None:
            _check(names, strings)
    return DecodedProfileSummary(stacks, functions, lines, of)


def _by_type(columns: ColumnFile, name: str, types: int) -> tuple[I64, ...]:
    return tuple(columns.column(f"{name}_{number}", "i64") for number in range(types))


def _check(names: FunctionSummary, strings: int) -> None:
    lines = () if names.line is None else (names.line,)
    if any(len(each) != len(names.key) for each in (*lines, *names.own, *names.total)):
        raise ColumnFileError("length-differs", "the columns of totals differ in length")
    if len(names.key) and int(names.key.max()) >= strings:
        raise ColumnFileError("index-outside", f"a total refers to string {int(names.key.max())} of {strings}")
