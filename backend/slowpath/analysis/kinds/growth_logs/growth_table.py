"""One decoded growth log: counts, and the stacks that grew.

Reads what `slowpath-decode growth` writes: a `slowpath.profile` of kind `growth` whose header says, under `growth`,
what only such a log knows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import ColumnFile, ColumnFileError
from slowpath.analysis.formats.go_function_names import is_standard
from slowpath.analysis.formats.header_members import HeaderMembers
from slowpath.analysis.kinds.profiles.categories.runtime_category_rules import runtime_rules
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable, StringTable, read_profile_columns
from slowpath.units import Nanoseconds

KIND = "growth"
UNKNOWN_CALLER = "(unknown)"
OTHERS = "(others)"
# A log with more different stacks than this has its tail added up as one path without a caller.
MOST_PATHS = 4_096

I64 = NDArray[np.int64]


@dataclass(frozen=True)
class GrowthPath:
    """A stack (root first) that grew `sampled` times from `old_bytes` to `new_bytes` (0: not in the log).

    `caller` is the innermost function of the user, `entry` the runtime function that it had called, if the stack
    grew inside the runtime.
    """

    caller: str
    entry: str | None
    path: tuple[str, ...]
    old_bytes: int
    new_bytes: int
    sampled: int


@dataclass(frozen=True)
class GrowthTable:
    """One log. `sampled` counts recorded growths, each standing for `rate`; `total` and `totals` (by old size) are all."""

    dialect: str
    rate: int
    rate_known: bool
    sampled: int
    lost: int
    total: int | None
    totals: Mapping[int, int]
    duration_ns: Nanoseconds | None
    goroutines: int | None
    start_bytes: int | None
    truncated: bool
    cut_traces: int
    paths: tuple[GrowthPath, ...]
    warnings: tuple[str, ...] = field(default=())

    @classmethod
    def parse(cls, buffer: bytes | memoryview) -> "GrowthTable":
        """Read a decoded log; raises `ColumnFileError` when it is not one, or is damaged."""
        table = ProfileTable.parse(buffer)
        columns = read_profile_columns(buffer)
        members = HeaderMembers(columns.header)
        if table.kind != KIND or "growth" not in members.members:
            raise ColumnFileError("not-growth", f"a profile of kind {table.kind!r} is no stack-growth log")
        header = members.inner("growth")
        return cls(
            dialect=header.text("dialect"),
            rate=max(1, header.integer("rate")),
            rate_known=header.boolean("rate_known"),
            sampled=header.integer("sampled"),
            lost=header.integer("lost"),
            total=header.find_integer("total"),
            totals={each.integer("old_bytes"): each.integer("count") for each in header.each("totals")},
            duration_ns=Nanoseconds(header.integer("duration_ns", 0)) or None,
            goroutines=header.find_integer("goroutines"),
            start_bytes=header.find_integer("start_bytes"),
            truncated=header.boolean("truncated"),
            cut_traces=header.integer("cut_stanzas"),
            paths=_paths(table, columns),
            warnings=table.warnings,
        )

    @property
    def estimate(self) -> int:
        """Recorded growths times the rate: about how many there were."""
        return self.sampled * self.rate

    @property
    def growths(self) -> int:
        """All growths as the log printed them, else the estimate."""
        return self.estimate if self.total is None else self.total


def _paths(table: ProfileTable, columns: ColumnFile) -> tuple[GrowthPath, ...]:
    """The stacks with their sizes and counts, most first."""
    node = table.sample_node.astype(np.int64)
    sizes = _sizes_of_samples(table, columns)
    keys = np.stack([node, sizes[:, 0], sizes[:, 1]], axis=1)
    distinct, row = np.unique(keys, axis=0, return_inverse=True)
    counts = np.bincount(row.reshape(-1), weights=table.values[0], minlength=len(distinct)).astype(np.int64)
    order = np.lexsort((np.arange(len(counts)), -counts))
    paths = [
        _path(table, int(distinct[i, 0]), int(distinct[i, 1]), int(distinct[i, 2]), int(counts[i]))
        for i in order[:MOST_PATHS].tolist()
        if counts[i] > 0
    ]
    rest = int(counts[order[MOST_PATHS:]].sum())
    if rest:
        paths.append(GrowthPath(OTHERS, None, (), 0, 0, rest))
    return tuple(paths)


def _path(table: ProfileTable, node: int, old_bytes: int, new_bytes: int, sampled: int) -> GrowthPath:
    names: list[str] = []
    while node > 0:
        names.append(table.strings[int(table.node_key[node])])
        node = int(table.node_parent[node])
    caller, entry = attributed_caller_of(names)
    return GrowthPath(caller, entry, tuple(reversed(names)), old_bytes, new_bytes, sampled)


def attributed_caller_of(leaf_first: list[str]) -> tuple[str, str | None]:
    """(who pays, the runtime function entered) of a stack: the first user function from the leaf, else of a library."""
    entry = None
    library = None
    for name in leaf_first:
        if name.startswith("["):
            continue
        if _is_runtime(name):
            entry = name if library is None else entry
        elif is_standard(name):
            library = library or name
        else:
            return name, entry
    return library or entry or UNKNOWN_CALLER, None if library is None else entry


@lru_cache(maxsize=65_536)
def _is_runtime(name: str) -> bool:
    return runtime_rules().bits(name).is_runtime


def _sizes_of_samples(table: ProfileTable, columns: ColumnFile) -> I64:
    """(old, new) bytes of every sample, 0 where unknown; from the labels `old` = "2048 bytes" and `new`."""
    sizes = np.zeros((len(table.sample_line_node), 2), dtype=np.int64)
    if "sample_labelset" not in columns.arrays:
        return sizes
    offset, label = columns.column("labelset_offset", "u32"), columns.column("labelset_label", "u32")
    key, value = columns.column("label_key", "u32"), columns.column("label_value", "u32")
    labelset = columns.column("sample_labelset", "u32")
    if len(labelset) != len(sizes) or int(labelset.max(initial=0)) + 1 >= max(1, len(offset)):
        raise ColumnFileError("length-differs", "samples and sets of labels do not fit")
    if (
        len(key) != len(value)
        or int(label.max(initial=0)) >= max(1, len(key))
        or int(offset.max(initial=0)) > len(label)
    ):
        raise ColumnFileError("index-outside", "a set has labels that are not there")
    of_set = np.zeros((len(offset) - 1, 2), dtype=np.int64)
    for number in np.unique(labelset).tolist():
        for each in label[int(offset[number]) : int(offset[number + 1])].tolist():
            _take_size(of_set[number], table.strings, int(key[each]), int(value[each]))
    return of_set[labelset]


def _take_size(sizes: I64, strings: StringTable, key: int, value: int) -> None:
    if max(key, value) >= len(strings):
        raise ColumnFileError("index-outside", "a label names a text that is not there")
    name = strings[key]
    number, _, unit = strings[value].partition(" ")
    if name in {"old", "new"} and unit == "bytes" and number.isdecimal() and len(number) < 16:
        sizes[0 if name == "old" else 1] = int(number)
