"""Findings on scheduler delay: who waits longer for a processor after waking, and who held it meanwhile."""

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
    """A finding for each victim that was decided to have changed, by the victim's number."""
    changed = {number: each for number, each in ground.judged.items() if each.quantile is not None}
    costs = ground.costs.among(list(changed))
    found = {
        number: _finding(ground, each, each.quantile, costs[number])
        for number, each in changed.items()
        if each.quantile is not None
    }
    return _sure_together(ground, found)


def _sure_together(ground: TraceComparisonInputs, found: dict[int, Finding]) -> dict[int, Finding]:
    """One change that is beyond doubt makes those beside it certain: that the sides differ is settled by then.

    But for waits while processors were idle, which may be the machine's.
    """
    sure = {finding.direction for finding in found.values() if finding.is_significant}
    return {
        number: replace(finding, is_significant=True)
        if finding.direction in sure
        and not is_mostly_wakeup_latency(ground.blame.of(number), worse=finding.direction == "worse")
        else finding
        for number, finding in found.items()
    }


def _finding(ground: TraceComparisonInputs, judged: TestedWaiter, quantile: float, cost: float) -> Finding:
    matched, number = ground.matched, judged.victim
    blame = ground.blame.of(number)
    victim, row = matched.victims[number], AT[quantile]
    base, candidate = float(judged.base_ns[row]), float(judged.candidate_ns[row])
    ratio, low, high = judged.ratio(quantile)
    worse = candidate > base
    side = matched.candidate if worse else matched.base
    verdict = told_verdict(side, number, blame, worse=worse)
    text = delay_text(verdict) if worse else DELAY_LESS
    told = wording.format_shift(base, candidate, ratio, low, high)
    sentence = f"{wording.format_quantile_name(quantile)} scheduler delay of {trace_wording.describe_waiter(victim.group, victim.reason)}: {told}"
    held = _held(matched, number, blame, verdict, worse=worse)
    change = Effect(ratio, candidate - base, low, high, ground.thresholds.confidence, "ratio")
    return Finding(
        kind=KIND,
        profile_kind="trace",
        subject=victim.subject,
        direction="worse" if worse else "better",
        base=base,
        candidate=candidate,
        unit="nanoseconds",
        change=change,
        normalization="quantile",
        q_value=judged.q,
        attributed_callers=(),
        contributions=culprits(blame, worse=worse),
        is_significant=ground.certain(change) and not is_mostly_wakeup_latency(blame, worse=worse),
        profiles_needed=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=f"{sentence}; {held}." if held and worse else f"{sentence}.",
        quantile=quantile,
        cost_s_per_s=cost,
    )


def _held(matched: MatchedWaiters, number: int, blame: Occupancy, verdict: str, *, worse: bool) -> str:
    side = matched.candidate if worse else matched.base
    shares = trace_wording.by_culprit(blame, candidate=worse)
    if not shares:
        return ""
    leading = max(shares, key=lambda name: shares[name])
    hidden = hidden_quantiles(side, number, (0.99,))
    return trace_wording.describe_occupancy(
        shares,
        verdict,
        goroutines_of(side, leading),
        own=matched.victims[number].group,
        netpoll_ns=hidden[0] if hidden else None,
    )


def told_verdict(side: WaiterSide, number: int, blame: Occupancy, *, worse: bool) -> str:
    """The decoder's verdict on a victim; a hog of very many goroutines is a herd, however long each runs."""
    verdict = verdict_of(side, number) or MIXED
    shares = trace_wording.by_culprit(blame, candidate=worse)
    leading = max(shares, key=lambda name: shares[name], default=None)
    many = leading is not None and goroutines_of(side, leading) > trace_wording.HERD_FROM
    return "thundering-herd" if verdict == "cpu-hog" and many else verdict


def culprits(blame: Occupancy, *, worse: bool) -> tuple[Contribution, ...]:
    """Who makes the change of the mean wait, with their shares of it; who changed the other way is left out."""
    growth = trace_wording.growth_by_culprit(blame.parts)
    signed = {name: ns if worse else -ns for name, ns in growth.items()}
    whole = sum(max(ns, 0.0) for ns in signed.values())
    if whole <= 0:
        return ()
    leading = sorted(signed, key=lambda name: (-signed[name], name))[:MOST_CULPRITS]
    return tuple(Contribution(name, signed[name] / whole) for name in leading if signed[name] / whole >= LEAST_CULPRIT)
