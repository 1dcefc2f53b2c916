"""Calls that come again: retries after an error, one after the other (N+1), and many at once (fan-out).

Children of one span that do the same are looked at in the order of their start.
"""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.spans.span_columns import ERROR
from slowpath.analysis.kinds.spans.span_forest import Mask, Rows, SpanForest

# So many of the same, one after the other, are a loop that should be one call.
MANY = 5
# A fan-out has at least two at once; its tail is told where enough of it was seen.
LEAST_FANS = 20
TAIL = 0.99
# The callee's tail explains the caller's where it makes this much of it.
EXPLAINS = 0.7
MOST_ROWS = 50


@dataclass(frozen=True)
class RepeatedCalls:
    """Children `child` (a pair) of spans `parent` (a pair). `spans` parents of `traces` traces have them.

    `mean` and `most` are how many come one after the other; `total_ns` is how long they last together.
    """

    parent: int
    child: int
    spans: int
    traces: int
    mean: float
    most: int
    total_ns: int


@dataclass(frozen=True)
class FanOut:
    """A span that calls the same `n` times at once: the slowest of n draws from the callee's latencies, and what was seen."""

    parent: int
    child: int
    n: int
    spans: int
    callee_p99_ns: int
    expected_p99_ns: int
    observed_p99_ns: int

    @property
    def share(self) -> float:
        """The part of the caller's p99 that the slowest of n calls makes."""
        return min(self.expected_p99_ns / max(self.observed_p99_ns, 1), 1.0)


@dataclass(frozen=True)
class SiblingSpans:
    """Children by parent, by what they do, by start; a group is children of one parent that do the same.

    What they do is the operation, whatever replica does it: `op`, not the service.
    """

    rows: Rows
    first: Mask
    group: Rows

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.group[-1]) + 1 if len(self.group) else 0


def siblings_of(forest: SpanForest, mask: Mask) -> SiblingSpans:
    """The children among the rows of `mask`."""
    rows = np.flatnonzero((forest.parent >= 0) & mask)
    rows = rows[np.lexsort((rows, forest.start_ns[rows], forest.op[rows], forest.parent[rows]))]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (forest.parent[rows[1:]] != forest.parent[rows[:-1]]) | (forest.op[rows[1:]] != forest.op[rows[:-1]])
    return SiblingSpans(rows, first, np.cumsum(first) - 1)


def retries(forest: SpanForest, siblings: SiblingSpans) -> list[RepeatedCalls]:
    """Children that do the same as one that failed and ended before them."""
    rows = siblings.rows
    after = np.zeros(len(rows), dtype=bool)
    if len(rows):
        before = rows[:-1]
        after[1:] = ~siblings.first[1:] & (forest.status[before] == ERROR)
        after[1:] &= forest.end_ns[before] <= forest.start_ns[rows[1:]]
    return _told(forest, rows, after, least=1)


def n_plus_one(forest: SpanForest, siblings: SiblingSpans) -> list[RepeatedCalls]:
    """Children that do the same, at least MANY of them, each beginning after the one before has ended."""
    rows = siblings.rows
    follows = np.zeros(len(rows), dtype=bool)
    if len(rows):
        follows[1:] = ~siblings.first[1:] & (forest.end_ns[rows[:-1]] <= forest.start_ns[rows[1:]])
    run = np.cumsum(~follows) - 1
    length = np.bincount(run)[run] if len(run) else run
    return _told(forest, rows, length >= MANY, least=MANY)


def _told(forest: SpanForest, rows: Rows, chosen: Mask, least: int) -> list[RepeatedCalls]:
    """Rows that were chosen, by what their parents and they are; the longest together first."""
    rows = rows[chosen]
    if not len(rows):
        return []
    width = len(forest.pair_names)
    key = forest.pair[forest.parent[rows]] * width + forest.pair[rows]
    order = np.argsort(key, kind="stable")
    distinct, begin = np.unique(key[order], return_index=True)
    found = []
    for pairs, mine in zip(distinct.tolist(), np.split(rows[order], begin[1:]), strict=True):
        parents, per_parent = np.unique(forest.parent[mine], return_counts=True)
        if int(per_parent.max()) < least:
            continue
        found.append(
            RepeatedCalls(
                parent=pairs // width,
                child=pairs % width,
                spans=len(parents),
                traces=len(np.unique(forest.trace[mine])),
                mean=float(per_parent.mean()),
                most=int(per_parent.max()),
                total_ns=int(forest.duration_ns[mine].sum()),
            )
        )
    return sorted(found, key=lambda each: -each.total_ns)[:MOST_ROWS]


def fan_outs(forest: SpanForest, siblings: SiblingSpans) -> list[FanOut]:
    """Spans that call the same several times at once, and whether the slowest of them explains the caller's p99.

    The p99 of the largest of n independent draws is the callee's quantile at 0.99^(1/n): waiting for all of many makes
    a callee's rare slowness the caller's usual one.
    """
    rows, groups = siblings.rows, siblings.groups
    if not groups:
        return []
    at_once = np.zeros(len(rows), dtype=bool)
    at_once[1:] = ~siblings.first[1:] & (forest.end_ns[rows[:-1]] > forest.start_ns[rows[1:]])
    together = np.bincount(siblings.group, weights=at_once, minlength=groups)
    sizes = np.bincount(siblings.group, minlength=groups)
    parents, ops = forest.parent[rows[siblings.first]], forest.op[rows[siblings.first]]
    width = len(forest.names.names) + 1
    key = forest.pair[parents] * width + ops
    fans = (sizes >= 2) & (together >= sizes / 2)
    found = []
    kinds, often = np.unique(key[fans], return_counts=True)
    for kind in kinds[np.argsort(-often, kind="stable")][:MOST_ROWS].tolist():
        mine = np.flatnonzero((key == kind) & fans)
        if len(mine) < LEAST_FANS:
            continue
        inside = rows[np.isin(siblings.group, mine)]
        n = round(float(np.median(sizes[mine])))
        lasted = np.sort(forest.duration_ns[inside])
        callers = np.sort(forest.duration_ns[np.unique(parents[mine])])
        found.append(
            FanOut(
                parent=kind // width,
                child=int(forest.pair[inside[0]]),
                n=n,
                spans=len(mine),
                callee_p99_ns=_at(lasted, TAIL),
                expected_p99_ns=_at(lasted, TAIL ** (1 / n)),
                observed_p99_ns=_at(callers, TAIL),
            )
        )
    return sorted(found, key=lambda each: -each.observed_p99_ns)[:MOST_ROWS]


def _at(ordered: Rows, quantile: float) -> int:
    return int(ordered[min(int(quantile * len(ordered)), len(ordered) - 1)])
