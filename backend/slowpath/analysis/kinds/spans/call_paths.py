"""Group spans by call path: the operations above a span, and the share of critical paths that each path has."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slowpath.analysis.kinds.spans.critical_path import critical_path
from slowpath.analysis.kinds.spans.span_forest import F64, Rows, SpanForest
from slowpath.analysis.kinds.spans.span_thresholds import SpanThresholds
from slowpath.analysis.kinds.spans.spans_page_document import CallPathShare
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort, block_sums, resample_sums

NO_PATH = -1


@dataclass(frozen=True)
class CallPaths:
    """The distinct call paths of a forest, parents before children.

    `parent` (NO_PATH at roots) and last `pair` of each. `of_row` is the path of each span; `critical_ns` is each span's
    time on its root's critical path.
    """

    forest: SpanForest
    parent: Rows
    pair: Rows
    of_row: Rows
    critical_ns: Rows

    def names(self, path: int) -> list[tuple[str, str]]:
        """Return (service, op) from the root down."""
        found: list[tuple[str, str]] = []
        while path != NO_PATH:
            found.append(self.forest.pair_names[int(self.pair[path])])
            path = int(self.parent[path])
        return found[::-1]

    @cached_property
    def roots(self) -> Rows:
        """Return all rows without a parent, whose critical paths are known."""
        return np.flatnonzero(self.forest.parent < 0)


def paths_of(forest: SpanForest) -> CallPaths:
    """Number the call paths level by level, and compute the critical path of every root."""
    of_row = np.zeros(len(forest), dtype=np.int64)
    parents: list[Rows] = []
    pairs: list[Rows] = []
    path_count = 0
    width = max(len(forest.pair_names), 1)
    by_depth = np.argsort(forest.depth, kind="stable")
    bounds = np.searchsorted(forest.depth[by_depth], np.arange(int(forest.depth.max(initial=-1)) + 2))
    for depth in range(len(bounds) - 1):
        rows = by_depth[bounds[depth] : bounds[depth + 1]]
        above = of_row[forest.parent[rows]] if depth else np.full(len(rows), NO_PATH)
        distinct, place = np.unique((above + 1) * width + forest.pair[rows], return_inverse=True)
        of_row[rows] = path_count + place
        parents.append(distinct // width - 1)
        pairs.append(distinct % width)
        path_count += len(distinct)
    roots = np.flatnonzero(forest.parent < 0)
    critical_ns = critical_path(forest, roots.tolist()).of_rows(len(forest))
    empty = np.zeros(0, dtype=np.int64)
    return CallPaths(
        forest,
        np.concatenate(parents) if parents else empty,
        np.concatenate(pairs) if pairs else empty,
        of_row,
        critical_ns,
    )


@dataclass(frozen=True)
class CriticalPathChange:
    """One call path on both sides; None for a side without it.

    `low`, `high` bound the difference in ns per request.
    """

    path: int
    base: CallPathShare | None
    candidate: CallPathShare | None
    low: float
    high: float


@dataclass(frozen=True)
class _CallPathSums:
    """Sums by path over one side."""

    critical_ns: F64
    calls: Rows
    duration_ns: F64

    def of(self, path: int, side: TraceCohort) -> CallPathShare | None:
        calls, critical_ns, requests = int(self.calls[path]), float(self.critical_ns[path]), max(side.requests, 1)
        if not calls:
            return None
        return CallPathShare(
            critical_ns / requests,
            critical_ns / side.total_ns,
            calls / requests,
            float(self.duration_ns[path]) / calls,
        )


def _sums(paths: CallPaths, side: TraceCohort) -> _CallPathSums:
    rows, count = side.rows(), len(paths.parent)
    of_row = paths.of_row[rows]
    critical_ns: F64 = np.bincount(of_row, weights=paths.critical_ns[rows], minlength=count).astype(np.float64)
    duration_ns: F64 = np.bincount(of_row, weights=paths.forest.duration_ns[rows], minlength=count).astype(np.float64)
    return _CallPathSums(critical_ns, np.bincount(of_row, minlength=count), duration_ns)


def critical_shares(
    paths: CallPaths, sides: tuple[TraceCohort, ...], thresholds: SpanThresholds, most: int
) -> list[CriticalPathChange]:
    """Return the largest call paths, each with the interval (ns per request) of the difference between the sides."""
    sums = [_sums(paths, side) for side in sides]
    shares = np.max([each.critical_ns / side.total_ns for each, side in zip(sums, sides, strict=True)], axis=0)
    largest = np.argsort(-shares, kind="stable")[:most]
    chosen = largest[shares[largest] > 0]
    place = np.full(len(paths.parent), -1)
    place[chosen] = np.arange(len(chosen))
    draws = [_resample(paths, side, place, len(chosen)) for side in sides]
    tail = (1 - thresholds.confidence) / 2
    found = []
    for column, path in enumerate(chosen.tolist()):
        low = high = float("nan")
        if len(sides) == 2 and all(len(each) for each in draws):
            bounds = np.quantile(draws[1][:, column] - draws[0][:, column], [tail, 1 - tail])
            low, high = float(bounds[0]), float(bounds[1])
        path_shares = [each.of(path, side) for each, side in zip(sums, sides, strict=True)]
        base, candidate = path_shares[0], path_shares[1] if len(path_shares) > 1 else None
        found.append(CriticalPathChange(path, base, candidate, low, high))
    return found


def _resample(paths: CallPaths, side: TraceCohort, place: Rows, columns: int) -> F64:
    """Resample the ns per request of each chosen path: (draws x columns)."""
    rows = side.rows()
    rows = rows[place[paths.of_row[rows]] >= 0]
    blocks = len(side.artifact_of_block)
    cell = side.block[paths.forest.trace[rows]] * columns + place[paths.of_row[rows]]
    sums = np.bincount(cell, weights=paths.critical_ns[rows], minlength=blocks * columns).astype(np.float64)
    requests = resample_sums(side, block_sums(side, side.traces, np.ones(len(side.traces))))
    resampled: F64 = resample_sums(side, sums.reshape(blocks, columns)) / np.maximum(requests, 1.0)[:, None]
    return resampled
