"""From findings to a verdict, and what silence is worth: the smallest changes of delay that would have been found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowpath.analysis.findings import Detectable, Finding, Verdict
from slowpath.analysis.traces.delay_findings import KIND
from slowpath.analysis.traces.ground import Ground
from slowpath.analysis.traces.judging import AT, Judged, detectable_ratios
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


@dataclass(frozen=True)
class Seen:
    """The smallest ratio of a victim's quantile that would have been found; p99, or p90 where it waits seldom."""

    victim: int
    quantile: float
    ratio: float


def seen_effects(judged: Mapping[int, Judged], thresholds: TraceThresholds) -> list[Seen]:
    """What would have been found, of each victim with waits enough; the longest waiting first."""
    telling = {number: _telling(each) for number, each in judged.items()}
    asked = {number: quantile for number, quantile in telling.items() if quantile is not None}
    ratios = detectable_ratios([judged[number] for number in asked], list(asked.values()), thresholds)
    return [Seen(number, quantile, ratio) for (number, quantile), ratio in zip(asked.items(), ratios, strict=True)]


def _telling(judged: Judged) -> float | None:
    return next((quantile for quantile in (TELLING, OTHERWISE) if judged.usable[AT[quantile]]), None)


def detectable_effects(matched: Matched, seen: Sequence[Seen]) -> tuple[Detectable, ...]:
    """The same for people, without the runtime's own goroutines and all who hardly wait."""
    victims = matched.victims
    found = [Detectable(KIND, victims[s.victim].subject, s.ratio) for s in seen if victims[s.victim].accusable]
    return tuple(found[:MOST_DETECTABLE])


def verdict_of(ground: Ground, findings: Sequence[Finding], seen: Sequence[Seen]) -> Verdict:
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
    return "unchanged" if _would_have_shown(ground, seen) else "inconclusive"


def _would_have_shown(ground: Ground, seen: Sequence[Seen]) -> bool:
    matched, thresholds = ground.matched, ground.thresholds
    shares = [matched.shares(side, matched.common) for side in matched.sides]
    covered = 0.0
    for each in seen:
        shift = (each.ratio - 1) * float(ground.judged[each.victim].base_ns[AT[each.quantile]])
        if each.ratio <= thresholds.unchanged_within or shift <= thresholds.unchanged_shift_ns:
            covered += min(float(share[each.victim]) for share in shares)
    return covered >= thresholds.unchanged_covers
