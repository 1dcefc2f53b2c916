"""The critical path of a trace, exactly: which span the root waited for, at every moment.

Walked backwards from a span's end: the child that ended last before the moment at hand is who was waited for; what
lies behind its end is the span's own. A child that ends where the next begins is next to it (ties count: a strict
comparison loses calls that follow each other at once). A child that ends behind its parent was not waited for, but
for a server's span that outlasts the client's: there the clock or the network did that.

The pieces of a root sum to its duration, to the nanosecond.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.spans.span_columns import CLIENT, SERVER
from slowpath.analysis.kinds.spans.span_forest import Rows, SpanForest


@dataclass(frozen=True)
class CriticalPath:
    """One row a piece, by root, later pieces first: whose own time it is, from when to when."""

    row: Rows
    start_ns: Rows
    end_ns: Rows

    def of_rows(self, count: int) -> Rows:
        """The time on the critical path of each of `count` spans by themselves."""
        sums = np.zeros(count, dtype=np.int64)
        np.add.at(sums, self.row, self.end_ns - self.start_ns)
        return sums


def critical_path(forest: SpanForest, roots: Iterable[int]) -> CriticalPath:
    """The critical paths below `roots`. Linear in the spans; nothing is recursive, so depth costs nothing."""
    walk = _Walk(forest)
    for root in roots:
        walk.of(root)
    return CriticalPath(*(np.array(column, dtype=np.int64) for column in (walk.rows, walk.starts, walk.ends)))


class _Walk:
    """The columns as lists, which plain Python reads faster, and the pieces found so far."""

    def __init__(self, forest: SpanForest) -> None:
        inner = np.flatnonzero((forest.parent >= 0) & ~forest.async_)
        # By parent; of those that end last, first those that began first.
        self.children = inner[
            np.lexsort((inner, forest.start_ns[inner], -forest.end_ns[inner], forest.parent[inner]))
        ].tolist()
        counts = np.bincount(forest.parent[inner], minlength=len(forest)) if len(inner) else np.zeros(len(forest), int)
        self.first = np.concatenate([[0], np.cumsum(counts)]).tolist()
        self.start, self.end = forest.start_ns.tolist(), forest.end_ns.tolist()
        above = np.maximum(forest.parent, 0)
        answers = (forest.parent >= 0) & (forest.kind == SERVER) & (forest.kind[above] == CLIENT)
        self.answers = answers.tolist()
        self.rows: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def of(self, root: int) -> None:
        """Walk one tree. The stack holds (span, earliest moment that is its to claim, moment, next child to look at)."""
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
                    if not self.answers[child]:
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
