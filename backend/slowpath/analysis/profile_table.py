"""One decoded profile, as arrays: strings, functions, two call trees in preorder, and the samples.

Reads what `slowpath-decode profile` writes. The file is checked once here (indices inside their tables, parents
before children, subtree sizes that nest), so that the arithmetic above may index without looking.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.columns import Array, Columns, ColumnsError, read_columns
from slowpath.units import Nanoseconds

FORMAT = "slowpath.profile"
NO_NODE = 0xFFFFFFFF
ROOT_CUT_OFF = "[root cut off]"

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


@dataclass(frozen=True)
class SampleType:
    """What one value of a sample counts: `cpu` in `nanoseconds`, `alloc_space` in `bytes`."""

    type: str
    unit: str


@dataclass(frozen=True)
class Strings:
    """A string table that decodes only what is asked for."""

    offsets: U32
    data: bytes

    def __getitem__(self, index: int) -> str:
        return self.data[int(self.offsets[index]) : int(self.offsets[index + 1])].decode("utf-8", "replace")

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True)
class ProfileTable:
    """One decoded profile. Node 0 of both trees is the root, which is no function."""

    kind: str
    sample_types: tuple[SampleType, ...]
    default_sample_type: int
    period: int
    period_type: SampleType
    time_ns: Nanoseconds
    duration_ns: Nanoseconds
    build_ids: tuple[str, ...]
    cut_samples: int
    warnings: tuple[str, ...]
    strings: Strings
    function_name: U32
    function_key: U32
    function_file: U32
    node_parent: U32
    node_key: U32
    node_hash: U64
    node_size: U32
    line_node_parent: U32
    line_node_function: U32
    line_node_line: I32
    line_node_node: U32
    sample_line_node: U32
    values: tuple[I64, ...]

    @classmethod
    def parse(cls, buffer: bytes | memoryview) -> "ProfileTable":
        """Read a profile file; raises `ColumnsError` when it is not one, or is damaged."""
        columns = read_columns(buffer, FORMAT)
        header = columns.header
        table = cls(
            **_described(header),
            strings=Strings(columns.column("strings_offset", "u32"), columns.column("strings_bytes", "u8").tobytes()),
            **{name: columns.column(name, kind) for name, kind in _COLUMNS.items()},
            values=tuple(columns.column(f"value_{i}", "i64") for i in range(len(header["sample_types"]))),
        )
        _check(table)
        return table

    def self_by_line_node(self, sample_type: int) -> F64:
        """Self value of each line node (float64 is exact up to 2^53, that is 104 days of nanoseconds)."""
        return np.bincount(
            self.sample_line_node, weights=self.values[sample_type], minlength=len(self.line_node_parent)
        )

    def total(self, sample_type: int) -> float:
        """Sum of all samples' values, in the sample type's unit."""
        return float(self.values[sample_type].sum())


_COLUMNS: Mapping[str, str] = {
    "function_name": "u32",
    "function_key": "u32",
    "function_file": "u32",
    "node_parent": "u32",
    "node_key": "u32",
    "node_hash": "u64",
    "node_size": "u32",
    "line_node_parent": "u32",
    "line_node_function": "u32",
    "line_node_line": "i32",
    "line_node_node": "u32",
    "sample_line_node": "u32",
}


def _described(header: Mapping[str, Any]) -> dict[str, Any]:
    """The header's facts as constructor arguments; a header that says them wrongly is a damaged file."""
    try:
        types = tuple(SampleType(str(item["type"]), str(item["unit"])) for item in header["sample_types"])
        default = int(header["default_sample_type"])
        if not types or not 0 <= default < len(types):
            raise ColumnsError("header-damaged", f"default sample type {default} of {len(types)}")
        period_type = header.get("period_type") or {}
        mappings = header.get("mappings") or []
        return {
            "kind": str(header["kind"]),
            "sample_types": types,
            "default_sample_type": default,
            "period": int(header.get("period") or 0),
            "period_type": SampleType(str(period_type.get("type", "")), str(period_type.get("unit", ""))),
            "time_ns": Nanoseconds(int(header.get("time_ns") or 0)),
            "duration_ns": Nanoseconds(int(header.get("duration_ns") or 0)),
            "build_ids": tuple(str(m["build_id"]) for m in mappings if m.get("build_id")),
            "cut_samples": int(header.get("cut_samples") or 0),
            "warnings": tuple(str(text) for text in header.get("warnings") or []),
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise ColumnsError("header-damaged", f"the profile's header lacks or mistypes {error}") from error


def _check(table: ProfileTable) -> None:
    texts = len(table.strings)
    if texts < 1 or np.any(np.diff(table.strings.offsets.astype(np.int64)) < 0):
        raise ColumnsError("strings-damaged", "string offsets do not ascend")
    if int(table.strings.offsets[-1]) != len(table.strings.data):
        raise ColumnsError("strings-damaged", "string offsets do not match the bytes")
    _check_below("function_name", table.function_name, texts)
    _check_below("function_key", table.function_key, texts)
    _check_below("function_file", table.function_file, texts)
    _check_below("node_key", table.node_key, texts)
    _check_tree("node", table.node_parent)
    _check_tree("line_node", table.line_node_parent)
    _check_below("line_node_function", table.line_node_function[1:], len(table.function_name))
    _check_below("line_node_node", table.line_node_node, len(table.node_parent))
    _check_below("sample_line_node", table.sample_line_node, len(table.line_node_parent))
    for index, values in enumerate(table.values):
        _same_length(f"value_{index}", values, table.sample_line_node)
    _same_length("node_key", table.node_key, table.node_parent)
    _same_length("node_hash", table.node_hash, table.node_parent)
    _same_length("node_size", table.node_size, table.node_parent)
    _same_length("line_node_node", table.line_node_node, table.line_node_parent)
    _same_length("line_node_function", table.line_node_function, table.line_node_parent)
    _same_length("line_node_line", table.line_node_line, table.line_node_parent)
    _same_length("function_key", table.function_key, table.function_name)
    _same_length("function_file", table.function_file, table.function_name)


def _check_tree(name: str, parent: U32) -> None:
    """Root first, and every parent before its children: then no walk can loop."""
    if len(parent) == 0 or int(parent[0]) != NO_NODE:
        raise ColumnsError("tree-damaged", f"{name} tree has no root")
    if np.any(parent[1:] >= np.arange(1, len(parent), dtype=np.uint32)):
        raise ColumnsError("tree-damaged", f"{name} tree has a parent that does not stand before its child")


def _check_below(name: str, array: Array, limit: int) -> None:
    if len(array) and int(array.max()) >= limit:
        raise ColumnsError("index-outside", f"{name} points at {int(array.max())} of {limit}")


def _same_length(name: str, array: Array, other: Array) -> None:
    if len(array) != len(other):
        raise ColumnsError("length-differs", f"{name} has {len(array)} entries, expected {len(other)}")
