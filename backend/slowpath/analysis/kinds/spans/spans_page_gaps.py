"""Build the page's rows about time: gaps by edge, and call paths on critical paths."""

import numpy as np

from slowpath.analysis.kinds.spans.call_paths import CriticalPathChange, critical_shares
from slowpath.analysis.kinds.spans.gap_significance import REPORTED_QUANTILES, TestedGap, is_leaf
from slowpath.analysis.kinds.spans.span_findings import finite
from slowpath.analysis.kinds.spans.span_gaps import END, START, child_name, edge_name
from slowpath.analysis.kinds.spans.span_inputs import SpanComparisonInputs
from slowpath.analysis.kinds.spans.spans_page_document import (
    CriticalPathRow,
    GapChange,
    GapChanges,
    GapQuantileChange,
    GapRow,
    GapSide,
    SpanRowState,
)
from slowpath.analysis.kinds.spans.trace_cohort import ranked_quantile

MOST_GAPS = 200
MOST_PATHS = 300
LEAST_SHARE = 0.0005
# Quantile shown for an edge without a finding.
SHOWN = 0.9
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}


def gap_rows(ground: SpanComparisonInputs) -> list[GapRow]:
    """Return one row per edge: those that changed first, then by share of all request time."""
    shares = np.max([ground.gaps.share(side) for side in range(len(ground.shown))], axis=0)
    changed = {edge: gap.quantile is not None for edge, gap in ground.tested.items()}
    new = {gap.edge for gap in ground.new_gaps}
    edges = sorted(
        np.flatnonzero(shares >= LEAST_SHARE).tolist(),
        key=lambda edge: (not (changed.get(edge) or edge in new), -float(shares[edge])),
    )
    return [_gap_row(ground, edge) for edge in edges[:MOST_GAPS]]


def _gap_row(ground: SpanComparisonInputs, edge: int) -> GapRow:
    forest, key = ground.forest, ground.gaps.edges[edge]
    service, op = forest.pair_names[key[0]]
    sides = [_gap_side(ground, edge, side) for side in range(len(ground.shown))]
    base, candidate = sides[0], sides[1] if len(sides) > 1 else None
    return GapRow(
        edge=edge_name(forest, key),
        service=service,
        op=op,
        previous=child_name(forest, key[1], START),
        next=child_name(forest, key[2], END),
        base=base,
        candidate=candidate,
        change=_gap_change(ground, edge),
        changes=_gap_changes(ground, edge),
        state=_gap_state(ground, edge, base, candidate),
        leaf=is_leaf(key),
    )


def _gap_side(ground: SpanComparisonInputs, edge: int, side: int) -> GapSide | None:
    table, cohort = ground.gaps, ground.sides[side]
    count = int(table.count[side][edge])
    if not count:
        return None
    _, lengths = table.values(edge, side)
    return GapSide(
        n=count,
        suspect=count - len(lengths),
        p50_ns=ranked_quantile(lengths, 0.5),
        p90_ns=ranked_quantile(lengths, 0.9),
        p99_ns=ranked_quantile(lengths, 0.99),
        per_request_ns=float(table.total_ns[side][edge]) / max(cohort.requests, 1),
        share=float(table.share(side)[edge]),
    )


def _gap_change(ground: SpanComparisonInputs, edge: int) -> GapChange | None:
    """Return the change at the quantile of the finding, or else at p90; for an edge on one side, of its total time."""
    gap = ground.tested.get(edge)
    if gap is not None:
        quantile = gap.quantile or SHOWN
        return GapChange(quantile=quantile, **vars(_change_at(gap, quantile)))
    new = next((each for each in ground.new_gaps if each.edge == edge), None)
    if new is None:
        return None
    return GapChange(
        quantile=None,
        ratio=None,
        difference=new.candidate_ns - new.base_ns,
        low=finite(new.low),
        high=finite(new.high),
        q_value=None,
    )


def _gap_changes(ground: SpanComparisonInputs, edge: int) -> GapChanges | None:
    """Return the change of each quantile that the page shows; None where too few values are beyond it."""
    gap = ground.tested.get(edge)
    if gap is None:
        return None
    changes = {
        name: _change_at(gap, quantile) if gap.usable[REPORTED_QUANTILES.index(quantile)] else None
        for name, quantile in QUANTILES.items()
    }
    return GapChanges(**changes)


def _change_at(gap: TestedGap, quantile: float) -> GapQuantileChange:
    ratio, low, high = gap.ratio(quantile)
    return GapQuantileChange(
        ratio=finite(ratio),
        difference=gap.shift_ns(quantile),
        low=finite(low),
        high=finite(high),
        q_value=finite(gap.q),
    )


def _gap_state(
    ground: SpanComparisonInputs, edge: int, base: GapSide | None, candidate: GapSide | None
) -> SpanRowState:
    if ground.alone:
        return "noise"
    if base is None or candidate is None:
        return "only-candidate" if base is None else "only-base"
    gap = ground.tested.get(edge)
    if gap is None or gap.quantile is None:
        return "noise"
    return "more" if gap.shift_ns(gap.quantile) > 0 else "less"


def critical_rows(ground: SpanComparisonInputs) -> list[CriticalPathRow]:
    """Return call paths on the critical paths, the largest first."""
    paths = ground.paths
    rows = []
    for each in critical_shares(paths, ground.shown, ground.thresholds, MOST_PATHS):
        names = paths.names(each.path)
        rows.append(
            CriticalPathRow(
                path=[f"{service} {op}" for service, op in names],
                service=names[-1][0],
                op=names[-1][1],
                base=each.base,
                candidate=each.candidate,
                low=finite(each.low),
                high=finite(each.high),
                state=_critical_state(each, alone=ground.alone),
            )
        )
    return rows


def _critical_state(change: CriticalPathChange, *, alone: bool) -> SpanRowState:
    if alone or not (change.low > 0 or change.high < 0):
        return "noise"
    if change.base is None or change.candidate is None:
        return "only-candidate" if change.base is None else "only-base"
    return "more" if change.low > 0 else "less"
