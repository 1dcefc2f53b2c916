"""Make findings on scheduler latency.

Which waiters wait longer after waking, and the P occupancy meanwhile.
"""

from dataclasses import replace

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Contribution, Effect, Finding
from slowpath.analysis.kinds.exec_traces import trace_wording
from slowpath.analysis.kinds.exec_traces.host_effects import is_mostly_wakeup_latency
from slowpath.analysis.kinds.exec_traces.p_occupancy import Occupancy
from slowpath.analysis.kinds.exec_traces.scheduler_advice import DELAY_LESS, delay_text
from slowpath.analysis.kinds.exec_traces.trace_inputs import TraceComparisonInputs
from slowpath.analysis.kinds.exec_traces.wait_causes import MIXED, goroutines_of, hidden_quantiles, verdict_of
from slowpath.analysis.kinds.exec_traces.wait_significance import AT, TestedWaiter
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide

KIND = "trace.sched_delay"
MOST_CULPRITS = 5
LEAST_CULPRIT = 0.03


def delay_findings(ground: TraceComparisonInputs) -> dict[int, Finding]:
    """Return a finding for each waiter that changed, by the waiter's number."""
    changed = {number: each for number, each in ground.tested_waiters.items() if each.quantile is not None}
    costs = ground.costs.among(list(changed))
    findings = {
        number: _finding(ground, each, each.quantile, costs[number])
        for number, each in changed.items()
        if each.quantile is not None
    }
    return _certain_together(ground, findings)


def _certain_together(ground: TraceComparisonInputs, findings: dict[int, Finding]) -> dict[int, Finding]:
    """Make changes in the direction of a certain one certain: that the sides differ is established then.

    Except for waits while processors were idle, which the machine may have caused.
    """
    certain_directions = {finding.direction for finding in findings.values() if finding.is_significant}
    return {
        number: replace(finding, is_significant=True)
        if finding.direction in certain_directions
        and not is_mostly_wakeup_latency(ground.occupancy.of(number), worse=finding.direction == "worse")
        else finding
        for number, finding in findings.items()
    }


def _finding(ground: TraceComparisonInputs, waiter: TestedWaiter, quantile: float, cost: float) -> Finding:
    matched, number = ground.matched, waiter.waiter
    occupancy = ground.occupancy.of(number)
    waiter_number, row = matched.waiters[number], AT[quantile]
    base, candidate = float(waiter.base_ns[row]), float(waiter.candidate_ns[row])
    ratio, low, high = waiter.ratio(quantile)
    worse = candidate > base
    side = matched.candidate if worse else matched.base
    verdict = decoder_verdict(side, number, occupancy, worse=worse)
    text = delay_text(verdict) if worse else DELAY_LESS
    shift = wording.format_shift(base, candidate, ratio, low, high)
    sentence = f"{wording.format_quantile_name(quantile)} scheduler latency of {trace_wording.describe_waiter(waiter_number.group, waiter_number.reason)}: {shift}"
    occupancy_text = _describe_occupants(matched, number, occupancy, verdict, worse=worse)
    change = Effect(ratio, candidate - base, low, high, ground.thresholds.confidence, "ratio")
    return Finding(
        kind=KIND,
        profile_kind="trace",
        subject=waiter_number.subject,
        direction="worse" if worse else "better",
        base=base,
        candidate=candidate,
        unit="nanoseconds",
        change=change,
        normalization="quantile",
        q_value=waiter.q,
        attributed_callers=(),
        contributions=culprits(occupancy, worse=worse),
        is_significant=ground.certain(change) and not is_mostly_wakeup_latency(occupancy, worse=worse),
        profiles_needed=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=f"{sentence}; {occupancy_text}." if occupancy_text and worse else f"{sentence}.",
        quantile=quantile,
        cost_s_per_s=cost,
    )


def _describe_occupants(
    matched: MatchedWaiters, number: int, occupancy: Occupancy, verdict: str, *, worse: bool
) -> str:
    side = matched.candidate if worse else matched.base
    shares = trace_wording.by_culprit(occupancy, candidate=worse)
    if not shares:
        return ""
    leading = max(shares, key=lambda name: shares[name])
    hidden = hidden_quantiles(side, number, (0.99,))
    return trace_wording.describe_occupancy(
        shares,
        verdict,
        goroutines_of(side, leading),
        own=matched.waiters[number].group,
        netpoll_ns=hidden[0] if hidden else None,
    )


def decoder_verdict(side: WaiterSide, number: int, occupancy: Occupancy, *, worse: bool) -> str:
    """Return the decoder's verdict on a waiter; a CPU hog with very many goroutines is a thundering herd."""
    verdict = verdict_of(side, number) or MIXED
    shares = trace_wording.by_culprit(occupancy, candidate=worse)
    leading = max(shares, key=lambda name: shares[name], default=None)
    many = leading is not None and goroutines_of(side, leading) > trace_wording.HERD_FROM
    return "thundering-herd" if verdict == "cpu-hog" and many else verdict


def culprits(occupancy: Occupancy, *, worse: bool) -> tuple[Contribution, ...]:
    """Return what makes up the change of the mean wait, with shares of it; opposite changes are omitted."""
    growth = trace_wording.growth_by_culprit(occupancy.parts)
    signed = {name: ns if worse else -ns for name, ns in growth.items()}
    total = sum(max(ns, 0.0) for ns in signed.values())
    if total <= 0:
        return ()
    leading = sorted(signed, key=lambda name: (-signed[name], name))[:MOST_CULPRITS]
    return tuple(Contribution(name, signed[name] / total) for name in leading if signed[name] / total >= LEAST_CULPRIT)
