"""Test which rows changed, and which growths only shifted from one function to another.

A stack grows in the function whose frame no longer fits. When frames change, the same growth happens one call earlier or
later: its attributed caller changes, but not its number. Callers are therefore only reported if the growths of that size
changed in total.
"""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.growth_logs.count_rates import F64, Mask
from slowpath.analysis.kinds.growth_logs.growth_counts import GrowthCounts, GrowthRows, Key
from slowpath.analysis.kinds.growth_logs.growth_thresholds import GrowthThresholds
from slowpath.analysis.stats.false_discovery_rate import q_values


@dataclass(frozen=True)
class GrowthShift:
    """`growths` (in the unit of the basis) of one old size that shifted from one caller to another."""

    old_bytes: int
    from_caller: str
    to_caller: str
    growths: float


@dataclass(frozen=True)
class GrowthChanges:
    """q-values of callers and of paths (NaN with too few events), and which of them changed."""

    caller_q: F64
    caller_changed: Mask
    path_q: F64
    path_changed: Mask
    total_changed: bool
    shifts: tuple[GrowthShift, ...]


def changes_of(measured: GrowthCounts, thresholds: GrowthThresholds) -> GrowthChanges:
    """Test callers and paths with Benjamini-Hochberg and floors, and exclude those that only shifted."""
    path_q, path_changed = _changed(measured, measured.paths, thresholds.alpha_callers, thresholds)
    caller_q, caller_changed = _changed(measured, measured.callers, thresholds.alpha_callers, thresholds)
    shifts = _shifts(measured, path_changed, thresholds)
    shifted = {(shift.old_bytes, caller) for shift in shifts for caller in (shift.from_caller, shift.to_caller)}
    for row, (caller, _, _) in enumerate(measured.callers.keys):
        caller_paths = [
            key for key, changed in zip(measured.paths.keys, path_changed, strict=True) if changed and key[0] == caller
        ]
        if caller_paths and all((old, caller) in shifted for _, old, _ in caller_paths):
            caller_changed[row] = False
    total = measured.total.comparison
    ratio = float(total.ratio[0])
    return GrowthChanges(
        caller_q=caller_q,
        caller_changed=caller_changed,
        path_q=path_q,
        path_changed=path_changed,
        total_changed=float(total.p_value[0]) <= thresholds.alpha_total
        and not abs(ratio - 1) < thresholds.least_relative,
        shifts=tuple(shifts),
    )


def _changed(measured: GrowthCounts, rows: GrowthRows, alpha: float, thresholds: GrowthThresholds) -> tuple[F64, Mask]:
    """Return (q-values, which rows are significant and large enough)."""
    q = np.full(len(rows.keys), np.nan)
    counts = rows.growths.sum(axis=1) / rows.quantum
    chosen = np.flatnonzero(counts >= thresholds.fewest_counts)
    q[chosen] = q_values(rows.comparison.p_value[chosen], np.sqrt(counts[chosen]))
    total = max(float(measured.total.comparison.base[0]), float(measured.total.comparison.candidate[0]))
    large = np.abs(rows.comparison.difference) >= thresholds.least_of_total * total
    with np.errstate(invalid="ignore"):
        small = np.abs(rows.comparison.ratio - 1) < thresholds.least_relative
        return q, (q <= alpha) & large & ~small


def _shifts(measured: GrowthCounts, path_changed: Mask, thresholds: GrowthThresholds) -> list[GrowthShift]:
    """Find old sizes that grow as often as before with other callers, with the largest loser and gainer of each."""
    _, class_changed = _changed(measured, measured.classes, thresholds.alpha_classes, thresholds)
    unchanged = {
        key[1] for key, changed in zip(measured.classes.keys, class_changed, strict=True) if not changed and key[1] > 0
    }
    shifts = []
    for old_bytes in sorted(unchanged):
        difference = _sum_by_caller(measured.paths, path_changed, old_bytes)
        if not difference:
            continue
        loser, gainer = min(difference, key=difference.__getitem__), max(difference, key=difference.__getitem__)
        if difference[loser] < 0 < difference[gainer]:
            shifts.append(GrowthShift(old_bytes, loser, gainer, min(-difference[loser], difference[gainer])))
    return shifts


def _sum_by_caller(paths: GrowthRows, changed: Mask, old_bytes: int) -> dict[str, float]:
    """Sum what each caller's changed paths of one old size gained (or lost)."""
    sums: dict[str, float] = {}
    for row in np.flatnonzero(changed).tolist():
        caller, old, _ = paths.keys[row]
        if old == old_bytes:
            sums[caller] = sums.get(caller, 0.0) + float(paths.comparison.difference[row])
    return sums


def sizes_of(measured: GrowthCounts, caller: str | None) -> list[tuple[Key, float]]:
    """Return ((old and new size), difference) of a caller (None: of all), the largest difference first."""
    sums: dict[tuple[int, int], float] = {}
    for row, (owner, old, new) in enumerate(measured.paths.keys):
        if caller in {None, owner}:
            sums[old, new] = sums.get((old, new), 0.0) + float(measured.paths.comparison.difference[row])
    return [(("", old, new), sums[old, new]) for old, new in sorted(sums, key=lambda size: -abs(sums[size]))]
