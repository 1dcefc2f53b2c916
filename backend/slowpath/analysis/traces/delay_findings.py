"""Findings on scheduler delay: who waits longer for a processor after waking, and who held it meanwhile."""

from dataclasses import replace

from slowpath.analysis.findings import Change, Finding, Part
from slowpath.analysis.traces import sentences
from slowpath.analysis.traces.advice import DELAY_LESS, delay_text
from slowpath.analysis.traces.blame import Blame
from slowpath.analysis.traces.causes import MIXED, goroutines_of, hidden_quantiles, verdict_of
from slowpath.analysis.traces.ground import Ground
from slowpath.analysis.traces.judging import AT, Judged
from slowpath.analysis.traces.machine import mostly_waking
from slowpath.analysis.traces.victims import Matched, Side

KIND = "trace.sched_delay"
MOST_CULPRITS = 5
LEAST_CULPRIT = 0.03


def delay_findings(ground: Ground) -> dict[int, Finding]:
    """A finding for each victim that was decided to have changed, by the victim's number."""
    changed = {number: each for number, each in ground.judged.items() if each.quantile is not None}
    costs = ground.costs.among(list(changed))
    found = {
        number: _finding(ground, each, each.quantile, costs[number])
        for number, each in changed.items()
        if each.quantile is not None
    }
    return _sure_together(ground, found)


def _sure_together(ground: Ground, found: dict[int, Finding]) -> dict[int, Finding]:
    """One change that is beyond doubt makes those beside it certain: that the sides differ is settled by then.

    But for waits while processors were idle, which may be the machine's.
    """
    sure = {finding.direction for finding in found.values() if finding.certain}
    return {
        number: replace(finding, certain=True)
        if finding.direction in sure and not mostly_waking(ground.blame.of(number), worse=finding.direction == "worse")
        else finding
        for number, finding in found.items()
    }


def _finding(ground: Ground, judged: Judged, quantile: float, cost: float) -> Finding:
    matched, number = ground.matched, judged.victim
    blame = ground.blame.of(number)
    victim, row = matched.victims[number], AT[quantile]
    base, candidate = float(judged.base_ns[row]), float(judged.candidate_ns[row])
    ratio, low, high = judged.ratio(quantile)
    worse = candidate > base
    side = matched.candidate if worse else matched.base
    verdict = told_verdict(side, number, blame, worse=worse)
    text = delay_text(verdict) if worse else DELAY_LESS
    told = sentences.shifted(base, candidate, ratio, low, high)
    sentence = f"{sentences.quantile_name(quantile)} scheduler delay of {sentences.victim(victim.group, victim.reason)}: {told}"
    held = _held(matched, number, blame, verdict, worse=worse)
    change = Change(ratio, candidate - base, low, high, ground.thresholds.confidence, "ratio")
    return Finding(
        kind=KIND,
        profile="trace",
        subject=victim.subject,
        direction="worse" if worse else "better",
        base=base,
        candidate=candidate,
        unit="nanoseconds",
        change=change,
        basis="quantile",
        q_value=judged.q,
        payers=(),
        by=culprits(blame, worse=worse),
        certain=ground.certain(change) and not mostly_waking(blame, worse=worse),
        more_profiles=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=f"{sentence}; {held}." if held and worse else f"{sentence}.",
        quantile=quantile,
        cost=cost,
    )


def _held(matched: Matched, number: int, blame: Blame, verdict: str, *, worse: bool) -> str:
    side = matched.candidate if worse else matched.base
    shares = sentences.by_culprit(blame, candidate=worse)
    if not shares:
        return ""
    leading = max(shares, key=lambda name: shares[name])
    hidden = hidden_quantiles(side, number, (0.99,))
    return sentences.held(
        shares,
        verdict,
        goroutines_of(side, leading),
        own=matched.victims[number].group,
        netpoll_ns=hidden[0] if hidden else None,
    )


def told_verdict(side: Side, number: int, blame: Blame, *, worse: bool) -> str:
    """The decoder's verdict on a victim; a hog of very many goroutines is a herd, however long each runs."""
    verdict = verdict_of(side, number) or MIXED
    shares = sentences.by_culprit(blame, candidate=worse)
    leading = max(shares, key=lambda name: shares[name], default=None)
    many = leading is not None and goroutines_of(side, leading) > sentences.HERD_FROM
    return "herd" if verdict == "hog" and many else verdict


def culprits(blame: Blame, *, worse: bool) -> tuple[Part, ...]:
    """Who makes the change of the mean wait, with their shares of it; who changed the other way is left out."""
    growth = sentences.growth_by_culprit(blame.parts)
    signed = {name: ns if worse else -ns for name, ns in growth.items()}
    whole = sum(max(ns, 0.0) for ns in signed.values())
    if whole <= 0:
        return ()
    leading = sorted(signed, key=lambda name: (-signed[name], name))[:MOST_CULPRITS]
    return tuple(Part(name, signed[name] / whole) for name in leading if signed[name] / whole >= LEAST_CULPRIT)
