"""The list of all traces: stored columns equal the spans, sorted and filtered as requested."""

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import Array, ColumnFileError, pack_strings, write_columns
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_forest import SpanForest
from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.analysis.kinds.spans.trace_index import FORMAT, MEASURES, TraceIndex, TraceListQuery
from slowpath.analysis.kinds.spans.trace_list import Order, measured_traces, trace_row
from tests.analysis.kinds.spans.generated_spans import MS, Drawn, buffer_of

NOON = 1_700_000_000_000_000_000


def table() -> SpanTable:
    """Five requests, an hour apart: each longer than the one before, the third and the fifth with an error."""
    traces = []
    for n in range(5):
        at = NOON + n * 3_600_000 * MS
        op, service = ("GET /Orders", "shop") if n % 2 else ("push", "Distributor")
        child = Drawn("call", at + n * MS, at + (2 * n + 1) * MS, status=2 if n in {2, 4} else 0)
        traces.append([Drawn(op, at, at + (10 + n) * MS, (child,), service)])
    return SpanTable.parse(buffer_of(traces))


def ids(expected: TraceListQuery, limit: int = 50, offset: int = 0) -> tuple[list[int], int]:
    rows, total = TraceIndex.of(table()).page(expected, limit, offset)
    return [int(row.trace_id, 16) for row in rows], total


@pytest.mark.parametrize("order", ["duration", "start", "gap", "spans", "errors"])
def test_stored_columns_equal_the_spans(order: Order) -> None:
    stored = TraceIndex.parse(TraceIndex.of(table()).columns())
    assert order in MEASURES
    forest = SpanForest.of([SpanArtifact("", table(), RunMetadata())])
    measured = measured_traces(forest)
    rows = [trace_row(table(), trace, int(forest.roots[trace]), measured, trace) for trace in range(forest.traces)]
    keys: dict[str, str] = {"start": "start_ns", "duration": "duration_ns", "gap": "gap_ns"}
    key = keys.get(order, order)
    rows.sort(key=lambda row: getattr(row, key) if order == "start" else -getattr(row, key))
    assert stored.page(TraceListQuery(order), 3, 1) == (rows[1:4], len(rows))


def test_the_longest_stand_first_and_the_earliest_when_by_time() -> None:
    assert ids(TraceListQuery()) == ([5, 4, 3, 2, 1], 5)
    assert ids(TraceListQuery(reverse=True)) == ([1, 2, 3, 4, 5], 5)
    assert ids(TraceListQuery("start")) == ([1, 2, 3, 4, 5], 5)
    assert ids(TraceListQuery("start", reverse=True)) == ([5, 4, 3, 2, 1], 5)


def test_pages_follow_each_other() -> None:
    assert ids(TraceListQuery(), limit=2, offset=2) == ([3, 2], 5)
    assert ids(TraceListQuery(), limit=2, offset=4) == ([1], 5)
    assert ids(TraceListQuery(), limit=2, offset=2**31 - 1) == ([], 5)


def test_letters_are_looked_for_in_service_and_operation() -> None:
    assert ids(TraceListQuery(search="orders")) == ([4, 2], 2)
    assert ids(TraceListQuery(search="DISTRIB")) == ([5, 3, 1], 3)
    assert ids(TraceListQuery(search="nothing")) == ([], 0)
    assert ids(TraceListQuery(search="push", errors=True)) == ([5, 3], 2)


def test_an_empty_set_has_an_empty_list() -> None:
    index = TraceIndex.parse(TraceIndex.of(SpanTable.parse(buffer_of([]))).columns())
    assert index.page(TraceListQuery(), 50, 0) == ([], 0)


def test_columns_of_different_lengths_are_refused() -> None:
    whole = TraceIndex.of(table())
    arrays: dict[str, Array] = {
        "trace_hi": whole.ids[0],
        "trace_lo": whole.ids[1],
        "service": whole.service,
        "op": whole.op,
    }
    short = {**arrays, **whole.measures, "gap": np.zeros(1, dtype=np.int64), **pack_strings(list(whole.names))}
    with pytest.raises(ColumnFileError, match="one length"):
        TraceIndex.parse(write_columns({"format": FORMAT, "format_version": 1}, short))
