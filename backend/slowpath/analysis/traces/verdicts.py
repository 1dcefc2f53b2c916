"""From findings to a verdict, and what silence is worth: the smallest changes of delay that would have been found."""

from collections.abc import Mapping, Sequence

from slowpath.analysis.findings import Detectable, Finding, Verdict
from slowpath.analysis.traces.delay_findings import KIND
from slowpath.analysis.traces.judging import AT, Judged
from slowpath.analysis.traces.thresholds import TraceThresholds
from slowpath.analysis.traces.victims import Matched

TELLING = 0.99
OTHERWISE = 0.9
MOST_DETECTABLE = 12


def ranked(findings: Sequence[Finding], thresholds: TraceThresholds) -> tuple[Finding, ...]:
    """By cost, what got worse first and the likely after the certain; side effects are left out."""
    ordered = sorted(findings, key=lambda f: (not f.certain, f.direction != "worse", -abs(f.cost or 0.0)))
    largest = max((abs(f.cost or 0.0) for f in ordered), default=0.0)
    kept = [f for f in ordered if f.cost is None or abs(f.cost) >= thresholds.worth_a_line * largest]
    return tuple(kept[: thresholds.most_findings])


def detectable_effects(
    matched: Matched, judged: Mapping[int, Judged], thresholds: TraceThresholds
) -> tuple[Detectable, ...]:
    """Of the victims that wait most: the smallest ratio of their p99 (p90 where they wait seldom)."""
    found = []
    for number, each in judged.items():
        quantile = _telling(each)
        if matched.victims[number].accusable and quantile is not None:
            found.append(Detectable(KIND, matched.victims[number].subject, each.detectable(quantile, thresholds)))
    return tuple(found[:MOST_DETECTABLE])


def _telling(judged: Judged) -> float | None:
    return next((quantile for quantile in (TELLING, OTHERWISE) if judged.usable[AT[quantile]]), None)


def verdict_of(
    matched: Matched, judged: Mapping[int, Judged], findings: Sequence[Finding], thresholds: TraceThresholds
) -> Verdict:
    """Regressed or improved by what is certain, by cost where it went both ways.

    Unchanged only where a sizeable change would have been seen in the victims that hold most of the waiting.
    """
    certain = [finding for finding in findings if finding.certain]
    if certain:
        cost = sum(f.cost or 0.0 for f in certain if f.kind == KIND)
        directions = {finding.direction for finding in certain}
        if len(directions) == 1:
            return "regressed" if directions == {"worse"} else "improved"
        return "regressed" if cost >= 0 else "improved"
    if findings:
        return "inconclusive"
    return "unchanged" if _would_have_shown(matched, judged, thresholds) else "inconclusive"


def _would_have_shown(matched: Matched, judged: Mapping[int, Judged], thresholds: TraceThresholds) -> bool:
    shares = [matched.shares(side, matched.common) for side in matched.sides]
    covered = 0.0
    for number, each in judged.items():
        quantile = _telling(each)
        if quantile is None:
            continue
        ratio = each.detectable(quantile, thresholds)
        shift = (ratio - 1) * float(each.base_ns[AT[quantile]])
        if ratio <= thresholds.unchanged_within or shift <= thresholds.unchanged_shift_ns:
            covered += min(float(share[number]) for share in shares)
    return covered >= thresholds.unchanged_covers
