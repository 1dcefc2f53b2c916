"""Make findings on P occupancy: what ran while a waiter waited longer, and what of it is new."""

from collections.abc import Mapping

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Effect, Finding
from slowpath.analysis.kinds.exec_traces import trace_wording
from slowpath.analysis.kinds.exec_traces.p_occupancy import WAKE_UP, Occupancy, OccupancyShare
from slowpath.analysis.kinds.exec_traces.scheduler_advice import OCCUPANCY, OCCUPANCY_LESS
from slowpath.analysis.kinds.exec_traces.scheduler_latency_findings import culprits
from slowpath.analysis.kinds.exec_traces.trace_inputs import TraceComparisonInputs
from slowpath.analysis.kinds.exec_traces.waiters import Waiter

KIND = "trace.blame"
# Minimum share of the change for a finding on one occupant.
MIN_OCCUPANT_SHARE = 0.3
# Ranks the finding directly after the scheduler latency that it explains.
_RANK_AFTER = 0.999


def main_occupants(ground: TraceComparisonInputs, delays: Mapping[int, Finding]) -> list[Finding]:
    """Return for each finding on scheduler latency its main occupant, if it is dominant and significant."""
    findings = []
    for number, delay in delays.items():
        finding = _finding(ground, number, delay, ground.occupancy.of(number))
        if finding is not None:
            findings.append(finding)
    return findings


def _finding(ground: TraceComparisonInputs, number: int, delay: Finding, occupancy: Occupancy) -> Finding | None:
    worse = delay.direction == "worse"
    by = culprits(occupancy, worse=worse)
    if not by or by[0].share < MIN_OCCUPANT_SHARE:
        return None
    parts = [part for part in occupancy.parts if part.occupant.culprit == by[0].subject]
    low, high = sum(part.low for part in parts), sum(part.high for part in parts)
    difference = sum(part.difference for part in parts)
    if (low if worse else -high) <= 0:
        return None
    base, candidate = (
        sum(values) for values in zip(*((p.base_ns_per_wait, p.candidate_ns_per_wait) for p in parts), strict=True)
    )
    text = OCCUPANCY if worse else OCCUPANCY_LESS
    return Finding(
        kind=KIND,
        profile_kind="trace",
        subject=ground.matched.waiters[number].subject,
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
        sentence=_sentence(ground.matched.waiters[number], by[0].subject, parts, (base, candidate), (low, high)),
        cost_s_per_s=None if delay.cost_s_per_s is None else delay.cost_s_per_s * by[0].share * _RANK_AFTER,
    )


def _sentence(
    waiter: Waiter,
    name: str,
    parts: list[OccupancyShare],
    per_wait: tuple[float, float],
    bounds: tuple[float, float],
) -> str:
    occupied = f"{trace_wording.describe_occupant(name)} occupied the processors"
    if name == waiter.group:
        occupied = f"other goroutines of {occupied}"
    if name == WAKE_UP:
        occupied = "processors were idle or looking for work"
    pair = wording.format_pair(per_wait[1], per_wait[0], "nanoseconds")
    new = " It is new there." if all(part.base_share < 0.01 for part in parts) and per_wait[1] > per_wait[0] else ""
    more = f"{wording.format_duration(bounds[0])} to {wording.format_duration(bounds[1])} {'more' if bounds[0] > 0 else 'less'}"
    if bounds[0] <= 0:
        more = f"{wording.format_duration(-bounds[1])} to {wording.format_duration(-bounds[0])} less"
    return f"Of each wait of {trace_wording.describe_waiter(waiter.group, waiter.reason)}, {occupied} for {pair} ({more}).{new}"
