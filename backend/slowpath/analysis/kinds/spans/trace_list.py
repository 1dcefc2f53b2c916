"""List the traces of a span set as rows: root span, duration, largest gap."""

from typing import Literal

import numpy as np

from slowpath.analysis.kinds.spans.span_columns import ERROR
from slowpath.analysis.kinds.spans.span_forest import Rows, SpanForest
from slowpath.analysis.kinds.spans.span_gaps import find_gaps
from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.analysis.kinds.spans.spans_page_document import SpanTraceRow

Order = Literal["duration", "start", "gap", "spans", "errors"]


def measured_traces(forest: SpanForest) -> dict[str, Rows]:
    """Return of each trace the duration of its root, its spans, its errors, and its largest gap between calls.

    The self time of a span without children is not a gap: it is recorded work.
    """
    holes = find_gaps(forest)
    inner = (holes.previous >= 0) | (holes.next >= 0)
    gap = np.zeros(forest.traces, dtype=np.int64)
    np.maximum.at(gap, forest.trace[holes.span[inner]], holes.length_ns[inner])
    return {
        "duration": forest.duration_ns[forest.roots],
        "spans": np.bincount(forest.trace, minlength=forest.traces),
        "errors": np.bincount(forest.trace[forest.status == ERROR], minlength=forest.traces),
        "gap": gap,
    }


def trace_row(table: SpanTable, trace: int, root: int, measured: dict[str, Rows], place: int) -> SpanTraceRow:
    """Build the row of one trace; `root` is a row of `table`, `place` an index of `measured`."""
    return SpanTraceRow(
        trace_id=table.trace_id(trace),
        root=table.op(root),
        service=table.service(root),
        start_ns=int(table.spans.start_ns[root]),
        duration_ns=int(measured["duration"][place]),
        spans=int(measured["spans"][place]),
        errors=int(measured["errors"][place]),
        gap_ns=int(measured["gap"][place]),
    )
