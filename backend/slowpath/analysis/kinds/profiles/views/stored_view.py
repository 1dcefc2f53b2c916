"""Read a stored diff view: subtrees on demand, searches over all nodes, lines of a function.

The stored view has every node; the parts sent to a page are cut from it beforehand. Sums over matches count nested matches
once: only the topmost of a chain of matching frames.
"""

import gzip
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import (
    Array,
    ColumnFile,
    pack_strings,
    read_columns,
    upgrade_header,
    write_columns,
)
from slowpath.analysis.formats.header_members import HeaderMembers
from slowpath.analysis.kinds.profiles.decoded.inlined_calls import IN_BASE, IN_CANDIDATE
from slowpath.analysis.kinds.profiles.views.diff_header import FORMER_DIFF_NAMES

DIFF_FORMAT = "slowpath.diff"
LINES_FORMAT = "slowpath.lines"
FUNCTIONS_FORMAT = "slowpath.functions"
SUBTREE_NODES = 8_192
SNIFFED_BYTES = 1_000
"""A header begins with the normalizations, after the kind and the sample type."""
COMPRESSION_LEVEL = 1
MOST_INLINED = 20
"""Inlined functions that are named per line."""
SIDES = ("base", "candidate")


@dataclass(frozen=True)
class FrameMatches:
    """The matches of a pattern: counts of nodes and functions, and the raw totals of the topmost matches."""

    nodes: int
    functions: int
    base: float
    candidate: float


@dataclass(frozen=True)
class SourceLine:
    """One line of a function, raw values of both sides, and which functions were inlined into it.

    Attributed cost is None in views that were stored without it.
    """

    line: int
    base_self: float
    base_total: float
    candidate_self: float
    candidate_total: float
    base_attributed: float | None = None
    candidate_attributed: float | None = None
    base_inlined: tuple[str, ...] = ()
    candidate_inlined: tuple[str, ...] = ()


@dataclass(frozen=True)
class StoredView:
    """All nodes of a view, in preorder: row i is node i."""

    columns: ColumnFile
    names: tuple[str, ...]

    @classmethod
    def parse(cls, buffer: bytes | memoryview) -> "StoredView":
        """Parse the stored view. Raises `ColumnsError`."""
        columns = read_columns(buffer, DIFF_FORMAT, former=FORMER_DIFF_NAMES)
        return cls(columns, strings_of(columns))

    def search(self, matches: Callable[[str], bool]) -> FrameMatches:
        """Return the totals over all nodes whose name matches."""
        hit_name = np.fromiter((matches(name) for name in self.names), dtype=bool, count=len(self.names))
        name = self.columns.column("node_name", "u32")
        hits = np.flatnonzero(hit_name[name])
        hits = hits[hits > 0]  # the root is no function
        if not len(hits):
            return FrameMatches(0, 0, 0.0, 0.0)
        ends = self._ends(hits)
        before = np.concatenate([[0], np.maximum.accumulate(ends)[:-1]])
        topmost = hits[hits >= before]
        return FrameMatches(
            nodes=len(hits),
            functions=len(np.unique(name[hits])),
            base=float(self.columns.column("base_total", "f64")[topmost].sum()),
            candidate=float(self.columns.column("candidate_total", "f64")[topmost].sum()),
        )

    def subtree(self, node_id: int) -> bytes:
        """Return up to 8,192 of the largest nodes below a node, itself included. Raises `IndexError`."""
        if not 0 <= node_id < len(self.columns.column("node_size", "u32")):
            raise IndexError(node_id)
        inside = np.arange(node_id, int(self._ends(np.array([node_id]))[0]))
        weight = self._weight()[inside]
        if len(inside) > SUBTREE_NODES:
            # Stable and by weight, so that a parent, which is never lighter than its child and precedes it, is
            # included.
            inside = np.sort(inside[np.argsort(-weight, kind="stable")[:SUBTREE_NODES]])
        return self._cut(inside)

    def _ends(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the row behind the last one beneath each node.

        Sizes also count the nodes that a limited tree leaves out: with these, every node has a place in the complete order.
        """
        size = self.columns.column("node_size", "u32").astype(np.int64)
        if int(size[0]) == len(size):
            return nodes + size[nodes]
        parent = self.columns.column("node_parent", "u32")[1:].astype(np.int64)
        left_out = size - 1 - np.bincount(parent, weights=size[1:], minlength=len(size)).astype(np.int64)
        place = np.arange(len(size) + 1) + np.concatenate([[0], np.cumsum(left_out)])
        ends: NDArray[np.int64] = np.searchsorted(place, place[nodes] + size[nodes])
        return ends

    def _weight(self) -> NDArray[np.float64]:
        header = HeaderMembers(self.columns.header)
        by_id = {each.text("id"): each for each in header.each("normalizations")}
        normalization = by_id[header.text("default_normalization")]
        weight: NDArray[np.float64] = np.abs(self.columns.column("base_total", "f64")) * normalization.number(
            "base_scale"
        ) + np.abs(self.columns.column("candidate_total", "f64")) * normalization.number("candidate_scale")
        return weight

    def _cut(self, selected: NDArray[np.int64]) -> bytes:
        arrays: dict[str, Array] = {
            name: array[selected] for name, array in self.columns.arrays.items() if not name.startswith("strings_")
        }
        used, renamed = np.unique(arrays["node_name"], return_inverse=True)
        arrays["node_name"] = renamed.astype(np.uint32)
        arrays |= self._hidden(selected)
        arrays |= pack_strings([self.names[index] for index in used.tolist()])
        header = {name: value for name, value in self.columns.header.items() if name != "columns"}
        return write_columns({**header, "part": "subtree", "nodes_sent": len(selected)}, arrays)

    def _hidden(self, selected: NDArray[np.int64]) -> dict[str, Array]:
        """Return what each selected node hides.

        The totals of its children, and the nodes, outside of this part.
        """
        size = self.columns.column("node_size", "u32")[selected].astype(np.int64)
        place = np.full(int(selected[-1]) + 1, -1, dtype=np.int64)
        place[selected] = np.arange(len(selected))
        parent = place[self.columns.column("node_parent", "u32")[selected][1:].astype(np.int64)]
        hidden: dict[str, Array] = {}
        for side in ("base", "candidate"):
            total = self.columns.column(f"{side}_total", "f64")[selected]
            self_value = self.columns.column(f"{side}_self", "f64")[selected]
            shown = np.bincount(parent, weights=total[1:], minlength=len(selected))
            rest = total - self_value - shown
            hidden[f"hidden_{side}"] = np.where(np.abs(rest) < 1e-9 * np.maximum(np.abs(total), 1.0), 0.0, rest)
        inside = size - 1 - np.bincount(parent, weights=size[1:], minlength=len(selected)).astype(np.int64)
        hidden["hidden_nodes"] = inside.astype(np.uint32)
        return hidden


def upgrade_packed_view(packed: bytes) -> bytes:
    """Return a file of a view, compressed by gzip, under the present names of its header's members."""
    beginning = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(packed, SNIFFED_BYTES)
    if not any(f'"{name}":'.encode() in beginning for name in FORMER_DIFF_NAMES.names):
        return packed
    return gzip.compress(upgrade_header(gzip.decompress(packed), FORMER_DIFF_NAMES), COMPRESSION_LEVEL, mtime=0)


def lines_of(buffer: bytes | memoryview, function: str) -> list[SourceLine]:
    """Return the lines of one function from a stored table of lines, in their order; empty if it has none."""
    columns = read_columns(buffer, LINES_FORMAT)
    names = strings_of(columns)
    if function not in names:
        return []
    number = names.index(function)
    rows = np.flatnonzero(columns.column("function", "u32") == number)
    lines = [
        SourceLine(*row)
        for row in zip(
            columns.column("line", "i32")[rows].tolist(),
            *(columns.column(f"{side}_{what}", "f64")[rows].tolist() for side in SIDES for what in ("self", "total")),
            strict=True,
        )
    ]
    if "base_attributed" in columns.arrays:
        attributed = [columns.column(f"{side}_attributed", "f64")[rows].tolist() for side in SIDES]
        lines = [
            replace(line, base_attributed=base, candidate_attributed=candidate)
            for line, base, candidate in zip(lines, *attributed, strict=True)
        ]
    base, candidate = (_inlined_by_line(columns, names, number, bit) for bit in (IN_BASE, IN_CANDIDATE))
    return [
        replace(line, base_inlined=base.get(line.line, ()), candidate_inlined=candidate.get(line.line, ()))
        for line in lines
    ]


def _inlined_by_line(
    columns: ColumnFile, names: tuple[str, ...], function: int, side: int
) -> dict[int, tuple[str, ...]]:
    """Return the functions inlined into each line on a side, at most `MOST_INLINED` a line."""
    if "inlined_function" not in columns.arrays:
        return {}
    is_listed = columns.column("inlined_sides", "u8") & side != 0
    rows = np.flatnonzero((columns.column("inlined_function", "u32") == function) & is_listed)
    found: dict[int, tuple[str, ...]] = {}
    lines, callees = columns.column("inlined_line", "i32")[rows], columns.column("inlined_callee", "u32")[rows]
    for line, callee in zip(lines.tolist(), callees.tolist(), strict=True):
        of_line = found.get(line, ())
        if len(of_line) < MOST_INLINED:
            found[line] = (*of_line, names[callee])
    return found


def file_of(packed: bytes, function: str) -> str | None:
    """Return the file of a function from the compressed table of functions; None if it has none."""
    columns = read_columns(gzip.decompress(packed), FUNCTIONS_FORMAT, former=FORMER_DIFF_NAMES)
    texts = strings_of(columns)
    if function not in texts:
        return None
    files = columns.column("file", "u32")[columns.column("name", "u32") == texts.index(function)].tolist()
    return texts[files[0]] or None if files else None


def strings_of(columns: ColumnFile) -> tuple[str, ...]:
    """Return the string table of a container."""
    offsets = columns.column("strings_offset", "u32").tolist()
    data = columns.column("strings_bytes", "u8").tobytes()
    return tuple(data[start:end].decode("utf-8", "replace") for start, end in pairwise(offsets))
