"""Find gaps: the time of a span that none of its children covers, exactly.

The children of a span are clipped to it, asynchronous ones are omitted, and what their union leaves open is the span's self
time. Each gap has an edge: the child before it and the child after it. Gaps and covered time sum to the span's duration, to
the nanosecond.
"""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.spans.span_forest import Mask, Rows, SpanForest

START, END = "START", "END"
# No child before or after a gap.
NO_CHILD = -1


@dataclass(frozen=True)
class SpanGaps:
    """One row per gap, by span and time. `previous` and `next` are rows of children, or `NO_CHILD`.

    `suspect` gaps are next to a span whose clock correction is at least half of the gap, which may have caused it.
    """

    span: Rows
    begin_ns: Rows
    end_ns: Rows
    previous: Rows
    next: Rows
    suspect: Mask

    @property
    def length_ns(self) -> Rows:
        """Return the length of each gap; never 0."""
        return self.end_ns - self.begin_ns


def waited_children(forest: SpanForest) -> Rows:
    """Return the rows of children that cover time of their parent, by parent and start."""
    rows = np.flatnonzero(forest.parent >= 0)
    above = forest.parent[rows]
    start, end = forest.start_ns[rows], forest.end_ns[rows]
    low, high = forest.start_ns[above], forest.end_ns[above]
    touches = ((start < high) & (end > low)) | ((start == end) & (low <= start) & (start <= high))
    rows = rows[touches & ~forest.async_[rows]]
    clipped = np.maximum(forest.start_ns[rows], forest.start_ns[forest.parent[rows]])
    ordered: Rows = rows[np.lexsort((rows, clipped, forest.parent[rows]))]
    return ordered


def find_gaps(forest: SpanForest) -> SpanGaps:
    """Return all gaps of all spans."""
    children = waited_children(forest)
    parent = forest.parent[children]
    begin = np.maximum(forest.start_ns[children], forest.start_ns[parent])
    end = np.minimum(forest.end_ns[children], forest.end_ns[parent])
    leader = _leaders(parent, end)
    first = np.ones(len(children), dtype=bool)
    first[1:] = parent[1:] != parent[:-1]
    last = np.ones(len(children), dtype=bool)
    last[:-1] = first[1:]
    before = np.concatenate([[0], leader[:-1]]) if len(leader) else leader
    covered_until = np.where(first, forest.start_ns[parent], end[before]) if len(children) else begin
    last_end = end[leader]
    leaves = np.ones(len(forest), dtype=bool)
    leaves[parent] = False
    leaf_rows = np.flatnonzero(leaves & (forest.end_ns > forest.start_ns))
    no_child = np.full(len(leaf_rows), NO_CHILD)
    inner, final = begin > covered_until, last & (last_end < forest.end_ns[parent])
    span = np.concatenate([parent[inner], parent[final], leaf_rows])
    starts = np.concatenate([covered_until[inner], last_end[final], forest.start_ns[leaf_rows]])
    ends = np.concatenate([begin[inner], forest.end_ns[parent[final]], forest.end_ns[leaf_rows]])
    previous = np.concatenate([np.where(first, NO_CHILD, children[before])[inner], children[leader[final]], no_child])
    following = np.concatenate([children[inner], np.full(int(final.sum()), NO_CHILD), no_child])
    order = np.lexsort((starts, span))
    span, starts, ends, previous, following = (each[order] for each in (span, starts, ends, previous, following))
    suspect = ends - starts < 2 * _clock_shift(forest, span, previous, following)
    return SpanGaps(span, starts, ends, previous, following, suspect)


def _leaders(parent: Rows, end: Rows) -> Rows:
    """Return for each child (by parent and start) which one up to it ends last.

    Of equal ends the later one. A running maximum within groups: ranks of the ends, offset by the group's number.
    """
    count = len(parent)
    rank = np.empty(count, dtype=np.int64)
    order = np.argsort(end, kind="stable")
    rank[order] = np.arange(count)
    group = np.cumsum(np.concatenate([[0], (parent[1:] != parent[:-1]).astype(np.int64)])) if count else parent
    highest = np.maximum.accumulate(group * count + rank) - group * count
    leaders: Rows = order[highest]
    return leaders


def _clock_shift(forest: SpanForest, span: Rows, previous: Rows, following: Rows) -> Rows:
    """Return the clock shift of the children next to each gap relative to the gap's span."""
    shift = np.zeros(len(span), dtype=np.int64)
    for child in (previous, following):
        has_child = child != NO_CHILD
        relative = np.abs(forest.skew_ns[child[has_child]] - forest.skew_ns[span[has_child]])
        shift[has_child] = np.maximum(shift[has_child], relative)
    return shift


def self_ns(forest: SpanForest, gaps: SpanGaps) -> Rows:
    """Return the self time of each span: the sum of its gaps."""
    self_time = np.zeros(len(forest), dtype=np.int64)
    np.add.at(self_time, gaps.span, gaps.length_ns)
    return self_time


def gap_edges(forest: SpanForest, gaps: SpanGaps) -> tuple[Rows, list[tuple[int, int, int]]]:
    """Return (edge of each gap, (pair, previous op, next op) of each edge).

    `NO_CHILD` for an op without a child.
    """
    width = len(forest.names.names) + 1
    ops = [np.where(child == NO_CHILD, 0, forest.op[child] + 1) for child in (gaps.previous, gaps.next)]
    key = (forest.pair[gaps.span] * width + ops[0]) * width + ops[1]
    distinct, inverse = np.unique(key, return_inverse=True)
    edges = [(k // (width * width), k // width % width - 1, k % width - 1) for k in distinct.tolist()]
    return inverse.astype(np.int64), edges


def added_ns(forest: SpanForest, gaps: SpanGaps, edge: Rows) -> Rows:
    """Return how much each gap (ns) adds to the time in which a gap of its edge is open in its trace, within the request.

    Concurrent calls have their gaps at the same time: over an edge and a trace these values sum to the union of its gaps, which
    never exceeds the request. `edge` numbers the gaps' edges.
    """
    trace = forest.trace[gaps.span]
    root = forest.roots[trace]
    low, high = forest.start_ns[root], forest.end_ns[root]
    begin, end = np.clip(gaps.begin_ns, low, high), np.clip(gaps.end_ns, low, high)
    order = np.lexsort((begin, trace, edge))
    begin, end = begin[order], end[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (trace[order][1:] != trace[order][:-1]) | (edge[order][1:] != edge[order][:-1])
    group = np.cumsum(first) - 1
    reached = end[_leaders(group, end)]
    before = np.where(first, begin, np.concatenate([begin[:1], reached[:-1]]))
    added = np.zeros(len(order), dtype=np.int64)
    added[order] = np.maximum(end - np.maximum(begin, before), 0)
    return added


def edge_name(forest: SpanForest, edge: tuple[int, int, int]) -> str:
    """Return the name of an edge, `service/op|previous|next`."""
    service, op = forest.pair_names[edge[0]]
    return f"{service}/{op}|{child_name(forest, edge[1], START)}|{child_name(forest, edge[2], END)}"


def child_name(forest: SpanForest, op: int, otherwise: str) -> str:
    """Return the name of a child's op, or START or END."""
    return otherwise if op == NO_CHILD else forest.names.names[op]
