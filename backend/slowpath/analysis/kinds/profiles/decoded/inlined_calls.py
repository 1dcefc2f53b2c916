"""Calls that the compiler inlined, as the decoder lists them, and those of both sides of a view.

A profile names an address with all frames that were inlined there. Files of an older decoder have no such columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import ColumnFile, ColumnFileError

U32 = NDArray[np.uint32]
U8 = NDArray[np.uint8]
I32 = NDArray[np.int32]
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]

IN_BASE, IN_CANDIDATE = 1, 2


@dataclass(frozen=True)
class InlinedCalls:
    """Caller, line of the call and inlined callee, each once; functions are strings of the profile's table."""

    caller: U32
    line: I32
    callee: U32


@dataclass(frozen=True)
class SideInlinedCalls:
    """The inlined calls of both sides: functions are labels, `sides` are the bits `IN_BASE` and `IN_CANDIDATE`."""

    caller: Index
    line: Index
    callee: Index
    sides: U8


def read_inlined_calls(columns: ColumnFile, strings: int) -> InlinedCalls | None:
    """Read the inlined calls of a file with so many strings, or None if it lists none. Raises `ColumnFileError`."""
    if "inlined_caller" not in columns.arrays:
        return None
    caller, callee = columns.column("inlined_caller", "u32"), columns.column("inlined_callee", "u32")
    line = columns.column("inlined_line", "i32")
    if not len(caller) == len(line) == len(callee):
        raise ColumnFileError("length-differs", "the columns of inlined calls differ in length")
    largest = max(int(caller.max(initial=0)), int(callee.max(initial=0)))
    if largest >= strings:
        raise ColumnFileError("index-outside", f"an inlined call refers to string {largest} of {strings}")
    return InlinedCalls(caller, line, callee)


def unite_inlined_calls(
    calls: Sequence[InlinedCalls | None], label_of_string: Sequence[I32], is_base: Mask
) -> SideInlinedCalls:
    """Return the inlined calls of all profiles, in order of caller, line and callee."""
    rows = [np.zeros((0, 4), dtype=np.int64)]
    for each, labels, base in zip(calls, label_of_string, is_base.tolist(), strict=True):
        if each is not None:
            side = np.full(len(each.line), IN_BASE if base else IN_CANDIDATE)
            rows.append(np.stack([labels[each.caller], each.line, labels[each.callee], side], axis=1, dtype=np.int64))
    listed = np.unique(np.concatenate(rows), axis=0)
    listed = listed[(listed[:, 0] > 0) & (listed[:, 2] > 0)]  # of other samples than those of the view
    distinct, group = np.unique(listed[:, :3], axis=0, return_inverse=True)
    sides = np.zeros(len(distinct), dtype=np.uint8)
    np.bitwise_or.at(sides, group.reshape(-1), listed[:, 3].astype(np.uint8))
    return SideInlinedCalls(distinct[:, 0], distinct[:, 1], distinct[:, 2], sides)
