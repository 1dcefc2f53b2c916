"""The trees of a decoded profile, in preorder: of functions (keys) and of lines.

Most nodes are the first child of the node before them. So a file lists the others only, with their parents: there are as many as
stacks, not as nodes. Files of version 1 list the parent of every node.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import Array, ColumnFile, ColumnFileError

NO_NODE = 0xFFFFFFFF

U32 = NDArray[np.uint32]
I32 = NDArray[np.int32]


class LineNodes(NamedTuple):
    """The tree of lines: the parent, the key (a string) and the line of every node."""

    parent: U32
    key: Array
    line: I32


@dataclass(frozen=True)
class LineTree:
    """The tree of lines, read when it is first used: most views need no lines. `count`: nodes, 0 if the file has none."""

    count: int
    read: Callable[[], LineNodes]

    @cached_property
    def nodes(self) -> LineNodes:
        """Return the nodes."""
        return self.read()

    @classmethod
    def of(cls, nodes: LineNodes) -> "LineTree":
        """Return a tree of known nodes."""
        return cls(len(nodes.parent), lambda: nodes)


class _Branches(NamedTuple):
    """The nodes whose parent is not the node before them, and their parents."""

    node: U32
    parent: U32

    @classmethod
    def read(cls, columns: ColumnFile, name: str) -> "_Branches":
        return cls(columns.column(f"{name}_branch", "u32"), columns.column(f"{name}_branch_parent", "u32"))

    def parents(self, count: int) -> U32:
        """Return the parent of each node; `NO_NODE` of the root."""
        parent = np.arange(count, dtype=np.uint32) - np.uint32(1)
        parent[self.node] = self.parent
        return parent

    def check(self, name: str, count: int) -> None:
        """Raise `ColumnFileError` unless nodes ascend and parents come before their children."""
        node, parent = self.node, self.parent
        if len(node) != len(parent):
            raise ColumnFileError(
                "length-differs", f"{name}_branch_parent has {len(parent)} entries, expected {len(node)}"
            )
        if not count or np.any(node[1:] <= node[:-1]) or (len(node) and int(node[-1]) >= count):
            raise ColumnFileError("tree-damaged", f"the branches of the {name} tree do not ascend")
        if np.any(parent >= node):
            raise ColumnFileError("tree-damaged", f"{name} tree has a parent after its child")


def lists_branches(columns: ColumnFile) -> bool:
    """Return whether a file has branches instead of the parents of all nodes."""
    return columns.header.get("format_version") != 1


def read_nodes(columns: ColumnFile) -> tuple[U32, Array]:
    """Return the parent and the key of every node."""
    if not lists_branches(columns):
        return columns.column("node_parent", "u32"), columns.column("node_key", "u32")
    key = columns.column("node_key", "u16", "u32")
    branches = _Branches.read(columns, "node")
    branches.check("node", len(key))
    return branches.parents(len(key)), key


def read_line_tree(columns: ColumnFile, function_key: U32, node_key: Array) -> LineTree:
    """Return the tree of lines. Checks of version 1 are up to `check_former_lines`."""
    if not lists_branches(columns):
        parent, line = columns.column("line_node_parent", "u32"), columns.column("line_node_line", "i32")
        node = columns.column("line_node_node", "u32")
        return LineTree(len(parent), lambda: LineNodes(parent, node_key[node], line))
    frame, branches = columns.column("line_node_frame", "u16", "u32"), _Branches.read(columns, "line_node")
    function, line_of_frame = columns.column("frame_function", "u32"), columns.column("frame_line", "i32")
    branches.check("line_node", len(frame))
    if len(function) != len(line_of_frame):
        raise ColumnFileError("length-differs", "the columns of frames differ in length")
    _check_below("frame_function", function, len(function_key))

    def read() -> LineNodes:
        _check_below("line_node_frame", frame[1:], len(function))
        if len(function) == 0:
            return LineNodes(
                branches.parents(len(frame)),
                np.zeros(len(frame), dtype=np.uint32),
                np.zeros(len(frame), dtype=np.int32),
            )
        return LineNodes(branches.parents(len(frame)), function_key[function][frame], line_of_frame[frame])

    return LineTree(len(frame), read)


def read_sample_nodes(columns: ColumnFile) -> U32:
    """Return the node of each sample. Raises `ColumnFileError`."""
    if lists_branches(columns):
        node: U32 = columns.column("sample_node", "u32")
        return node
    lines, of_sample = columns.column("line_node_node", "u32"), columns.column("sample_line_node", "u32")
    _check_below("sample_line_node", of_sample, len(lines))
    sample_node: U32 = lines[of_sample]
    return sample_node


def check_former_lines(columns: ColumnFile) -> None:
    """Check the tree of lines of version 1, which is read only for views of lines. Raises `ColumnFileError`."""
    parent = columns.column("line_node_parent", "u32")
    for name, kind in (("line_node_node", "u32"), ("line_node_line", "i32")):
        _same_length(name, columns.column(name, kind), parent)
    if len(parent) == 0 or int(parent[0]) != NO_NODE:
        raise ColumnFileError("tree-damaged", "line_node tree has no root")


def _check_below(name: str, array: Array, limit: int) -> None:
    if len(array) and int(array.max()) >= limit:
        raise ColumnFileError("index-outside", f"{name} refers to {int(array.max())} of {limit}")


def _same_length(name: str, array: Array, other: Array) -> None:
    if len(array) != len(other):
        raise ColumnFileError("length-differs", f"{name} has {len(array)} entries, expected {len(other)}")
