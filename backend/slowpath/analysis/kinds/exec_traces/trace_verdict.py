"""From findings to a verdict, and what the absence of findings shows: the smallest changes that would have been found."""

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
from slowpath.analysis.kinds.exec_traces.gc_findings import KIND as GC_KIND
from slowpath.analysis.kinds.exec_traces.gc_findings import GcComparison
from slowpath.analysis.kinds.exec_traces.scheduler_latency_findings import KIND
from slowpath.analysis.kinds.exec_traces.trace_inputs import TraceComparisonInputs
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.kinds.exec_traces.trace_wording import describe_waiter
from slowpath.analysis.kinds.exec_traces.wait_significance import AT, TestedWaiter, detectable_ratios
from slowpath.analysis.kinds.exec_traces.waiting_findings import TOTAL, TOTAL_KIND, is_withheld
from slowpath.analysis.stats.pooled_effects import as_float64, detectable_log_ratio

TELLING = 0.99
OTHERWISE = 0.9
MOST_DETECTABLE = 12


def ranked(findings: Sequence[Finding], thresholds: TraceThresholds) -> tuple[Finding, ...]:
    """By cost, what got worse first and the likely after the certain; side effects are left out."""
    ordered = sorted(
        findings, key=lambda f: (not f.is_significant, f.direction != "worse", -abs(f.cost_s_per_s or 0.0))
    )
    largest = max((abs(f.cost_s_per_s or 0.0) for f in ordered), default=0.0)
    kept = [f for f in ordered if f.cost_s_per_s is None or abs(f.cost_s_per_s) >= thresholds.worth_a_line * largest]
    return tuple(kept[: thresholds.most_findings])


@dataclass(frozen=True)
class DetectableWaitEffect:
    """The smallest ratio of a victim's quantile that would have been found; p99, or p90 where it waits seldom."""

    victim: int
    quantile: float
    ratio: float


def seen_effects(judged: Mapping[int, TestedWaiter], thresholds: TraceThresholds) -> list[DetectableWaitEffect]:
    """What would have been found, of each victim with waits enough; the longest waiting first."""
    telling = {number: _telling(each) for number, each in judged.items()}
    asked = {number: quantile for number, quantile in telling.items() if quantile is not None}
    ratios = detectable_ratios([judged[number] for number in asked], list(asked.values()), thresholds)
    return [
        DetectableWaitEffect(number, quantile, ratio)
        for (number, quantile), ratio in zip(asked.items(), ratios, strict=True)
    ]


def _telling(judged: TestedWaiter) -> float | None:
    return next((quantile for quantile in (TELLING, OTHERWISE) if judged.usable[AT[quantile]]), None)


def detectable_effects(
    ground: TraceComparisonInputs, seen: Sequence[DetectableWaitEffect], gc: GcComparison
) -> tuple[MinimumDetectableEffect, ...]:
    """The same for people: the total, the groups without those that hardly wait or are the runtime's, and GC."""
    victims = ground.matched.victims
    found = [
        MinimumDetectableEffect(KIND, victims[s.victim].subject, s.ratio) for s in seen if victims[s.victim].accusable
    ]
    total = ground.waiting.total
    whole = (
        [MinimumDetectableEffect(TOTAL_KIND, TOTAL, total.detectable(ground.thresholds))] if total is not None else []
    )
    part = gc.base.cpu.part
    known = gc.detectable is not None and part >= ground.thresholds.least_gc_fraction
    collected = [MinimumDetectableEffect(GC_KIND, "cpu", 1 + (gc.detectable or 0.0) / part)] if known else []
    return (*found[: MOST_DETECTABLE - len(whole) - len(collected)], *whole, *collected)


def verdict_of(
    ground: TraceComparisonInputs, findings: Sequence[Finding], seen: Sequence[DetectableWaitEffect], gc: GcComparison
) -> Verdict:
    """Regressed or improved by what is certain; where that went both ways, by all waiting together.

    Unchanged only where nothing was withheld and a change within the limits would have been found.
    """
    certain = {finding.direction for finding in findings if finding.is_significant}
    if len(certain) == 1:
        return "regressed" if certain == {"worse"} else "improved"
    if certain:
        total = ground.waiting.total
        if total is None or not total.beyond(1.0):
            return "mixed"
        return "regressed" if total.worse else "improved"
    return "inconclusive" if findings or any(_obstacles(ground, seen, gc)) else "unchanged"


def reason_of(
    ground: TraceComparisonInputs, verdict: Verdict, seen: Sequence[DetectableWaitEffect], gc: GcComparison
) -> str | None:
    """Why nothing was found or decided, as one sentence without a capital letter; None where findings say it."""
    if verdict == "unchanged" and ground.waiting.total is not None:
        within = format_ratio(ground.waiting.total.detectable(ground.thresholds))
        return f"no change of the waiting for a processor, and one by {within} would have been found.{_bounds(ground, seen)}"
    if verdict == "inconclusive":
        obstacles = list(_obstacles(ground, seen, gc))
        return f"{'; '.join(obstacles[:2])}." if obstacles else None
    return None


def _bounds(ground: TraceComparisonInputs, seen: Sequence[DetectableWaitEffect]) -> str:
    largest = next((each for each in seen if ground.matched.victims[each.victim].accusable), None)
    if largest is None:
        return ""
    named = ground.matched.victims[largest.victim]
    base = float(ground.judged[largest.victim].base_ns[AT[largest.quantile]])
    return (
        f" The {format_quantile_name(largest.quantile)} delay of {describe_waiter(named.group, named.reason)} did not grow by "
        f"{format_duration((largest.ratio - 1) * base)} or more."
    )


def _obstacles(ground: TraceComparisonInputs, seen: Sequence[DetectableWaitEffect], gc: GcComparison) -> Iterator[str]:
    """What keeps the comparison from the verdict that nothing changed, the gravest first."""
    matched, thresholds, total = ground.matched, ground.thresholds, ground.waiting.total
    withheld = [each for each in ground.judged.values() if each.withheld is not None]
    if not matched.enough_clean:
        yield "the machine was short of CPU for nearly the whole recording; record again on a quiet one"
    count = len(withheld) + is_withheld(ground)
    if count:
        yield (f"{pluralize(count, 'change')} may be the machine's, not the program's; record again on a quiet machine")
    traces = [len(side.artifacts) for side in matched.sides]
    if total is None:
        yield "nothing waited for a processor that could be compared; longer recordings are needed"
        return
    whole = total.detectable(thresholds)
    if min(traces) < 2 or whole > thresholds.unchanged_within:
        yield f"a change of the waiting below {format_ratio(whole)} could have been missed; {_settled_by(ground)}"
    elif _covered(ground, seen) < thresholds.unchanged_covers:
        yield f"a doubled p99 delay of most goroutines could have been missed; {_more(max(traces) * 2, thresholds)}"
    if gc.detectable is None or gc.detectable > thresholds.unchanged_gc:
        points = "" if gc.detectable is None else f" by {format_number(100 * gc.detectable)} percentage points"
        yield f"a change of garbage collection{points} could have been missed; longer recordings would show it"


def _covered(ground: TraceComparisonInputs, seen: Sequence[DetectableWaitEffect]) -> float:
    """The part of all waiting, on the side that has less of it, whose delays would have shown a change."""
    matched, thresholds = ground.matched, ground.thresholds
    shares = [matched.shares(side, matched.accusable) for side in matched.sides]
    covered = 0.0
    for each in seen:
        shift = (each.ratio - 1) * float(ground.judged[each.victim].base_ns[AT[each.quantile]])
        if each.ratio <= thresholds.unchanged_within or shift <= thresholds.unchanged_shift_ns:
            covered += min(float(share[each.victim]) for share in shares)
    return covered


def _settled_by(ground: TraceComparisonInputs) -> str:
    """How many traces of this length would show a change as large as the limit."""
    thresholds, total = ground.thresholds, ground.waiting.total
    traces = np.array([len(side.artifacts) for side in ground.matched.sides], dtype=np.float64)
    present = 2 / float((1 / traces).sum())
    if total is None:
        return "longer recordings are needed"
    floor, limit = float(np.log(thresholds.least_ratio)), float(np.log(thresholds.unchanged_within))
    for count in range(max(int(traces.min()), 1) + 1, thresholds.most_advised + 1):
        error = total.effects.error * np.sqrt(present / count)
        df = as_float64([thresholds.prior_df + 2 * (count - 1)])
        if float(detectable_log_ratio(error, df, floor, thresholds)[0]) <= limit:
            return _more(count, thresholds)
    return "longer recordings, or a quieter machine, are needed"


def _more(count: int, thresholds: TraceThresholds) -> str:
    return f"about {pluralize(count, 'trace')} a side of this length would show {format_ratio(thresholds.unchanged_within)}"
