"""Findings on blame: who took the processors from a victim that waits longer, and who of them is new."""

from collections.abc import Mapping

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Effect, Finding
from slowpath.analysis.kinds.exec_traces import trace_wording
from slowpath.analysis.kinds.exec_traces.p_occupancy import WAKE_UP, Occupancy, OccupancyShare
from slowpath.analysis.kinds.exec_traces.scheduler_advice import BLAME, BLAME_LESS
from slowpath.analysis.kinds.exec_traces.scheduler_latency_findings import culprits
from slowpath.analysis.kinds.exec_traces.trace_inputs import TraceComparisonInputs
from slowpath.analysis.kinds.exec_traces.waiters import Waiter

KIND = "trace.blame"
# One culprit must make this much of the change to be accused in a finding of its own.
ACCUSED_FROM = 0.3
# Blame stands directly behind the delay that it explains.
_JUST_BEHIND = 0.999


def blame_findings(ground: TraceComparisonInputs, delays: Mapping[int, Finding]) -> list[Finding]:
    """For each finding on delay, the culprit that makes most of it, where one stands out and is beyond doubt."""
    found = []
    for number, delay in delays.items():
        finding = _finding(ground, number, delay, ground.blame.of(number))
        if finding is not None:
            found.append(finding)
    return found


def _finding(ground: TraceComparisonInputs, number: int, delay: Finding, blame: Occupancy) -> Finding | None:
    worse = delay.direction == "worse"
    by = culprits(blame, worse=worse)
    if not by or by[0].share < ACCUSED_FROM:
        return None
    parts = [part for part in blame.parts if part.holder.culprit == by[0].subject]
    low, high = sum(part.low for part in parts), sum(part.high for part in parts)
    difference = sum(part.difference for part in parts)
    if (low if worse else -high) <= 0:
        return None
    base, candidate = (
        sum(values) for values in zip(*((p.base_ns_per_wait, p.candidate_ns_per_wait) for p in parts), strict=True)
    )
    text = BLAME if worse else BLAME_LESS
    return Finding(
        kind=KIND,
        profile_kind="trace",
        subject=ground.matched.victims[number].subject,
        direction=delay.direction,
        base=base,
        candidate=candidate,
        unit="nanoseconds",
        change=Effect(
            candidate / base if base > 0 else None, difference, low, high, ground.thresholds.confidence, "difference"
        ),
        normalization="count",
        q_value=None,
        attributed_callers=(),
        contributions=by,
        is_significant=delay.is_significant,
        profiles_needed=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=_sentence(ground.matched.victims[number], by[0].subject, parts, (base, candidate), (low, high)),
        cost_s_per_s=None if delay.cost_s_per_s is None else delay.cost_s_per_s * by[0].share * _JUST_BEHIND,
    )


def _sentence(
    victim: Waiter,
    name: str,
    parts: list[OccupancyShare],
    per_wait: tuple[float, float],
    bounds: tuple[float, float],
) -> str:
    who = f"{trace_wording.describe_occupant(name)} held the processors"
    if name == victim.group:
        who = f"other goroutines of {who}"
    if name == WAKE_UP:
        who = "processors were idle or looking for work"
    said = wording.format_pair(per_wait[1], per_wait[0], "nanoseconds")
    new = " It is new there." if all(part.base_share < 0.01 for part in parts) and per_wait[1] > per_wait[0] else ""
    more = f"{wording.format_duration(bounds[0])} to {wording.format_duration(bounds[1])} {'more' if bounds[0] > 0 else 'less'}"
    if bounds[0] <= 0:
        more = f"{wording.format_duration(-bounds[1])} to {wording.format_duration(-bounds[0])} less"
    return (
        f"Of each wait of {trace_wording.describe_waiter(victim.group, victim.reason)}, {who} for {said} ({more}).{new}"
    )
