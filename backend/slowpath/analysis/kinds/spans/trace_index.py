"""Index all traces of a set (`slowpath.spans-traces`) for sorting and filtering.

It is written once, when the set is decoded: a page of the list reads the index instead of the spans.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import Array, ColumnFileError, pack_strings, read_columns, write_columns
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_forest import SpanForest
from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.analysis.kinds.spans.spans_page_document import SpanTraceRow
from slowpath.analysis.kinds.spans.trace_list import Order, measured_traces

FORMAT = "slowpath.spans-traces"
MEASURES = ("start", "duration", "gap", "spans", "errors")
"""Of each trace: when its root began (Unix ns), how long it lasted, its largest gap (ns), its spans and errors."""


@dataclass(frozen=True)
class TraceListQuery:
    """Which traces, and in which order: `start` is the earliest first, all others the largest first."""

    order: Order = "duration"
    reverse: bool = False
    search: str = ""
    """A part of the root's service or operation, in any case."""
    errors: bool = False
    """Only those with an error."""


@dataclass(frozen=True)
class TraceIndex:
    """One row a trace. `service` and `op` are of its root, as numbers of `names`."""

    names: tuple[str, ...]
    ids: tuple[NDArray[np.uint64], NDArray[np.uint64]]
    service: NDArray[np.uint32]
    op: NDArray[np.uint32]
    measures: Mapping[str, NDArray[np.int64]]

    def __len__(self) -> int:
        return len(self.op)

    @classmethod
    def of(cls, table: SpanTable) -> "TraceIndex":
        """Build the index of a decoded set."""
        forest = SpanForest.of([SpanArtifact("", table, RunMetadata())])
        measured, roots = measured_traces(forest), forest.roots
        numbers = {"": 0}
        for row in roots.tolist():
            numbers.setdefault(table.service(row), len(numbers))
            numbers.setdefault(table.op(row), len(numbers))
        return cls(
            tuple(numbers),
            (table.traces.hi, table.traces.lo),
            np.array([numbers[table.service(row)] for row in roots.tolist()], dtype=np.uint32),
            np.array([numbers[table.op(row)] for row in roots.tolist()], dtype=np.uint32),
            {"start": forest.start_ns[roots].astype(np.int64)}
            | {name: measured[name].astype(np.int64) for name in MEASURES[1:]},
        )

    @classmethod
    def parse(cls, buffer: bytes) -> "TraceIndex":
        """Parse what `columns` wrote. Raises `ColumnFileError`."""
        columns = read_columns(buffer, FORMAT)
        offsets, data = columns.column("strings_offset", "u32"), columns.column("strings_bytes", "u8").tobytes()
        bounds = offsets.tolist()
        names = tuple(data[begin:end].decode() for begin, end in pairwise(bounds))
        index = cls(
            names,
            (columns.column("trace_hi", "u64"), columns.column("trace_lo", "u64")),
            columns.column("service", "u32"),
            columns.column("op", "u32"),
            {name: columns.column(name, "i64") for name in MEASURES},
        )
        texts = {len(each) for each in (index.service, index.op)}
        if len(texts | {len(each) for each in index.ids} | {len(each) for each in index.measures.values()}) != 1:
            raise ColumnFileError("length-differs", "the columns of traces are not of one length")
        return index

    def columns(self) -> bytes:
        """Return the index as it is stored."""
        arrays: dict[str, Array] = {
            **pack_strings(list(self.names)),
            "trace_hi": self.ids[0],
            "trace_lo": self.ids[1],
            "service": self.service,
            "op": self.op,
            **self.measures,
        }
        return write_columns({"format": FORMAT, "format_version": 1}, arrays)

    def page(self, query: TraceListQuery, limit: int, offset: int) -> tuple[list[SpanTraceRow], int]:
        """Return (rows, number of all)."""
        chosen = np.ones(len(self), dtype=bool)
        if query.search:
            letters = query.search.casefold()
            found = np.array([letters in name.casefold() for name in self.names], dtype=bool)
            chosen &= found[self.service] | found[self.op]
        if query.errors:
            chosen &= self.measures["errors"] > 0
        traces = np.flatnonzero(chosen)
        key = self.measures[query.order][traces]
        rising = (query.order == "start") != query.reverse
        traces = traces[np.argsort(key if rising else -key, kind="stable")]
        return [self._row(trace) for trace in traces[offset : offset + limit].tolist()], len(traces)

    def _row(self, trace: int) -> SpanTraceRow:
        measures = {name: int(values[trace]) for name, values in self.measures.items()}
        return SpanTraceRow(
            trace_id=f"{int(self.ids[0][trace]):016x}{int(self.ids[1][trace]):016x}",
            root=self.names[int(self.op[trace])],
            service=self.names[int(self.service[trace])],
            start_ns=measures["start"],
            duration_ns=measures["duration"],
            spans=measures["spans"],
            errors=measures["errors"],
            gap_ns=measures["gap"],
        )
