"""Make findings on blocked time: what a group is blocked on, where, and who released it."""

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Contribution, Finding
from slowpath.analysis.kinds.exec_traces import trace_wording
from slowpath.analysis.kinds.exec_traces.blocked_time import LOCK, SEND, SYSCALL, BlockedRate
from slowpath.analysis.kinds.exec_traces.scheduler_advice import BLOCKED, BLOCKED_LESS
from slowpath.analysis.kinds.exec_traces.trace_inputs import TraceComparisonInputs

KIND = "trace.blocked"
MOST_PARTS = 5
_WORDS = {
    LOCK: "is blocked on a lock in {function}",
    SEND: "is blocked on a channel send in {function}",
    SYSCALL: "is in system calls of {function}",
}
_ENDED = {LOCK: "released by", SEND: "received by"}


def blocked_findings(ground: TraceComparisonInputs) -> list[Finding]:
    """Return a finding for each place with a significant change of its blocked time."""
    return [_finding(ground, one) for one in ground.blocked if is_significant(ground, one)]


def describe_undetectable(ground: TraceComparisonInputs) -> str:
    """Write which change of blocked time could have been missed, beyond the limit of *unchanged*; "" if none."""
    limits = ((one.rate.detectable(ground.thresholds), one.place) for one in ground.blocked)
    missed = next(((ratio, place) for ratio, place in limits if ratio > ground.thresholds.unchanged_within), None)
    if missed is None:
        return ""
    ratio, place = missed
    what = _WORDS[place.reason].format(function=wording.function(place.function))
    return f"{wording.function(place.group)} {what}, and a change of that time below {wording.format_ratio(ratio)} could have been missed"


def is_significant(ground: TraceComparisonInputs, blocked: BlockedRate) -> bool:
    """Return whether a change is reported: by false discovery rate, size of the ratio, and added time per second."""
    thresholds, rate = ground.thresholds, blocked.rate
    added = abs(blocked.per_second[1] - blocked.per_second[0])
    return rate.q <= thresholds.alpha and rate.is_beyond(thresholds.least_ratio) and added >= thresholds.least_waiting


def is_certain(ground: TraceComparisonInputs, blocked: BlockedRate) -> bool:
    """Return whether the change is certain: not if load or a lack of CPU may explain it.

    On a machine short of CPU the goroutine that has the lock may not run, so every blocked one waits longer.
    """
    thresholds, rate = ground.thresholds, blocked.rate
    load = ground.waiting.load_ratio if rate.is_worse else 1 / ground.waiting.load_ratio
    return (
        ground.matched.enough_clean
        and blocked.is_beyond_variation
        and rate.is_beyond(thresholds.least_ratio * max(load, 1.0))
    )


def _finding(ground: TraceComparisonInputs, blocked: BlockedRate) -> Finding:
    rate = blocked.rate
    advice = BLOCKED[blocked.place.reason] if rate.is_worse else BLOCKED_LESS
    parts = sorted(blocked.enders.items(), key=lambda one: (-one[1], one[0]))[:MOST_PARTS]
    return Finding(
        kind=KIND,
        profile_kind="trace",
        subject=blocked.place.subject,
        direction="worse" if rate.is_worse else "better",
        base=rate.base,
        candidate=rate.candidate,
        unit=ground.waiting.unit,
        change=rate.change,
        normalization="per_request" if ground.waiting.unit.endswith("/request") else "per_second",
        q_value=rate.q,
        attributed_callers=(),
        contributions=tuple(Contribution(function, share) for (group, function), share in parts if group),
        is_significant=is_certain(ground, blocked),
        profiles_needed=None,
        mechanism=advice.mechanism,
        advice=advice.advice,
        sentence=_sentence(ground, blocked),
        cost_s_per_s=(blocked.per_second[1] - blocked.per_second[0]) / 1e9,
    )


def _sentence(ground: TraceComparisonInputs, blocked: BlockedRate) -> str:
    place, rate = blocked.place, blocked.rate
    what = _WORDS[place.reason].format(function=wording.function(place.function))
    text = (
        f"{wording.function(place.group)} {what}: {wording.format_pair(rate.candidate, rate.base, ground.waiting.unit)}"
    )
    if rate.change.ci_of == "ratio" and rate.change.ratio is not None:
        text += f" ({wording.format_ratio_with_interval(rate.change.ratio, rate.change.ci_low, rate.change.ci_high)})"
    (group, function), share = max(blocked.enders.items(), key=lambda one: (one[1], one[0]), default=(("", ""), 0.0))
    if group and place.reason in _ENDED:
        of_group = "" if function == group else f" of {wording.function(group)}"
        text += (
            f"; {_ENDED[place.reason]} {wording.function(function)}{of_group} for {trace_wording.percent(share)} of it"
        )
    return f"{text}."
