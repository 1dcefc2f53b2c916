"""Derive the verdict from findings, and the minimum detectable changes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings.findings import Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.findings.wording import (
    format_duration,
    format_number,
    format_quantile_name,
    format_ratio,
    pluralize,
)
from slowpath.analysis.kinds.exec_traces.blocked_findings import KIND as BLOCKED_KIND
from slowpath.analysis.kinds.exec_traces.blocked_findings import describe_undetectable
from slowpath.analysis.kinds.exec_traces.gc_findings import KIND as GC_KIND
from slowpath.analysis.kinds.exec_traces.gc_findings import GcComparison
from slowpath.analysis.kinds.exec_traces.scheduler_latency_findings import KIND
from slowpath.analysis.kinds.exec_traces.trace_inputs import TraceComparisonInputs
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.kinds.exec_traces.trace_wording import describe_waiter
from slowpath.analysis.kinds.exec_traces.wait_significance import AT, TestedWaiter, detectable_ratios
from slowpath.analysis.kinds.exec_traces.waiting_findings import TOTAL, TOTAL_KIND, is_withheld
from slowpath.analysis.stats.pooled_effects import as_float64, detectable_log_ratio

PREFERRED_QUANTILE = 0.99
FALLBACK_QUANTILE = 0.9
MOST_DETECTABLE = 12


def ranked(findings: Sequence[Finding], thresholds: TraceThresholds) -> tuple[Finding, ...]:
    """Return findings by cost, worse before better and tentative after certain.

    Negligible side effects are omitted.
    """
    ordered = sorted(
        findings, key=lambda f: (not f.is_significant, f.direction != "worse", -abs(f.cost_s_per_s or 0.0))
    )
    largest = max((abs(f.cost_s_per_s or 0.0) for f in ordered), default=0.0)
    reported = [
        f for f in ordered if f.cost_s_per_s is None or abs(f.cost_s_per_s) >= thresholds.worth_a_line * largest
    ]
    return tuple(reported[: thresholds.most_findings])


@dataclass(frozen=True)
class DetectableWaitEffect:
    """The minimum detectable ratio of a waiter's quantile; p99, or p90 with few waits."""

    waiter: int
    quantile: float
    ratio: float


def seen_effects(results: Mapping[int, TestedWaiter], thresholds: TraceThresholds) -> list[DetectableWaitEffect]:
    """Return the minimum detectable effect of each waiter with enough waits, the longest waiting first."""
    tested_quantiles = {number: _usable_quantile(each) for number, each in results.items()}
    usable = {number: quantile for number, quantile in tested_quantiles.items() if quantile is not None}
    ratios = detectable_ratios([results[number] for number in usable], list(usable.values()), thresholds)
    return [
        DetectableWaitEffect(number, quantile, ratio)
        for (number, quantile), ratio in zip(usable.items(), ratios, strict=True)
    ]


def _usable_quantile(results: TestedWaiter) -> float | None:
    return next(
        (quantile for quantile in (PREFERRED_QUANTILE, FALLBACK_QUANTILE) if results.usable[AT[quantile]]), None
    )


def detectable_effects(
    ground: TraceComparisonInputs, seen: Sequence[DetectableWaitEffect], gc: GcComparison
) -> tuple[MinimumDetectableEffect, ...]:
    """Return minimum detectable effects for display: groups of the program, the total, and GC."""
    waiters = ground.matched.waiters
    group_effects = [
        MinimumDetectableEffect(KIND, waiters[s.waiter].subject, s.ratio)
        for s in seen
        if waiters[s.waiter].can_be_finding
    ]
    total = ground.waiting.total
    total_effect = (
        [MinimumDetectableEffect(TOTAL_KIND, TOTAL, total.detectable(ground.thresholds))] if total is not None else []
    )
    part = gc.base.cpu.part
    known = gc.detectable is not None and part >= ground.thresholds.least_gc_fraction
    gc_effect = [MinimumDetectableEffect(GC_KIND, "cpu", 1 + (gc.detectable or 0.0) / part)] if known else []
    return (*group_effects[: MOST_DETECTABLE - len(total_effect) - len(gc_effect)], *total_effect, *gc_effect)


def decide_verdict(
    ground: TraceComparisonInputs, findings: Sequence[Finding], seen: Sequence[DetectableWaitEffect], gc: GcComparison
) -> Verdict:
    """Return regressed or improved by certain findings; by the total waiting if they disagree.

    Blocked time counts beside the waiting for a processor: if both changed, in opposite directions, the verdict is mixed.
    Unchanged only if nothing was withheld and a change within the limits would have been detected.
    """
    certain = {finding.direction for finding in findings if finding.is_significant}
    if len(certain) == 1:
        return "regressed" if certain == {"worse"} else "improved"
    if certain:
        directions = _net_directions(ground, findings)
        if len(directions) != 1:
            return "mixed"
        return "regressed" if directions == {"worse"} else "improved"
    return "inconclusive" if findings or any(_obstacles(ground, seen, gc)) else "unchanged"


def _net_directions(ground: TraceComparisonInputs, findings: Sequence[Finding]) -> set[str]:
    """Return the directions of the total waiting for a processor and of the net blocked time, where they changed."""
    total = ground.waiting.total
    directions = set() if total is None or not total.is_beyond(1.0) else {"worse" if total.is_worse else "better"}
    blocked = sum(one.cost_s_per_s or 0.0 for one in findings if one.is_significant and one.kind == BLOCKED_KIND)
    return directions | ({"worse" if blocked > 0 else "better"} if blocked else set())


def reason_of(
    ground: TraceComparisonInputs, verdict: Verdict, seen: Sequence[DetectableWaitEffect], gc: GcComparison
) -> str | None:
    """Write why nothing was found or decided, without a capital letter; None if findings are the reason."""
    if verdict == "unchanged" and ground.waiting.total is not None:
        within = format_ratio(ground.waiting.total.detectable(ground.thresholds))
        return f"no significant change of the waiting for a processor; a change of {within} would have been detected.{_bounds(ground, seen)}"
    if verdict == "inconclusive":
        obstacles = list(_obstacles(ground, seen, gc))
        return f"{'; '.join(obstacles[:2])}." if obstacles else None
    return None


def _bounds(ground: TraceComparisonInputs, seen: Sequence[DetectableWaitEffect]) -> str:
    largest = next((each for each in seen if ground.matched.waiters[each.waiter].can_be_finding), None)
    if largest is None:
        return ""
    named = ground.matched.waiters[largest.waiter]
    base = float(ground.tested_waiters[largest.waiter].base_ns[AT[largest.quantile]])
    return (
        f" The {format_quantile_name(largest.quantile)} latency of {describe_waiter(named.group, named.reason)} did not grow by "
        f"{format_duration((largest.ratio - 1) * base)} or more."
    )


def _obstacles(ground: TraceComparisonInputs, seen: Sequence[DetectableWaitEffect], gc: GcComparison) -> Iterator[str]:
    """Yield what prevents the verdict *unchanged*, the most severe first."""
    matched, thresholds, total = ground.matched, ground.thresholds, ground.waiting.total
    withheld = [each for each in ground.tested_waiters.values() if each.withheld is not None]
    if not matched.enough_clean:
        yield "the machine was short of CPU for nearly the entire recording; record again on a quiet one"
    count = len(withheld) + is_withheld(ground)
    if count:
        yield (
            f"{pluralize(count, 'change')} may be due to the machine, not the program; record again on a quiet machine"
        )
    traces = [len(side.artifacts) for side in matched.sides]
    if total is None:
        yield "no comparable goroutine waited for a processor; record longer"
        return
    detectable = total.detectable(thresholds)
    if min(traces) < 2 or detectable > thresholds.unchanged_within:
        yield f"a change of the waiting below {format_ratio(detectable)} could have been missed; {_traces_needed(ground)}"
    elif _covered(ground, seen) < thresholds.unchanged_covers:
        yield f"twice the p99 latency of most goroutines could have been missed; {_more(max(traces) * 2, thresholds)}"
    if missed := describe_undetectable(ground):
        yield missed
    if gc.detectable is None or gc.detectable > thresholds.unchanged_gc:
        points = "" if gc.detectable is None else f" by {format_number(100 * gc.detectable)} percentage points"
        yield f"a change of garbage collection{points} could have been missed; record longer"


def _covered(ground: TraceComparisonInputs, seen: Sequence[DetectableWaitEffect]) -> float:
    """Return the share of waiting, on the side with less of it, in which a change would have been detected."""
    matched, thresholds = ground.matched, ground.thresholds
    shares = [matched.shares(side, matched.can_be_findings) for side in matched.sides]
    covered = 0.0
    for each in seen:
        shift = (each.ratio - 1) * _longer_ns(ground.tested_waiters[each.waiter], each.quantile)
        if each.ratio <= thresholds.unchanged_within or shift <= thresholds.unchanged_shift_ns:
            covered += min(float(share[each.waiter]) for share in shares)
    return covered


def _longer_ns(tested: TestedWaiter, quantile: float) -> float:
    """Return a quantile on the side with longer waits, so that swapped sides have the same verdict."""
    return max(float(tested.base_ns[AT[quantile]]), float(tested.candidate_ns[AT[quantile]]))


def _traces_needed(ground: TraceComparisonInputs) -> str:
    """Write how many traces of this length would detect a change as large as the limit."""
    thresholds, total = ground.thresholds, ground.waiting.total
    traces = np.array([len(side.artifacts) for side in ground.matched.sides], dtype=np.float64)
    present = 2 / float((1 / traces).sum())
    if total is None:
        return "record longer"
    floor, limit = float(np.log(thresholds.least_ratio)), float(np.log(thresholds.unchanged_within))
    for count in range(max(int(traces.min()), 1) + 1, thresholds.most_advised + 1):
        error = total.effects.error * np.sqrt(present / count)
        df = as_float64([thresholds.prior_df + 2 * (count - 1)])
        if float(detectable_log_ratio(error, df, floor, thresholds)[0]) <= limit:
            return _more(count, thresholds)
    return "record longer, or on a quieter machine"


def _more(count: int, thresholds: TraceThresholds) -> str:
    return f"about {pluralize(count, 'trace')} of this length per side would detect a change of {format_ratio(thresholds.unchanged_within)}"
