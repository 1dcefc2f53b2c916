"""One decoded profile as arrays: strings, functions, two call trees in preorder, and the samples.

Reads what `slowpath-decode profile` writes. The file is validated once here (indices within their tables, parents before
children, nested subtree sizes), so that later code may index without checks.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import Array, ColumnFile, ColumnFileError, read_columns
from slowpath.analysis.kinds.profiles.decoded.inlined_calls import InlinedCalls, read_inlined_calls
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType, parse_profile_header
from slowpath.analysis.kinds.profiles.decoded.profile_summary import (
    DecodedProfileSummary,
    StackSummary,
    read_stacks,
    read_summary,
)
from slowpath.analysis.kinds.profiles.decoded.profile_trees import (
    NO_NODE,
    LineNodes,
    LineTree,
    check_former_lines,
    lists_branches,
    read_line_tree,
    read_nodes,
    read_sample_nodes,
)
from slowpath.analysis.kinds.profiles.decoded.sample_labels import (
    LabelSetSums,
    SampleLabels,
    check_sample_labels,
    read_label_set_sums,
    read_sample_labels,
)
from slowpath.units import Nanoseconds

FORMAT = "slowpath.profile"
VERSIONS = (1, 2)
"""Stored profiles of version 1 are read as well."""
ROOT_CUT_OFF = "[root cut off]"

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@dataclass(frozen=True)
class StringTable:
    """A string table that decodes on demand."""

    offsets: U32
    data: bytes
    _held: dict[bytes, bool] = field(default_factory=dict, compare=False, repr=False)

    def holds(self, text: bytes) -> bool:
        """Return whether a string (or two adjacent ones) contains `text`; the answer is cached."""
        if text not in self._held:
            self._held[text] = text in self.data
        return self._held[text]

    def __getitem__(self, index: int) -> str:
        return self.data[int(self.offsets[index]) : int(self.offsets[index + 1])].decode("utf-8", "replace")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def texts(self, indices: Array) -> list[str]:
        """Return many strings at once."""
        starts, ends = self.offsets[indices].tolist(), self.offsets[indices + 1].tolist()
        spans = zip(starts, ends, strict=True)
        if self._ascii is not None:
            return [self._ascii[start:end] for start, end in spans]
        return [self.data[start:end].decode("utf-8", "replace") for start, end in spans]

    @cached_property
    def _ascii(self) -> str | None:
        """Return all strings as one text with one character per byte: slicing it is faster than decoding each."""
        return self.data.decode("ascii") if self.data.isascii() else None


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
    strings: StringTable
    function_name: U32
    function_key: U32
    function_file: U32
    node_parent: U32
    node_key: Array
    lines: LineTree
    sample_node: U32
    sample_line_node: U32
    values: tuple[I64, ...]
    summary: DecodedProfileSummary | None = None
    sample_labels: SampleLabels | None = None
    label_set_sums: LabelSetSums | None = None
    inlined_calls: InlinedCalls | None = None
    node_hash: U64 | None = None
    """Hash of the path of each node, in profiles without stored stacks."""
    stored_stacks: StackSummary | None = None
    """The distinct stacks as they are stored, with the hashes of their paths."""

    @classmethod
    def parse(cls, buffer: bytes | memoryview, *, checked: bool = False) -> "ProfileTable":
        """Parse a profile file; raises `ColumnFileError` if it is not one, or is damaged.

        `checked`: the file was validated before, so only its frame is checked. Unchecked columns are not loaded: of a mapped file,
        a comparison needs a small part.
        """
        columns = read_profile_columns(buffer)
        header = parse_profile_header(columns.header)
        types = len(header.sample_types)
        stacks = read_stacks(columns, types)
        brief = stacks is not None and "sample_line_node" not in columns.arrays
        functions = {name: columns.column(name, "u32") for name in _FUNCTIONS}
        parent, key = read_nodes(columns)
        samples = (
            _brief_samples(stacks)
            if stacks is not None and brief
            else _recorded_samples(columns, types, functions["function_key"], key)
        )
        strings = StringTable(columns.column("strings_offset", "u32"), columns.column("strings_bytes", "u8").tobytes())
        table = cls(
            kind=header.kind,
            sample_types=tuple(header.sample_types),
            default_sample_type=header.default_sample_type,
            period=header.period,
            period_type=header.period_type,
            time_ns=header.time_ns,
            duration_ns=header.duration_ns,
            build_ids=tuple(each.build_id for each in header.mappings if each.build_id),
            cut_samples=header.cut_samples,
            warnings=tuple(header.warnings),
            strings=strings,
            function_name=functions["function_name"],
            function_key=functions["function_key"],
            function_file=functions["function_file"],
            node_parent=parent,
            node_key=key,
            **samples._asdict(),
            summary=None if stacks is None else read_summary(columns, stacks, samples.values, len(strings)),
            sample_labels=read_sample_labels(columns),
            label_set_sums=read_label_set_sums(columns, types, len(strings)),
            inlined_calls=read_inlined_calls(columns, len(strings)),
            node_hash=columns.column("node_hash", "u64") if stacks is None else None,
            stored_stacks=stacks,
        )
        if not checked:
            _check(table, columns, brief=brief)
        return table

    @property
    def sums(self) -> DecodedProfileSummary | None:
        """Return the decoder's summary, if there is one and the values are still those it was computed from."""
        return self.summary if self.summary is not None and self.summary.of is self.values else None

    @cached_property
    def stacks(self) -> StackSummary:
        """Return the distinct stacks of functions, with their values."""
        return _stacks_of_samples(self) if self.sums is None else self.sums.stacks

    def node_depths(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many frames are between the root and each of `nodes`, itself included."""
        depths, node = np.zeros(len(nodes), dtype=np.int64), nodes.copy()
        is_below = np.flatnonzero(node > 0)
        while len(is_below):
            depths[is_below] += 1
            node[is_below] = self.node_parent[node[is_below]]
            is_below = is_below[node[is_below] > 0]
        return depths

    def hashes_of(self, nodes: NDArray[np.int64]) -> U64:
        """Return the hash of the path of each of `nodes`, at which stacks end; that of the root is 0."""
        if self.node_hash is not None:
            return np.where(nodes == 0, np.uint64(0), self.node_hash[nodes])
        assert self.stored_stacks is not None  # only profiles with stored stacks have no hashes of nodes
        stacks = self.stored_stacks
        return np.where(nodes == 0, np.uint64(0), stacks.hash[np.searchsorted(stacks.node, nodes)])

    def total(self, sample_type: int) -> float:
        """Return the sum of all samples' values, in the sample type's unit."""
        return float(self.values[sample_type].sum())


_FUNCTIONS = ("function_name", "function_key", "function_file")


def read_profile_columns(buffer: bytes | memoryview) -> ColumnFile:
    """Read the columns of a decoded profile. Raises `ColumnFileError`."""
    return read_columns(buffer, FORMAT, VERSIONS)


class _Samples(NamedTuple):
    """The samples of a file, and the tree of lines that they end in."""

    lines: LineTree
    sample_node: U32
    sample_line_node: U32
    values: tuple[I64, ...]


def _recorded_samples(columns: ColumnFile, types: int, function_key: U32, node_key: Array) -> _Samples:
    return _Samples(
        lines=read_line_tree(columns, function_key, node_key),
        sample_node=read_sample_nodes(columns),
        sample_line_node=columns.column("sample_line_node", "u32"),
        values=tuple(columns.column(f"value_{number}", "i64") for number in range(types)),
    )


def _brief_samples(stacks: StackSummary) -> _Samples:
    """Return the samples of a brief file, which has neither lines nor samples: each stack acts as a sample."""
    none = np.zeros(0, dtype=np.uint32)
    return _Samples(
        lines=LineTree.of(LineNodes(none, none, none.view(np.int32))),
        sample_node=stacks.node,
        sample_line_node=np.arange(len(stacks.node), dtype=np.uint32),
        values=stacks.values,
    )


def _stacks_of_samples(table: ProfileTable) -> StackSummary:
    distinct, row = np.unique(table.sample_node, return_inverse=True)
    nodes = distinct.astype(np.int64)
    values = []
    for each in table.values:
        summed = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(summed, row, each)
        values.append(summed)
    return StackSummary(distinct, table.hashes_of(nodes), table.node_depths(nodes), tuple(values))


def _check(table: ProfileTable, columns: ColumnFile, *, brief: bool) -> None:
    texts = len(table.strings)
    if texts < 1 or np.any(table.strings.offsets[1:] < table.strings.offsets[:-1]):
        raise ColumnFileError("strings-damaged", "string offsets do not ascend")
    if int(table.strings.offsets[-1]) != len(table.strings.data):
        raise ColumnFileError("strings-damaged", "string offsets do not match the bytes")
    _check_below("function_name", table.function_name, texts)
    _check_below("function_key", table.function_key, texts)
    _check_below("function_file", table.function_file, texts)
    _same_length("function_key", table.function_key, table.function_name)
    _same_length("function_file", table.function_file, table.function_name)
    _check_below("node_key", table.node_key, texts)
    if not lists_branches(columns):
        _check_tree("node", table.node_parent)
    _same_length("node_key", table.node_key, table.node_parent)
    if table.summary is not None:
        _check_below("stack_node", table.summary.stacks.node, len(table.node_parent))
    if brief:
        return
    if table.node_hash is not None:
        _same_length("node_hash", table.node_hash, table.node_parent)
    for index, values in enumerate(table.values):
        _same_length(f"value_{index}", values, table.sample_line_node)
    _same_length("sample_node", table.sample_node, table.sample_line_node)
    _check_below("sample_line_node", table.sample_line_node, table.lines.count)
    _check_below("sample_node", table.sample_node, len(table.node_parent))
    if not lists_branches(columns):
        check_former_lines(columns)
    if table.sample_labels is not None:
        check_sample_labels(table.sample_labels, len(table.sample_line_node), texts)


_SLICE = 262_144


def _check_tree(name: str, parent: U32) -> None:
    """Check that the root is first and every parent precedes its children, in slices to save memory."""
    if len(parent) == 0 or int(parent[0]) != NO_NODE:
        raise ColumnFileError("tree-damaged", f"{name} tree has no root")
    for begin in range(1, len(parent), _SLICE):
        part = parent[begin : begin + _SLICE]
        if np.any(part >= np.arange(begin, begin + len(part), dtype=np.uint32)):
            raise ColumnFileError("tree-damaged", f"{name} tree has a parent after its child")


def _check_below(name: str, array: Array, limit: int) -> None:
    if len(array) and int(array.max()) >= limit:
        raise ColumnFileError("index-outside", f"{name} refers to {int(array.max())} of {limit}")


def _same_length(name: str, array: Array, other: Array) -> None:
    if len(array) != len(other):
        raise ColumnFileError("length-differs", f"{name} has {len(array)} entries, expected {len(other)}")
