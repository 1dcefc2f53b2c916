"""One decoded span set as tables of columns.

Traces, their spans in preorder, attributes, events, links. Reads what `slowpath-decode spans` writes. The file is
validated once here (indices within their tables, preorder, no negative duration), so that later code may index without
checks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import ColumnFileError, read_columns
from slowpath.analysis.formats.column_sections import (
    I64,
    NONE,
    U32,
    check_ends,
    check_offsets,
    check_section,
    read_section,
)
from slowpath.analysis.formats.header_members import HeaderMembers
from slowpath.analysis.kinds.profiles.decoded.profile_header import DecodedSource, parse_source
from slowpath.analysis.kinds.profiles.decoded.profile_table import StringTable
from slowpath.analysis.kinds.spans.span_columns import (
    KINDS,
    STATUSES,
    AttributeColumns,
    EventColumns,
    LinkColumns,
    SpanColumns,
    TraceColumns,
)

FORMAT = "slowpath.spans"

Section = TypeVar("Section", AttributeColumns, EventColumns, LinkColumns)
COUNTS = ("spans", "traces", "services", "missing_parents", "duplicates", "cycles", "negative", "skewed")


@dataclass(frozen=True)
class SpanTable:
    """One decoded set of spans.

    Rows of `spans` are numbered over all traces; the parent of a root is NONE.
    """

    source: DecodedSource
    dialect: str
    counts: Mapping[str, int]
    warnings: tuple[str, ...]
    strings: StringTable
    traces: TraceColumns
    trace_offset: U32
    spans: SpanColumns
    skew_ns: I64
    attr_offset: U32
    attributes: AttributeColumns
    event_offset: U32
    events: EventColumns
    link_offset: U32
    links: LinkColumns

    @classmethod
    def parse(cls, buffer: bytes | memoryview, *, checked: bool = False) -> "SpanTable":
        """Parse a span file; raises `ColumnFileError` if it is not one, or is damaged.

        `checked`: the file was validated before, so only its frame is checked.
        """
        columns = read_columns(buffer, FORMAT)
        header = HeaderMembers(columns.header)
        table = cls(
            source=parse_source(header),
            dialect=header.text("dialect", ""),
            counts=_counts(header.inner("counts", {}).members),
            warnings=header.texts("warnings", ()),
            strings=StringTable(
                columns.column("strings_offset", "u32"), columns.column("strings_bytes", "u8").tobytes()
            ),
            traces=read_section(columns, TraceColumns, "trace"),
            trace_offset=columns.column("trace_offset", "u32"),
            spans=read_section(columns, SpanColumns, "span"),
            skew_ns=columns.column("span_skew_ns", "i64"),
            attr_offset=columns.column("attr_offset", "u32"),
            attributes=read_section(columns, AttributeColumns, "attr"),
            event_offset=columns.column("event_offset", "u32"),
            events=read_section(columns, EventColumns, "event"),
            link_offset=columns.column("link_offset", "u32"),
            links=read_section(columns, LinkColumns, "link"),
        )
        if not checked:
            _check(table)
        return table

    def __len__(self) -> int:
        return len(self.spans.id)

    @property
    def trace_count(self) -> int:
        """Return the number of traces."""
        return len(self.traces.hi)

    @property
    def start_ns(self) -> int:
        """Return when the first span began, Unix nanoseconds; 0 without spans."""
        return int(self.spans.start_ns.min()) if len(self) else 0

    @property
    def end_ns(self) -> int:
        """Return when the last span ended, Unix nanoseconds; 0 without spans."""
        return int(self.spans.end_ns.max()) if len(self) else 0

    @cached_property
    def parent(self) -> NDArray[np.int64]:
        """Return the row of each span's parent; -1 for roots."""
        rows = self.spans.parent.astype(np.int64)
        return np.where(rows == NONE, -1, rows)

    @cached_property
    def trace_of(self) -> NDArray[np.int64]:
        """Return the trace of each span."""
        offsets = self.trace_offset.astype(np.int64)
        return np.repeat(np.arange(self.trace_count), offsets[1:] - offsets[:-1])

    @cached_property
    def duration_ns(self) -> I64:
        """Return the duration of each span."""
        durations: I64 = self.spans.end_ns - self.spans.start_ns
        return durations

    def service(self, row: int) -> str:
        """Return the name of a span's service."""
        return self.strings[int(self.spans.service[row])]

    def op(self, row: int) -> str:
        """Return the name of a span's operation."""
        return self.strings[int(self.spans.op[row])]

    def trace_id(self, trace: int) -> str:
        """Return the id of a trace, 32 hexadecimal digits."""
        return f"{int(self.traces.hi[trace]):016x}{int(self.traces.lo[trace]):016x}"

    def find(self, trace_id: str) -> int | None:
        """Return the trace with this id (up to 32 hexadecimal digits).

        None if it is absent or the id is invalid.
        """
        try:
            number = int(trace_id, 16)
        except ValueError:
            return None
        if len(trace_id) > 32 or number < 0:
            return None
        hi, lo = np.uint64(number >> 64), np.uint64(number & 0xFFFFFFFFFFFFFFFF)
        found = np.flatnonzero((self.traces.hi == hi) & (self.traces.lo == lo))
        return int(found[0]) if len(found) else None

    def rows_of(self, trace: int) -> range:
        """Return the rows of a trace's spans."""
        return range(int(self.trace_offset[trace]), int(self.trace_offset[trace + 1]))

    def only(self, trace: int) -> "SpanTable":
        """Return the table of a single trace; strings are shared."""
        rows = self.rows_of(trace)
        row_slice = slice(rows.start, rows.stop)
        spans = {name: getattr(self.spans, name)[row_slice] for name in SpanColumns.__dataclass_fields__}
        above = spans["parent"].astype(np.int64)
        spans["parent"] = np.where(above == NONE, NONE, above - rows.start).astype(np.uint32)
        attributes, attr_offset = _slice_section(self.attributes, self.attr_offset, rows)
        events, event_offset = _slice_section(self.events, self.event_offset, rows)
        links, link_offset = _slice_section(self.links, self.link_offset, rows)
        return replace(
            self,
            traces=TraceColumns(self.traces.hi[trace : trace + 1], self.traces.lo[trace : trace + 1]),
            trace_offset=np.array([0, len(rows)], dtype=np.uint32),
            spans=SpanColumns(**spans),
            skew_ns=self.skew_ns[row_slice],
            attr_offset=attr_offset,
            attributes=attributes,
            event_offset=event_offset,
            events=events,
            link_offset=link_offset,
            links=links,
        )

    def attributes_of(self, row: int) -> list[tuple[str, str]]:
        """Return the attributes of a span."""
        begin, end = int(self.attr_offset[row]), int(self.attr_offset[row + 1])
        keys, values = self.attributes.key[begin:end].tolist(), self.attributes.value[begin:end].tolist()
        return [(self.strings[key], self.strings[value]) for key, value in zip(keys, values, strict=True)]

    @cached_property
    def attribute_keys(self) -> dict[str, int]:
        """Return the string index of each attribute key."""
        return {self.strings[int(key)]: int(key) for key in np.unique(self.attributes.key).tolist()}

    @cached_property
    def attribute_row(self) -> NDArray[np.int64]:
        """Return the span of each attribute."""
        offsets = self.attr_offset.astype(np.int64)
        return np.repeat(np.arange(len(self)), offsets[1:] - offsets[:-1])

    def values_of(self, key: str) -> list[tuple[int, str]]:
        """Return (row, value) of every attribute with this key."""
        number = self.attribute_keys.get(key)
        if number is None:
            return []
        places = np.flatnonzero(self.attributes.key == number)
        rows, values = self.attribute_row[places].tolist(), self.attributes.value[places].tolist()
        return [(row, self.strings[value]) for row, value in zip(rows, values, strict=True)]


def _slice_section(section: Section, offset: U32, rows: range) -> tuple[Section, U32]:
    """Return the part of a section that belongs to some rows, and its offsets."""
    begin, end = int(offset[rows.start]), int(offset[rows.stop])
    parts = {name: getattr(section, name)[begin:end] for name in type(section).__dataclass_fields__}
    shifted: U32 = offset[rows.start : rows.stop + 1] - np.uint32(begin)
    return type(section)(**parts), shifted


def _counts(counts: Mapping[str, object]) -> dict[str, int]:
    known = {name: value for name, value in counts.items() if isinstance(value, int)}
    return {name: known.get(name, 0) for name in (*COUNTS, *counts)}


def _check(table: SpanTable) -> None:
    offsets = table.strings.offsets
    if len(table.strings) < 1 or np.any(offsets[1:] < offsets[:-1]) or int(offsets[-1]) != len(table.strings.data):
        raise ColumnFileError("strings-damaged", "string offsets do not ascend to the end of the bytes")
    count, spans = len(table), table.spans
    limits = {"strings": len(table.strings), "spans": count, "kinds": len(KINDS), "statuses": len(STATUSES)}
    for prefix, section in (
        ("trace", table.traces),
        ("span", spans),
        ("attr", table.attributes),
        ("event", table.events),
        ("link", table.links),
    ):
        check_section(section, prefix, limits)
    check_offsets("trace_offset", table.trace_offset, table.trace_count, count)
    check_offsets("attr_offset", table.attr_offset, count, len(table.attributes.key))
    check_offsets("event_offset", table.event_offset, count, len(table.events.name))
    check_offsets("link_offset", table.link_offset, count, len(table.links.span))
    check_ends("span", spans.start_ns, spans.end_ns)
    if len(table.skew_ns) != count:
        raise ColumnFileError("length-differs", f"span_skew_ns has {len(table.skew_ns)} entries, expected {count}")
    _check_order(table)


def _check_order(table: SpanTable) -> None:
    """Check the preorder: a span's parent is the last span before it one level higher, in the same trace."""
    count, parent, depth = len(table), table.parent, table.spans.depth.astype(np.int64)
    inner = np.flatnonzero(parent >= 0)
    if np.any(depth[parent < 0] != 0) or np.any(depth[inner] == 0):
        raise ColumnFileError("order-damaged", "depth 0 does not match the roots")
    by_depth = np.sort(depth * (count + 1) + np.arange(count))
    place = np.searchsorted(by_depth, (depth[inner] - 1) * (count + 1) + inner) - 1
    if np.any(place < 0) or np.any(by_depth[place] != (depth[inner] - 1) * (count + 1) + parent[inner]):
        raise ColumnFileError("order-damaged", "the spans of a trace are not in preorder")
    if np.any(table.trace_of[parent[inner]] != table.trace_of[inner]):
        raise ColumnFileError("order-damaged", "a span's parent is in another trace")
