"""Turn changes into findings: the total, and its attributed callers."""

import numpy as np

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import AttributedCaller, Contribution, CostShift, Effect, Finding
from slowpath.analysis.kinds.growth_logs.growth_advice import GrowthAdvice, text_for
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_counts import TOTAL, GrowthCounts, GrowthRows
from slowpath.analysis.kinds.growth_logs.growth_significance import GrowthChanges, sizes_of
from slowpath.analysis.kinds.growth_logs.growth_table import GrowthPath
from slowpath.analysis.kinds.growth_logs.growth_thresholds import GrowthThresholds

KIND = "growth.count"
PROFILE = "growth"
PAYS_MUCH = 0.5
MOST_CALLERS = 5
SMALLEST_SHARE = 0.03


def findings_of(measured: GrowthCounts, changes: GrowthChanges, thresholds: GrowthThresholds) -> list[Finding]:
    """Return the total first, then callers by size of change; those in the other direction last."""
    found: list[Finding] = []
    if changes.total_changed:
        found.append(_finding(measured, measured.total, 0, float(measured.total.comparison.p_value[0]), thresholds))
    rows = np.flatnonzero(changes.caller_changed).tolist()
    callers = [_finding(measured, measured.callers, row, float(changes.caller_q[row]), thresholds) for row in rows]
    callers.sort(key=lambda finding: (finding.direction != "worse", -abs(finding.change.difference)))
    return [*found, *callers]


def find_cost_shifts(measured: GrowthCounts, changes: GrowthChanges) -> list[CostShift]:
    """Describe growths that only changed their attributed caller."""
    unit = measured.basis.unit
    shifts = []
    for shift in changes.shifts:
        amount = shift.growths * factor_of(measured, measured.paths)
        quantity, words = wording.format_quantity(amount, unit)
        shifts.append(
            CostShift(
                profile_kind=PROFILE,
                from_function=shift.from_caller,
                to_function=shift.to_caller,
                common_caller="",
                amount=amount,
                unit=unit,
                sentence=f"Stacks of {size(shift.old_bytes)} grow as often as before, but {quantity} {words} in "
                f"{wording.function(shift.to_caller)} instead of {wording.function(shift.from_caller)}.",
            )
        )
    return shifts


def factor_of(measured: GrowthCounts, rows: GrowthRows) -> float:
    """Return the display factor of rates.

    Per log, growths are shown as recorded if all logs have one rate.
    """
    rates = {artifact.table.rate for artifact in measured.artifacts}
    if measured.basis.id != "count" or len(rates) > 1 or rows.quantum == 1:
        return 1.0
    return 1.0 / rates.pop()


def change_of(measured: GrowthCounts, rows: GrowthRows, row: int, thresholds: GrowthThresholds) -> Effect:
    """Return the effect of one row: a ratio if both bounds are finite and positive, else a difference."""
    comparison, factor = rows.comparison, factor_of(measured, rows)
    ratio, low, high = float(comparison.ratio[row]), float(comparison.low[row]), float(comparison.high[row])
    difference = float(comparison.difference[row]) * factor
    if np.isfinite(ratio) and ratio > 0 and np.isfinite(high):
        return Effect(ratio, difference, low, high, thresholds.confidence, "ratio")
    return Effect(
        ratio=ratio if np.isfinite(ratio) else None,
        difference=difference,
        ci_low=float(comparison.estimates.difference_low[row]) * factor,
        ci_high=float(comparison.estimates.difference_high[row]) * factor,
        confidence_level=thresholds.confidence,
        ci_of="difference",
    )


def _finding(
    measured: GrowthCounts, rows: GrowthRows, row: int, q_value: float, thresholds: GrowthThresholds
) -> Finding:
    comparison, factor, name = rows.comparison, factor_of(measured, rows), rows.keys[row][0]
    caller = None if rows is measured.total else name
    base, candidate = float(comparison.base[row]) * factor, float(comparison.candidate[row]) * factor
    change = change_of(measured, rows, row, thresholds)
    sizes = sizes_of(measured, caller)
    callers = top_attributed_callers(measured, change.difference, factor, caller)
    old = sizes[0][0][1] if sizes else 0
    text = _text(measured, grows_more=change.difference > 0, only_candidate=base == 0, old_bytes=old)
    certain = min(measured.replicates) >= thresholds.fewest_replicates
    return Finding(
        kind=KIND,
        profile_kind=PROFILE,
        subject=TOTAL if caller is None else name,
        direction="worse" if change.difference > 0 else "better",
        base=base,
        candidate=candidate,
        unit=measured.basis.unit,
        change=change,
        normalization=measured.basis.id,
        q_value=q_value,
        attributed_callers=callers,
        contributions=_parts(measured, caller),
        is_significant=certain,
        profiles_needed=None if certain else thresholds.fewest_replicates - min(measured.replicates),
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=sentence(measured, caller, base=base, candidate=candidate, change=change, callers=callers),
    )


def _text(measured: GrowthCounts, *, grows_more: bool, only_candidate: bool, old_bytes: int) -> GrowthAdvice:
    return text_for(
        grows_more=grows_more,
        only_candidate=only_candidate,
        old_bytes=old_bytes,
        goroutines_per_growth=_goroutines_per_growth(
            [a for a, is_base in zip(measured.artifacts, measured.is_base.tolist(), strict=True) if not is_base]
        ),
    )


def _goroutines_per_growth(artifacts: list[GrowthArtifact]) -> float | None:
    """Return different goroutines per recorded growth; None with too few records."""
    known = [artifact.table for artifact in artifacts if artifact.table.goroutines and artifact.table.sampled]
    sampled = sum(table.sampled for table in known)
    return sum(table.goroutines or 0 for table in known) / sampled if sampled >= 10 else None


def top_attributed_callers(
    measured: GrowthCounts, difference: float, factor: float, only: str | None
) -> tuple[AttributedCaller, ...]:
    """Return the callers of most of the change, each with its most frequent path.

    For one caller only that one. `difference` is the change in display units, `factor` converts rates to these.
    """
    rows = measured.callers
    sign = 1.0 if difference >= 0 else -1.0
    signed = sign * rows.comparison.difference * factor
    found: list[AttributedCaller] = []
    for row in np.argsort(-signed, kind="stable").tolist():
        name = rows.keys[row][0]
        if only not in {None, name} or len(found) == MOST_CALLERS:
            continue
        if only is None and signed[row] <= SMALLEST_SHARE * abs(difference):
            break
        best = dominating(measured.artifacts, name)
        path = best.path if best else ()
        found.append(AttributedCaller(name, best.entry if best else None, path, sign * float(signed[row])))
    return tuple(found)


def dominating(artifacts: tuple[GrowthArtifact, ...], caller: str | None) -> GrowthPath | None:
    """Return the most frequent path of one caller or all (times rate); the later log wins a tie."""
    sums: dict[tuple[str, ...], float] = {}
    paths: dict[tuple[str, ...], GrowthPath] = {}
    for artifact in artifacts:
        for path in artifact.table.paths:
            if caller in {None, path.caller} and path.path:
                sums[path.path] = sums.get(path.path, 0.0) + path.sampled * artifact.table.rate
                paths[path.path] = path
    return paths[max(sums, key=sums.__getitem__)] if sums else None


def _parts(measured: GrowthCounts, caller: str | None) -> tuple[Contribution, ...]:
    """Return the sizes that make up the change, with their shares of it."""
    sizes = [(key, difference) for key, difference in sizes_of(measured, caller) if key[1] > 0]
    total = sum(difference for _, difference in sizes)
    if total == 0:
        return ()
    parts = [Contribution(f"{size(old)} to {size(new)}", difference / total) for (_, old, new), difference in sizes]
    return tuple(part for part in parts if abs(part.share) > SMALLEST_SHARE)[:MOST_CALLERS]


def sentence(
    measured: GrowthCounts,
    caller: str | None,
    *,
    base: float,
    candidate: float,
    change: Effect,
    callers: tuple[AttributedCaller, ...],
) -> str:
    """Write what changed, by how much, at which sizes, and the attributed caller."""
    more = "more" if change.difference > 0 else "less"
    title = "Goroutine stacks grow" if caller is None else f"{wording.function(caller)} makes stacks grow"
    values = wording.format_pair(candidate, base, measured.basis.unit)
    words = f"{title} {more} often: {values.replace('nothing', 'never').replace('of none', 'of never')}"
    if change.ratio is not None and change.ci_of == "ratio":
        words += f" ({_times(change.ratio, change.ci_low, change.ci_high)})"
    sizes = [(key, part) for key, part in sizes_of(measured, caller) if key[1] > 0 and part * change.difference > 0]
    total = sum(part for _, part in sizes)
    if sizes and sizes[0][1] / total >= PAYS_MUCH:
        (_, old, new), _ = sizes[0]
        words += f", {'' if sizes[0][1] == total else 'mostly '}from {size(old)} to {size(new)}"
    if caller is None and callers and callers[0].difference / change.difference >= PAYS_MUCH:
        words += f", attributed to {wording.function(callers[0].function)}"
    if measured.basis.id == "count" and factor_of(measured, measured.callers) != 1 and measured.total.quantum != 1:
        words += f"; only every {ordinal(measured.artifacts[0].table.rate)} growth is counted"
    return f"{words}."


def _times(ratio: float, low: float, high: float) -> str:
    """Format a ratio with its interval, `×1.74, 1.68 to 1.81`; very small ratios with more digits."""
    if ratio >= 0.1:
        return f"{wording.format_ratio(ratio)}, {wording.format_interval(low, high)}"
    return f"×{wording.format_number(ratio)}, {wording.format_number(low)} to {wording.format_number(high)}"


def ordinal(rate: int) -> str:
    """Format an ordinal: `1,000th`, `2nd`."""
    ending = "th" if rate % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(rate % 10, "th")
    return f"{rate:,}{ending}"


def size(count: int) -> str:
    """Format a stack size: `2 KiB`."""
    if count < 1024:
        return f"{count} bytes"
    number, unit = wording.format_quantity(float(count), "bytes")
    return f"{number.removesuffix('.00').removesuffix('.0')} {unit}"
