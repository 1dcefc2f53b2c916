"""Find repeated calls: retries after an error, sequential ones (N+1), and concurrent ones (fan-out).

Children of one span with the same operation are examined in the order of their start.
"""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.spans.span_columns import ERROR
from slowpath.analysis.kinds.spans.span_forest import Mask, Rows, SpanForest

# This many sequential calls of the same operation are a loop that could be one call.
MANY = 5
# A fan-out has at least two concurrent calls; its tail is reported with enough observations.
LEAST_FANS = 20
TAIL = 0.99
# The callee's tail explains the caller's from this share on.
EXPLAINS = 0.7
MOST_ROWS = 50


@dataclass(frozen=True)
class RepeatedCalls:
    """Children `child` (a pair) of spans `parent` (a pair), in `spans` parents of `traces` traces.

    `mean` and `most`: number of sequential calls per parent; `total_ns`: their total duration.
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
    """A span that makes the same call `n` times concurrently: p99 of the callee, of the slowest of n, and observed."""

    parent: int
    child: int
    n: int
    spans: int
    callee_p99_ns: int
    expected_p99_ns: int
    observed_p99_ns: int

    @property
    def share(self) -> float:
        """Return the part of the caller's p99 that the slowest of n calls explains."""
        return min(self.expected_p99_ns / max(self.observed_p99_ns, 1), 1.0)


@dataclass(frozen=True)
class SiblingSpans:
    """Children by parent, operation and start.

    A group is the children of one parent with the same operation. Operations are compared by `op` without the service,
    so that replicas count as the same.
    """

    rows: Rows
    first: Mask
    group: Rows

    @property
    def groups(self) -> int:
        """Return the number of groups."""
        return int(self.group[-1]) + 1 if len(self.group) else 0


def siblings_of(forest: SpanForest, mask: Mask) -> SiblingSpans:
    """Return the children among the rows of `mask`."""
    rows = np.flatnonzero((forest.parent >= 0) & mask)
    rows = rows[np.lexsort((rows, forest.start_ns[rows], forest.op[rows], forest.parent[rows]))]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (forest.parent[rows[1:]] != forest.parent[rows[:-1]]) | (forest.op[rows[1:]] != forest.op[rows[:-1]])
    return SiblingSpans(rows, first, np.cumsum(first) - 1)


def retries(forest: SpanForest, siblings: SiblingSpans) -> list[RepeatedCalls]:
    """Find children with the same operation as a failed one that ended before them."""
    rows = siblings.rows
    after = np.zeros(len(rows), dtype=bool)
    if len(rows):
        before = rows[:-1]
        after[1:] = ~siblings.first[1:] & (forest.status[before] == ERROR)
        after[1:] &= forest.end_ns[before] <= forest.start_ns[rows[1:]]
    return _summarize(forest, rows, after, least=1)


def n_plus_one(forest: SpanForest, siblings: SiblingSpans) -> list[RepeatedCalls]:
    """Find at least MANY children with the same operation, each starting after the previous one ended."""
    rows = siblings.rows
    follows = np.zeros(len(rows), dtype=bool)
    if len(rows):
        follows[1:] = ~siblings.first[1:] & (forest.end_ns[rows[:-1]] <= forest.start_ns[rows[1:]])
    run = np.cumsum(~follows) - 1
    length = np.bincount(run)[run] if len(run) else run
    return _summarize(forest, rows, length >= MANY, least=MANY)


def _summarize(forest: SpanForest, rows: Rows, chosen: Mask, least: int) -> list[RepeatedCalls]:
    """Summarize the chosen rows by the pairs of their parents and themselves; the longest total first."""
    rows = rows[chosen]
    if not len(rows):
        return []
    width = len(forest.pair_names)
    key = forest.pair[forest.parent[rows]] * width + forest.pair[rows]
    order = np.argsort(key, kind="stable")
    distinct, begin = np.unique(key[order], return_index=True)
    summaries = []
    for pairs, rows_of_pair in zip(distinct.tolist(), np.split(rows[order], begin[1:]), strict=True):
        parents, per_parent = np.unique(forest.parent[rows_of_pair], return_counts=True)
        if int(per_parent.max()) < least:
            continue
        summaries.append(
            RepeatedCalls(
                parent=pairs // width,
                child=pairs % width,
                spans=len(parents),
                traces=len(np.unique(forest.trace[rows_of_pair])),
                mean=float(per_parent.mean()),
                most=int(per_parent.max()),
                total_ns=int(forest.duration_ns[rows_of_pair].sum()),
            )
        )
    return sorted(summaries, key=lambda each: -each.total_ns)[:MOST_ROWS]


def fan_outs(forest: SpanForest, siblings: SiblingSpans) -> list[FanOut]:
    """Find concurrent identical calls, and whether the slowest of them explains the caller's p99.

    The p99 of the largest of n independent draws is the callee's quantile at 0.99^(1/n): waiting for all of many calls makes a
    callee's rare latency common for the caller.
    """
    rows, groups = siblings.rows, siblings.groups
    if not groups:
        return []
    at_once = np.zeros(len(rows), dtype=bool)
    at_once[1:] = ~siblings.first[1:] & (forest.end_ns[rows[:-1]] > forest.start_ns[rows[1:]])
    concurrent = np.bincount(siblings.group, weights=at_once, minlength=groups)
    sizes = np.bincount(siblings.group, minlength=groups)
    parents, ops = forest.parent[rows[siblings.first]], forest.op[rows[siblings.first]]
    width = len(forest.names.names) + 1
    key = forest.pair[parents] * width + ops
    fans = (sizes >= 2) & (concurrent >= sizes / 2)
    fans_found = []
    kinds, often = np.unique(key[fans], return_counts=True)
    for kind in kinds[np.argsort(-often, kind="stable")][:MOST_ROWS].tolist():
        of_kind = np.flatnonzero((key == kind) & fans)
        if len(of_kind) < LEAST_FANS:
            continue
        calls = rows[np.isin(siblings.group, of_kind)]
        n = round(float(np.median(sizes[of_kind])))
        durations_ns = np.sort(forest.duration_ns[calls])
        callers = np.sort(forest.duration_ns[np.unique(parents[of_kind])])
        fans_found.append(
            FanOut(
                parent=kind // width,
                child=int(forest.pair[calls[0]]),
                n=n,
                spans=len(of_kind),
                callee_p99_ns=_at(durations_ns, TAIL),
                expected_p99_ns=_at(durations_ns, TAIL ** (1 / n)),
                observed_p99_ns=_at(callers, TAIL),
            )
        )
    return sorted(fans_found, key=lambda each: -each.observed_p99_ns)[:MOST_ROWS]


def _at(ordered: Rows, quantile: float) -> int:
    return int(ordered[min(int(quantile * len(ordered)), len(ordered) - 1)])
