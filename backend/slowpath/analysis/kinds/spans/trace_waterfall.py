"""Build the document of one trace: spans in preorder, gaps in their self time, and the critical path."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.spans.critical_path import CriticalPath, critical_path
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_columns import FLAGS, KINDS, STATUSES
from slowpath.analysis.kinds.spans.span_forest import SpanForest
from slowpath.analysis.kinds.spans.span_gaps import END, NO_CHILD, START, SpanGaps, find_gaps, self_ns
from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.analysis.kinds.spans.waterfall_document import (
    FORMAT,
    CriticalPathPiece,
    TraceWaterfall,
    WaterfallEvent,
    WaterfallGap,
    WaterfallLink,
    WaterfallSpan,
)

# Limit of spans: of a larger trace, the document has the first spans in preorder, and the total number.
MOST_SPANS = 20_000


def waterfall(table: SpanTable, trace: int) -> TraceWaterfall:
    """Build the document of one trace. Raises `IndexError` for an unknown trace."""
    if not 0 <= trace < table.trace_count:
        raise IndexError(trace)
    one = table.only(trace)
    forest = SpanForest.of([SpanArtifact("", one, RunMetadata())])
    holes, critical = find_gaps(forest), critical_path(forest, np.flatnonzero(forest.parent < 0).tolist())
    origin = one.start_ns  # computed from all spans, so only once
    drawn = _WaterfallRows(
        one, origin, _gaps(one, holes, origin), self_ns(forest, holes).tolist(), _pieces(critical, origin)
    )
    return TraceWaterfall(
        format=FORMAT,
        trace_id=table.trace_id(trace),
        start_ns=origin,
        duration_ns=one.end_ns - origin,
        spans_total=len(one),
        spans=[drawn.span(row) for row in range(min(len(one), MOST_SPANS))],
        critical_path=sorted(
            (CriticalPathPiece(row, start, end) for row, pieces in drawn.critical.items() for start, end in pieces),
            key=lambda piece: (piece.start_ns, piece.end_ns),
        ),
        services=list(dict.fromkeys(one.service(row) for row in range(len(one)))),
    )


@dataclass(frozen=True)
class _WaterfallRows:
    table: SpanTable
    origin: int
    gaps: Mapping[int, list[WaterfallGap]]
    self_ns: list[int]
    critical: Mapping[int, list[tuple[int, int]]]

    def span(self, row: int) -> WaterfallSpan:
        """Build the row of one span."""
        table, spans, origin = self.table, self.table.spans, self.origin
        parent, flags = int(table.parent[row]), int(spans.flags[row])
        events = range(int(table.event_offset[row]), int(table.event_offset[row + 1]))
        return WaterfallSpan(
            id=f"{int(spans.id[row]):016x}",
            parent=None if parent < 0 else parent,
            depth=int(spans.depth[row]),
            service=table.service(row),
            instance=table.strings[int(spans.instance[row])],
            op=table.op(row),
            kind=KINDS[int(spans.kind[row])],
            start_ns=int(spans.start_ns[row]) - origin,
            duration_ns=int(table.duration_ns[row]),
            status=STATUSES[int(spans.status[row])],
            flags=[word for flag, word in FLAGS.items() if flags & flag],
            skew_ns=int(table.skew_ns[row]),
            attributes=list(table.attributes_of(row)),
            events=[
                WaterfallEvent(
                    at_ns=int(table.events.time_ns[event]) - origin,
                    name=table.strings[int(table.events.name[event])],
                )
                for event in events
            ],
            links=[
                WaterfallLink(
                    trace_id=f"{int(table.links.hi[link]):016x}{int(table.links.lo[link]):016x}",
                    span_id=f"{int(table.links.span[link]):016x}",
                )
                for link in range(int(table.link_offset[row]), int(table.link_offset[row + 1]))
            ],
            self_ns=self.self_ns[row],
            gaps=self.gaps.get(row, []),
            critical=self.critical.get(row, []),
        )


def _gaps(table: SpanTable, holes: SpanGaps, origin: int) -> dict[int, list[WaterfallGap]]:
    """Return the gaps of each span; `suspect` ones may come from clock skew."""
    found: dict[int, list[WaterfallGap]] = {}
    columns = (holes.span, holes.begin_ns, holes.end_ns, holes.previous, holes.next, holes.suspect)
    for span, begin, end, previous, following, suspect in zip(*(column.tolist() for column in columns), strict=True):
        found.setdefault(span, []).append(
            WaterfallGap(
                start_ns=begin - origin,
                end_ns=end - origin,
                previous=START if previous == NO_CHILD else table.op(previous),
                next=END if following == NO_CHILD else table.op(following),
                suspect=suspect,
            )
        )
    return found


def _pieces(critical: CriticalPath, origin: int) -> dict[int, list[tuple[int, int]]]:
    """Return the pieces of the critical path of each span, earliest first."""
    found: dict[int, list[tuple[int, int]]] = {}
    columns = (critical.row.tolist(), critical.start_ns.tolist(), critical.end_ns.tolist())
    for row, start, end in zip(*columns, strict=True):
        found.setdefault(row, []).append((start - origin, end - origin))
    return {row: sorted(pieces) for row, pieces in found.items()}
