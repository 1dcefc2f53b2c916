"""Build the rows of the page about stack-growth logs: sets, and paths on which stacks grew."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from slowpath.analysis.kinds.growth_logs.count_rates import count_interval, dispersion_of
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_counts import GrowthCounts, basis_of, measure
from slowpath.analysis.kinds.growth_logs.growth_findings import dominating
from slowpath.analysis.kinds.growth_logs.growth_page_document import (
    GrowthCount,
    GrowthRow,
    GrowthRowState,
    GrowthSetRow,
)
from slowpath.analysis.kinds.growth_logs.growth_significance import GrowthChanges
from slowpath.analysis.kinds.growth_logs.growth_thresholds import GrowthThresholds


@dataclass(frozen=True)
class GrowthSet:
    """Logs that belong together: of one build, or of one side. `side` is base, candidate or "" (neither)."""

    label: str
    artifacts: tuple[GrowthArtifact, ...]
    side: str = ""


def sets_table(sets: Sequence[GrowthSet], thresholds: GrowthThresholds) -> list[GrowthSetRow]:
    """Return one row per set with logs, in the given order; ratios are to the first one.

    Rates are of the total where known, else of the estimate.
    """
    present = [each for each in sets if each.artifacts]
    return [_set_row(each, present[0], thresholds) for each in present]


def _set_row(this: GrowthSet, first: GrowthSet, thresholds: GrowthThresholds) -> GrowthSetRow:
    tables = [artifact.table for artifact in this.artifacts]
    sampled, estimate = sum(table.sampled for table in tables), sum(table.estimate for table in tables)
    totals = [table.total for table in tables if table.total is not None]
    total = sum(totals) if len(totals) == len(tables) else None
    growths = estimate if total is None else total
    seconds, requests = _whole_seconds(this.artifacts), _whole_requests(this.artifacts)
    low, high = _interval(this, thresholds)
    path = dominating(this.artifacts, None)
    on_path = sum(
        p.sampled * a.table.rate for a in this.artifacts for p in a.table.paths if path and p.path == path.path
    )
    ratio, ratio_low, ratio_high = _ratio_to_first(this, first, thresholds)
    return GrowthSetRow(
        side=this.side,
        label=this.label,
        artifacts=len(tables),
        dialects=sorted({table.dialect for table in tables}),
        rates=sorted({table.rate for table in tables if table.sampled}),
        sampled=sampled,
        estimated_growths=estimate,
        total=total,
        duration_ns=None if seconds is None else round(seconds * 1e9),
        requests=requests,
        per_second=growths / seconds if seconds else None,
        per_request=growths / requests if requests else None,
        low=low,
        high=high,
        attributed_caller=path.caller if path else None,
        path=list(path.path) if path else [],
        old_bytes=(path.old_bytes or None) if path else None,
        new_bytes=(path.new_bytes or None) if path else None,
        share=on_path / estimate if path and estimate else None,
        ratio=ratio,
        ratio_low=ratio_low,
        ratio_high=ratio_high,
    )


def _whole_seconds(artifacts: Sequence[GrowthArtifact]) -> float | None:
    known = [artifact.seconds for artifact in artifacts if artifact.seconds]
    return sum(known) if len(known) == len(artifacts) else None


def _whole_requests(artifacts: Sequence[GrowthArtifact]) -> int | None:
    known = [artifact.facts.requests for artifact in artifacts if artifact.facts.requests]
    return sum(known) if len(known) == len(artifacts) else None


def _interval(this: GrowthSet, thresholds: GrowthThresholds) -> tuple[float, float]:
    """Return bounds of the estimate: of the recorded count, by the dispersion of the logs, times the coarsest rate."""
    rate = float(max(artifact.table.rate for artifact in this.artifacts))
    growths = np.array([artifact.table.estimate for artifact in this.artifacts], dtype=np.float64)
    dispersion = dispersion_of(growths, rate, basis_of(this.artifacts).weights, thresholds)
    low, high = count_interval(float(growths.sum()) / rate, dispersion, thresholds.confidence)
    return low * rate, high * rate


def _ratio_to_first(
    this: GrowthSet, first: GrowthSet, thresholds: GrowthThresholds
) -> tuple[float | None, float | None, float | None]:
    """Return (ratio, low, high) of the growths to the first set, per request or second where known."""
    if this is first:
        return 1.0, None, None
    comparison = measure(first.artifacts, this.artifacts, thresholds).total.comparison
    return plain(float(comparison.ratio[0])), plain(float(comparison.low[0])), plain(float(comparison.high[0]))


def rows_of(measured: GrowthCounts, changes: GrowthChanges, thresholds: GrowthThresholds) -> list[GrowthRow]:
    """Return attributed callers by old and new stack size on both sides, most growths first."""
    comparison = measured.paths.comparison
    order = np.argsort(-np.maximum(comparison.base, comparison.candidate), kind="stable")[: thresholds.most_rows]
    return [_row(measured, changes, row) for row in order.tolist()]


def _row(measured: GrowthCounts, changes: GrowthChanges, row: int) -> GrowthRow:
    caller, old_bytes, new_bytes = measured.paths.keys[row]
    comparison = measured.paths.comparison
    best = _path_of(measured.artifacts, caller, old_bytes, new_bytes)
    return GrowthRow(
        attributed_caller=caller,
        path=list(best),
        old_bytes=old_bytes or None,
        new_bytes=new_bytes or None,
        base=_side(measured, row, base=True),
        candidate=_side(measured, row, base=False),
        ratio=plain(float(comparison.ratio[row])),
        low=plain(float(comparison.low[row])),
        high=plain(float(comparison.high[row])),
        q_value=plain(float(changes.path_q[row])),
        state=_state(measured, changes, row),
    )


def _path_of(artifacts: Sequence[GrowthArtifact], caller: str, old_bytes: int, new_bytes: int) -> tuple[str, ...]:
    """Return the path on which these growths happened most often."""
    sums: dict[tuple[str, ...], int] = {}
    for artifact in artifacts:
        for path in artifact.table.paths:
            if (path.caller, path.old_bytes, path.new_bytes) == (caller, old_bytes, new_bytes):
                sums[path.path] = sums.get(path.path, 0) + path.sampled * artifact.table.rate
    return max(sums, key=sums.__getitem__, default=())


def _side(measured: GrowthCounts, row: int, *, base: bool) -> GrowthCount:
    mask = measured.is_base if base else ~measured.is_base
    artifacts = [a for a, mine in zip(measured.artifacts, mask.tolist(), strict=True) if mine]
    growths = measured.paths.growths[row][mask]
    seconds, requests = _whole_seconds(artifacts), _whole_requests(artifacts)
    estimate = float(growths.sum())
    return GrowthCount(
        sampled=round(sum(g / a.table.rate for g, a in zip(growths.tolist(), artifacts, strict=True))),
        estimated_growths=round(estimate),
        per_second=estimate / seconds if seconds else None,
        per_request=estimate / requests if requests else None,
    )


def _state(measured: GrowthCounts, changes: GrowthChanges, row: int) -> GrowthRowState:
    if not changes.path_changed[row]:
        return "noise"
    base, candidate = float(measured.paths.comparison.base[row]), float(measured.paths.comparison.candidate[row])
    if base == 0:
        return "only-candidate"
    if candidate == 0:
        return "only-base"
    return "more" if candidate > base else "less"


def plain(value: float) -> float | None:
    """Return a finite number, else None."""
    return value if isfinite(value) else None
