"""The traces of a set as rows of a table: the root of each, how long it took, and how much of it no span explains."""

from typing import Any, Literal

import numpy as np

from slowpath.analysis.kinds.spans.span_columns import ERROR
from slowpath.analysis.kinds.spans.span_forest import Rows, SpanForest
from slowpath.analysis.kinds.spans.span_gaps import find_gaps
from slowpath.analysis.kinds.spans.span_table import SpanTable

Order = Literal["duration", "start", "gap", "spans", "errors"]


def measured_traces(forest: SpanForest) -> dict[str, Rows]:
    """Of each trace: how long its root lasted, its spans, its errors, and its largest hole that calls leave (`gap`).

    The whole of a span that calls nobody is no hole: it is work that was recorded.
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


def trace_row(table: SpanTable, trace: int, root: int, measured: dict[str, Rows], place: int) -> dict[str, Any]:
    """One trace; `root` is a row of `table`, `place` where the trace stands in `measured`."""
    return {
        "trace_id": table.trace_id(trace),
        "root": table.op(root),
        "service": table.service(root),
        "start_ns": int(table.spans.start_ns[root]),
        "duration_ns": int(measured["duration"][place]),
        "spans": int(measured["spans"][place]),
        "errors": int(measured["errors"][place]),
        "gap_ns": int(measured["gap"][place]),
    }
