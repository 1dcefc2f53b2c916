"""The spans of many artifacts as one table with one vocabulary, for vectorized arithmetic."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_sections import U8, U32
from slowpath.analysis.kinds.spans.operation_names import operation
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_columns import CONSUMER, PARENT_MISSING, SERVER
from slowpath.analysis.kinds.spans.span_table import SpanTable

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]
F64 = NDArray[np.float64]


@dataclass(frozen=True)
class NameTable:
    """Names by number."""

    names: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Return the number of a name, a new one if it is new."""
        found = self.numbers.get(name)
        if found is None:
            found = self.numbers[name] = len(self.names)
            self.names.append(name)
        return found

    def of_column(self, table: SpanTable, column: U32, normalize: Callable[[str], str] = str) -> Rows:
        """Convert a column of string indices to numbers of this vocabulary.

        `normalize` maps each text to a name.
        """
        distinct, inverse = np.unique(column, return_inverse=True)
        texts = [normalize(table.strings[int(index)]) for index in distinct.tolist()]
        numbers = np.array([self.number(text) for text in texts], dtype=np.int64)
        return numbers[inverse] if len(numbers) else np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class SpanForest:
    """All spans of some artifacts: rows by artifact, by trace, in preorder. Times are Unix nanoseconds.

    `pair` numbers the (service, op) of each row, resolved by `pair_names`. `trace` counts over all artifacts;
    `artifact_of_trace` gives the artifact of each.
    """

    artifacts: tuple[SpanArtifact, ...]
    names: NameTable
    parent: Rows
    trace: Rows
    depth: Rows
    service: Rows
    op: Rows
    kind: U8
    start_ns: Rows
    end_ns: Rows
    skew_ns: Rows
    status: U8
    flags: U8
    async_: Mask
    trace_offset: Rows
    artifact_of_trace: Rows
    row_offset: Rows

    @classmethod
    def of(cls, artifacts: Sequence[SpanArtifact]) -> "SpanForest":
        """Concatenate artifacts; names are renumbered."""
        names = NameTable()
        tables = [artifact.table for artifact in artifacts]
        rows = np.cumsum([0, *[len(table) for table in tables]])
        traces = np.cumsum([0, *[table.trace_count for table in tables]])
        offsets = [
            table.trace_offset.astype(np.int64)[:-1] + row for table, row in zip(tables, rows.tolist(), strict=False)
        ]
        return cls(
            artifacts=tuple(artifacts),
            names=names,
            parent=_concatenate([np.where(t.parent < 0, -1, t.parent + r) for t, r in zip(tables, rows, strict=False)]),
            trace=_concatenate([t.trace_of + n for t, n in zip(tables, traces, strict=False)]),
            depth=_concatenate([t.spans.depth for t in tables]),
            service=_concatenate([names.of_column(t, t.spans.service) for t in tables]),
            op=_concatenate([names.of_column(t, t.spans.op, operation) for t in tables]),
            kind=_concatenate([t.spans.kind for t in tables]).astype(np.uint8),
            start_ns=_concatenate([t.spans.start_ns for t in tables]),
            end_ns=_concatenate([t.spans.end_ns for t in tables]),
            skew_ns=_concatenate([t.skew_ns for t in tables]),
            status=_concatenate([t.spans.status for t in tables]).astype(np.uint8),
            flags=_concatenate([t.spans.flags for t in tables]).astype(np.uint8),
            async_=_concatenate([t.spans.async_ for t in tables]).astype(bool),
            trace_offset=np.concatenate([*offsets, rows[-1:]]).astype(np.int64),
            artifact_of_trace=np.repeat(np.arange(len(tables)), [t.trace_count for t in tables]),
            row_offset=rows.astype(np.int64),
        )

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def traces(self) -> int:
        """Return the number of traces."""
        return len(self.artifact_of_trace)

    @cached_property
    def duration_ns(self) -> Rows:
        """Return the duration of each span."""
        return self.end_ns - self.start_ns

    @cached_property
    def pairs(self) -> tuple[Rows, Rows, Rows]:
        """Return (pair of each row, service of each pair, op of each pair)."""
        width = max(len(self.names.names), 1)
        distinct, inverse = np.unique(self.service * width + self.op, return_inverse=True)
        return inverse.astype(np.int64), distinct // width, distinct % width

    @property
    def pair(self) -> Rows:
        """Return the (service, op) of each row, as a number."""
        return self.pairs[0]

    @cached_property
    def pair_names(self) -> list[tuple[str, str]]:
        """Return (service, op) of each pair."""
        _, services, ops = self.pairs
        names = self.names.names
        return [(names[service], names[op]) for service, op in zip(services.tolist(), ops.tolist(), strict=True)]

    @cached_property
    def roots(self) -> Rows:
        """Return one row per trace: its first root without a missing parent, else its first."""
        rows = np.flatnonzero(self.parent < 0)
        worse = (self.flags[rows] & PARENT_MISSING) != 0
        order = np.lexsort((rows, worse, self.trace[rows]))
        rows = rows[order]
        first = np.ones(len(rows), dtype=bool)
        first[1:] = self.trace[rows[1:]] != self.trace[rows[:-1]]
        return rows[first]

    @cached_property
    def entry(self) -> Rows:
        """Return the span through which the work of each row entered its process.

        Itself, or the nearest above. Entries are spans without a parent, server and consumer spans, and spans whose
        parent is of another service.
        """
        above = np.maximum(self.parent, 0)
        enters = (self.parent < 0) | (self.kind == SERVER) | (self.kind == CONSUMER)
        enters |= self.service != self.service[above]
        entry = np.where(enters, np.arange(len(self)), self.parent)
        while True:  # pointer doubling: as many rounds as the depth has bits
            further = entry[entry]
            if np.array_equal(further, entry):
                return entry
            entry = further

    def rows_of(self, trace: int) -> range:
        """Return the rows of a trace."""
        return range(int(self.trace_offset[trace]), int(self.trace_offset[trace + 1]))


def _concatenate(parts: Sequence[NDArray[np.generic]]) -> Rows:
    return np.concatenate([part.astype(np.int64) for part in parts]) if parts else np.zeros(0, dtype=np.int64)
