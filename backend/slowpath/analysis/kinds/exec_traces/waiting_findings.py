"""Make findings on the rate of waiting.

Groups that wait on one side only, and an otherwise unexplained total.
"""

import math
from collections.abc import Mapping

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Contribution, CostShift, Finding
from slowpath.analysis.kinds.exec_traces import trace_wording
from slowpath.analysis.kinds.exec_traces.host_effects import MOSTLY, is_mostly_wakeup_latency
from slowpath.analysis.kinds.exec_traces.p_occupancy import Occupancy
from slowpath.analysis.kinds.exec_traces.scheduler_advice import WAITING, WAITING_LESS, delay_text
from slowpath.analysis.kinds.exec_traces.scheduler_latency_findings import culprits, decoder_verdict
from slowpath.analysis.kinds.exec_traces.trace_inputs import TraceComparisonInputs
from slowpath.analysis.kinds.exec_traces.wait_causes import goroutines_of
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide
from slowpath.analysis.kinds.exec_traces.waiting_rates import WaitingRate

GROUP, TOTAL_KIND = "trace.group", "trace.waiting"
TOTAL = "total"
MOST_PARTS = 5
# The total is a finding if others explain less than this of its change.
EXPLAINED = 0.5
# Groups below this share of the change are not named as contributions.
LEAST_PART = 0.05
# Ranks after the latency itself and the occupancy that explains it (at least 0.3 of it).
_RANK_AFTER = 0.29


def group_findings(ground: TraceComparisonInputs, delays: Mapping[int, Finding]) -> list[Finding]:
    """Return a finding for each group that waits on one side and not, or hardly, on the other.

    What the group costs others is in their latencies, so the largest of those ranks first.
    """
    largest = {
        direction: max(
            (abs(each.cost_s_per_s or 0.0) for each in delays.values() if each.direction == direction), default=None
        )
        for direction in ("worse", "better")
    }
    return [
        _group_finding(ground, rate, largest["worse" if rate.is_worse else "better"])
        for rate in ground.waiting.one_sided
        if _is_significant(ground, rate)
    ]


def _added_per_second(ground: TraceComparisonInputs, waiters: tuple[int, ...]) -> float:
    """Return by how many ns per second the waiters wait more or less."""
    sides = [float(side.total_ns[list(waiters)].sum()) / side.seconds for side in ground.matched.sides]
    return abs(sides[1] - sides[0])


def _group_finding(ground: TraceComparisonInputs, rate: WaitingRate, most: float | None) -> Finding:
    matched, leading = ground.matched, rate.waiters[0]
    waiter, occupancy = matched.waiters[leading], ground.occupancy.of(leading)
    worse = rate.is_worse
    side = matched.candidate if worse else matched.base
    text = delay_text(decoder_verdict(side, leading, occupancy, worse=worse)) if worse else WAITING_LESS
    cost = sum(ground.costs.of(number) for number in rate.waiters)
    if most is not None:
        cost = math.copysign(min(abs(cost), _RANK_AFTER * most), cost)
    return Finding(
        kind=GROUP,
        profile_kind="trace",
        subject=waiter.subject,
        direction="worse" if worse else "better",
        base=rate.base,
        candidate=rate.candidate,
        unit=ground.waiting.unit,
        change=rate.change,
        normalization=_basis(ground),
        q_value=rate.q,
        attributed_callers=(),
        contributions=culprits(occupancy, worse=worse),
        is_significant=_certain_group(ground, rate, occupancy),
        profiles_needed=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=_group_sentence(ground, rate, side, occupancy),
        cost_s_per_s=cost,
    )


def _basis(ground: TraceComparisonInputs) -> str:
    return "per_request" if ground.waiting.unit.endswith("/request") else "per_second"


def _certain_group(ground: TraceComparisonInputs, rate: WaitingRate, occupancy: Occupancy) -> bool:
    """Return whether the finding is certain.

    Only if the total changed alike, since a group may replace another.
    """
    total = ground.waiting.total
    if total is None or total.is_worse != rate.is_worse or not total.is_beyond(1.0) or not ground.matched.enough_clean:
        return False
    if is_mostly_wakeup_latency(occupancy, worse=rate.is_worse):
        return False
    several = min(len(side.artifacts) for side in ground.matched.sides) > 1
    return several or total.is_beyond(ground.thresholds.single_certain_ratio)


def _group_sentence(ground: TraceComparisonInputs, rate: WaitingRate, side: WaiterSide, occupancy: Occupancy) -> str:
    matched = ground.matched
    numbers = list(rate.waiters)
    waiter_number = matched.waiters[numbers[0]]
    others = matched.base if rate.is_worse else matched.candidate
    all_of_group = len({matched.waiters[number].reason for number in numbers}) > 1
    waiter = (
        wording.function(waiter_number.group)
        if all_of_group
        else trace_wording.describe_waiter(waiter_number.group, waiter_number.reason)
    )
    hardly = "almost only" if others.waits[numbers].sum() > 0 else "only"
    share = float(matched.shares(side, matched.can_be_findings)[numbers].sum())
    wakes = float(side.waits[numbers].sum()) / side.seconds
    waiting = wording.format_duration(float(side.total_ns[numbers].sum()) / side.seconds)
    described = (
        f"{waiter} waits {hardly} in the {'candidate' if rate.is_worse else 'base'}: {trace_wording.percent(share)} of all waiting "
        f"for a processor there, {wording.format_number(wakes)} wakes and {waiting} of waiting per second"
    )
    occupancy_text = _occupants(matched, numbers[0], side, occupancy, worse=rate.is_worse)
    return f"{described}; {occupancy_text}." if occupancy_text else f"{described}."


def _occupants(matched: MatchedWaiters, number: int, side: WaiterSide, occupancy: Occupancy, *, worse: bool) -> str:
    shares = trace_wording.by_culprit(occupancy, candidate=worse)
    if not shares:
        return ""
    leading = max(shares, key=lambda name: shares[name])
    verdict = decoder_verdict(side, number, occupancy, worse=worse)
    return trace_wording.describe_occupancy(
        shares, verdict, goroutines_of(side, leading), matched.waiters[number].group, None
    )


def total_finding(
    ground: TraceComparisonInputs, others: Mapping[int, Finding], groups: list[Finding]
) -> Finding | None:
    """Return the change of all waiting, if findings on latency and groups explain less than half of it."""
    rate = ground.waiting.total
    if rate is None or not _is_significant(ground, rate) or is_withheld(ground):
        return None
    growth = _waiting_growth(ground, rate.waiters)
    total_growth = sum(growth.values())
    explained_by = set(others) | {
        number for each in ground.waiting.one_sided if _is_reported(ground, each, groups) for number in each.waiters
    }
    explained = sum(growth[number] for number in explained_by if number in growth)
    if total_growth == 0 or (total_growth > 0) != rate.is_worse or explained / total_growth >= EXPLAINED:
        return None
    leading = sorted(growth, key=lambda number: -growth[number] / total_growth)[:MOST_PARTS]
    parts = tuple(
        Contribution(ground.matched.waiters[number].subject, growth[number] / total_growth)
        for number in leading
        if growth[number] / total_growth >= LEAST_PART
    )
    text = WAITING if rate.is_worse else WAITING_LESS
    return Finding(
        kind=TOTAL_KIND,
        profile_kind="trace",
        subject=TOTAL,
        direction="worse" if rate.is_worse else "better",
        base=rate.base,
        candidate=rate.candidate,
        unit=ground.waiting.unit,
        change=rate.change,
        normalization=_basis(ground),
        q_value=rate.q,
        attributed_callers=(),
        contributions=parts,
        is_significant=_certain_total(ground, rate),
        profiles_needed=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=total_sentence(ground, rate, parts),
        cost_s_per_s=total_growth / 1e9,
    )


def _is_reported(ground: TraceComparisonInputs, rate: WaitingRate, groups: list[Finding]) -> bool:
    subject = ground.matched.waiters[rate.waiters[0]].subject
    return any(finding.subject == subject for finding in groups)


def _waiting_growth(ground: TraceComparisonInputs, waiters: tuple[int, ...]) -> dict[int, float]:
    """Return by how many ns per second each waiter waits more."""
    base, candidate = (side.total_ns.sum(axis=1) / side.seconds for side in ground.matched.sides)
    return {number: float(candidate[number] - base[number]) for number in waiters}


def _certain_total(ground: TraceComparisonInputs, rate: WaitingRate) -> bool:
    """Return whether the total is certain: not if load, idle processors or a lack of CPU may explain it."""
    load = ground.waiting.load_ratio if rate.is_worse else 1 / ground.waiting.load_ratio
    several = min(len(side.artifacts) for side in ground.matched.sides) > 1
    least = ground.thresholds.least_ratio if several else ground.thresholds.single_certain_ratio
    return rate.is_beyond(least * max(load, 1.0)) and not _may_be_machine(ground, rate)


def _may_be_machine(ground: TraceComparisonInputs, rate: WaitingRate) -> bool:
    """Return whether the machine may have caused the change.

    It was short of CPU, or processors were mostly idle.
    """
    if not ground.matched.enough_clean:
        return True
    total = sum(_waiting_growth(ground, rate.waiters).values())
    waking = sum(ground.growth_beside_idle(number) for number in rate.waiters)
    return total == 0 or waking / total >= MOSTLY


def _is_significant(ground: TraceComparisonInputs, rate: WaitingRate) -> bool:
    return (
        rate.q <= ground.thresholds.alpha
        and rate.is_beyond(ground.thresholds.least_ratio)
        and _added_per_second(ground, rate.waiters) >= ground.thresholds.least_waiting
    )


def is_withheld(ground: TraceComparisonInputs) -> bool:
    """Return whether all waiting changed, but by no more than a busy machine may cause."""
    rate = ground.waiting.total
    return (
        rate is not None
        and _is_significant(ground, rate)
        and not rate.is_beyond(ground.thresholds.least_ratio_machine)
        and _may_be_machine(ground, rate)
    )


def total_sentence(ground: TraceComparisonInputs, rate: WaitingRate, parts: tuple[Contribution, ...] = ()) -> str:
    """Write the change of all waiting, with the leading group's part of it."""
    described = f"All goroutines together wait {'longer' if rate.is_worse else 'less'} for a processor: "
    described += wording.format_pair(rate.candidate, rate.base, ground.waiting.unit)
    if rate.change.ci_of == "ratio" and rate.change.ratio is not None:
        described += (
            f" ({wording.format_ratio_with_interval(rate.change.ratio, rate.change.ci_low, rate.change.ci_high)})"
        )
    if parts:
        group, _, reason = parts[0].subject.partition("|")
        share = trace_wording.percent(min(parts[0].share, 1.0))
        described += f"; {share} of the {'increase' if rate.is_worse else 'decrease'} is {trace_wording.describe_waiter(group, reason)}"
    return f"{described}."


def renamed_groups(ground: TraceComparisonInputs) -> tuple[CostShift, ...]:
    """Return renamed groups: their waiting shifted to another name."""
    return tuple(
        CostShift(
            profile_kind="trace",
            from_function=each.base,
            to_function=each.candidate,
            common_caller="",
            amount=each.wait_ns_per_second,
            unit="nanoseconds/s",
            sentence=(
                f"{wording.function(each.base)} was renamed to {wording.function(each.candidate)}: "
                f"{wording.format_number(each.wakes_per_second)} wakes and {wording.format_duration(each.wait_ns_per_second)} of waiting "
                "per second. They are compared as one group."
            ),
        )
        for each in ground.matched.renamed
    )
