"""Compute the critical path of a trace exactly: which span the root waited for at every moment.

It is walked backwards from a span's end. The child that ended last before the current moment is the one waited for; the
time after its end is the span's self time. A child that ends where the next begins precedes it (a strict comparison would
lose back-to-back calls). A child that ends after its parent was not waited for, except a server's span that outlasts the
client's: there the difference is due to the clock or the network. The pieces of a root sum to its duration, to the
nanosecond.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.spans.span_columns import CLIENT, SERVER
from slowpath.analysis.kinds.spans.span_forest import Rows, SpanForest


@dataclass(frozen=True)
class CriticalPath:
    """Pieces of critical paths, by root, later pieces first.

    The span whose self time it is, start and end.
    """

    row: Rows
    start_ns: Rows
    end_ns: Rows

    def of_rows(self, count: int) -> Rows:
        """Return the self time on the critical path of each of `count` spans."""
        sums = np.zeros(count, dtype=np.int64)
        np.add.at(sums, self.row, self.end_ns - self.start_ns)
        return sums


def critical_path(forest: SpanForest, roots: Iterable[int]) -> CriticalPath:
    """Compute the critical paths below `roots`, iteratively and in linear time."""
    walk = _Walk(forest)
    for root in roots:
        walk.of(root)
    return CriticalPath(*(np.array(column, dtype=np.int64) for column in (walk.rows, walk.starts, walk.ends)))


class _Walk:
    """The columns as lists, which plain Python reads faster, and the pieces so far."""

    def __init__(self, forest: SpanForest) -> None:
        inner = np.flatnonzero((forest.parent >= 0) & ~forest.async_)
        # By parent, latest end first; of equal ends the earliest start first.
        self.children = inner[
            np.lexsort((inner, forest.start_ns[inner], -forest.end_ns[inner], forest.parent[inner]))
        ].tolist()
        counts = np.bincount(forest.parent[inner], minlength=len(forest)) if len(inner) else np.zeros(len(forest), int)
        self.first = np.concatenate([[0], np.cumsum(counts)]).tolist()
        self.start, self.end = forest.start_ns.tolist(), forest.end_ns.tolist()
        above = np.maximum(forest.parent, 0)
        is_server_of_client = (forest.parent >= 0) & (forest.kind == SERVER) & (forest.kind[above] == CLIENT)
        self.is_server_of_client = is_server_of_client.tolist()
        self.rows: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def of(self, root: int) -> None:
        """Walk one tree. The stack holds (span, lower bound, current moment, next child)."""
        start, end, children, first = self.start, self.end, self.children, self.first
        stack = [(root, start[root], end[root], first[root])]
        while stack:
            span, low, moment, at = stack.pop()
            last = first[span + 1]
            while at < last and moment > low:
                child = children[at]
                at += 1
                child_end, child_start = end[child], max(start[child], low)
                if child_end > moment:
                    if not self.is_server_of_client[child]:
                        continue
                    child_end = moment
                if child_end <= child_start:
                    continue
                self._piece(span, child_end, moment)
                stack.append((span, low, child_start, at))
                stack.append((child, child_start, child_end, first[child]))
                break
            else:
                self._piece(span, low, moment)

    def _piece(self, span: int, start: int, end: int) -> None:
        if end > start:
            self.rows.append(span)
            self.starts.append(start)
            self.ends.append(end)
