"""Make findings on spans: longer gaps, and requests with more calls."""

import numpy as np

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Contribution, Effect, Finding
from slowpath.analysis.findings.wording import format_duration, format_quantile_name, format_shift
from slowpath.analysis.kinds.spans.call_amplification import CallAmplification
from slowpath.analysis.kinds.spans.gap_significance import NewGap, TestedGap, is_leaf
from slowpath.analysis.kinds.spans.span_advice import calls_text, gap_text
from slowpath.analysis.kinds.spans.span_gaps import END, NO_CHILD, START, child_name, edge_name
from slowpath.analysis.kinds.spans.span_inputs import SpanComparisonInputs

GAP, CALLS = "spans.gap", "spans.amplification"
PROFILE = "spans"
MOST_PARTS = 5


def findings_of(ground: SpanComparisonInputs) -> tuple[Finding, ...]:
    """Return findings by cost, worse before better, tentative after certain."""
    findings = [
        *(_gap(ground, each, each.quantile) for each in ground.tested.values() if each.quantile is not None),
        *(_new_gap(ground, each) for each in ground.new_gaps),
        *_amplifications(ground),
    ]
    findings.sort(key=lambda f: (not f.is_significant, f.direction != "worse", -abs(f.cost_s_per_s or 0.0)))
    largest = max((abs(f.cost_s_per_s or 0.0) for f in findings), default=0.0)
    reported = [f for f in findings if abs(f.cost_s_per_s or 0.0) >= ground.thresholds.worth_a_line * largest]
    return tuple(reported[: ground.thresholds.most_findings])


def _gap(ground: SpanComparisonInputs, gap: TestedGap, quantile: float) -> Finding:
    table, edge = ground.gaps, ground.gaps.edges[gap.edge]
    quantile_index = (0.9, 0.99, 0.5).index(quantile)
    base, candidate = float(gap.base_ns[quantile_index]), float(gap.candidate_ns[quantile_index])
    ratio, low, high = gap.ratio(quantile)
    change = Effect(ratio, candidate - base, low, high, ground.thresholds.confidence, "ratio")
    worse = candidate > base
    text = gap_text(worse=worse, leaf=is_leaf(edge), first=edge[1] == NO_CHILD, last=edge[2] == NO_CHILD)
    per_request = [
        float(total[gap.edge]) / max(side.requests, 1) for total, side in zip(table.total_ns, ground.sides, strict=True)
    ]
    return Finding(
        kind=GAP,
        profile_kind=PROFILE,
        subject=edge_name(ground.forest, edge),
        direction="worse" if worse else "better",
        base=base,
        candidate=candidate,
        unit="nanoseconds",
        change=change,
        normalization="quantile",
        q_value=gap.q,
        attributed_callers=(),
        contributions=(),
        is_significant=ground.certain(change, ground.thresholds.single_certain_ratio),
        profiles_needed=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=f"{format_quantile_name(quantile)} of {place_of(ground, edge)}: {format_shift(base, candidate, ratio, low, high)}"
        f"; {_of_request(per_request)}.",
        quantile=quantile,
        cost_s_per_s=(per_request[1] - per_request[0]) * 1e-9 * ground.rate,
    )


def place_of(ground: SpanComparisonInputs, edge: tuple[int, int, int]) -> str:
    """Write where a gap is."""
    service, op = ground.forest.pair_names[edge[0]]
    previous, following = child_name(ground.forest, edge[1], START), child_name(ground.forest, edge[2], END)
    operation_name = f"{service} {op}"
    if is_leaf(edge):
        return f"the self time of {operation_name}"
    if edge[1] == NO_CHILD:
        return f"the gap in {operation_name} before {following}"
    if edge[2] == NO_CHILD:
        return f"the gap in {operation_name} after {previous}"
    return f"the gap in {operation_name} between {previous} and {following}"


def _of_request(per_request: list[float]) -> str:
    """Write the mean time per request on both sides.

    A share of the request would hide a proportional change.
    """
    return f"on average it takes {format_duration(per_request[1])} of the request instead of {format_duration(per_request[0])}"


def _new_gap(ground: SpanComparisonInputs, gap: NewGap) -> Finding:
    edge = ground.gaps.edges[gap.edge]
    worse = gap.candidate_ns > gap.base_ns
    text = gap_text(worse=worse, leaf=is_leaf(edge), first=edge[1] == NO_CHILD, last=edge[2] == NO_CHILD)
    difference = gap.candidate_ns - gap.base_ns
    change = Effect(None if worse else 0.0, difference, gap.low, gap.high, ground.thresholds.confidence, "difference")
    described = f"{format_duration(abs(difference))} per request, where there was none" if worse else "no longer occurs"
    return Finding(
        kind=GAP,
        profile_kind=PROFILE,
        subject=edge_name(ground.forest, edge),
        direction="worse" if worse else "better",
        base=gap.base_ns,
        candidate=gap.candidate_ns,
        unit="nanoseconds/request",
        change=change,
        normalization="per_request",
        q_value=None,
        attributed_callers=(),
        contributions=(),
        is_significant=ground.certain(change, ground.thresholds.single_certain_ratio),
        profiles_needed=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=f"{place_of(ground, edge)[:1].upper()}{place_of(ground, edge)[1:]}: {described}.",
        cost_s_per_s=difference * 1e-9 * ground.rate,
    )


def _amplifications(ground: SpanComparisonInputs) -> list[Finding]:
    """Make one finding per caller and callee.

    For the operation that costs most, with the others as contributions.
    """
    groups: dict[tuple[str, str], list[CallAmplification]] = {}
    for each in ground.amplified:
        if each.changed:
            caller = ground.forest.pair_names[each.pair][0]
            groups.setdefault((caller, each.callee), []).append(each)
    return [_calls(ground, caller, sorted(group, key=_extra_calls)) for (caller, _), group in groups.items()]


def _extra_calls(each: CallAmplification) -> float:
    candidate = each.sides[1]
    return -abs(each.difference) * (candidate.entries if candidate else 0)


def _calls(ground: SpanComparisonInputs, caller: str, group: list[CallAmplification]) -> Finding:
    leading = group[0]
    base, candidate = leading.sides
    means = [side.mean if side else 0.0 for side in leading.sides]
    more = leading.difference > 0
    change = Effect(
        leading.ratio,
        leading.difference,
        leading.low,
        leading.high,
        ground.thresholds.confidence,
        "difference" if leading.ratio is None else "ratio",
    )
    new = not means[0]
    failed = [side.errors / max(side.entries, 1) if side else 0.0 for side in leading.sides]
    text = calls_text(more=more, new=new, errors=failed[1] - failed[0] >= abs(leading.difference) / 2)
    call_ns = candidate.call_ns if candidate and candidate.calls else base.call_ns if base else 0.0
    entries = candidate.entries if candidate else 0
    per_request = leading.difference * entries / max(ground.sides[1].requests, 1)
    total_calls = sum(abs(_extra_calls(each)) for each in group)
    return Finding(
        kind=CALLS,
        profile_kind=PROFILE,
        subject=f"{caller}->{leading.callee}",
        direction="worse" if more else "better",
        base=means[0],
        candidate=means[1],
        unit="count/request",
        change=change,
        normalization="per_request",
        q_value=leading.q,
        attributed_callers=(),
        contributions=tuple(
            Contribution(ground.forest.pair_names[each.pair][1], abs(_extra_calls(each)) / total_calls)
            for each in group[:MOST_PARTS]
            if total_calls
        ),
        is_significant=_is_certain(ground, leading, change),
        profiles_needed=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=_calls_sentence(ground, leading, means, change),
        cost_s_per_s=per_request * call_ns * 1e-9 * ground.rate,
    )


def _is_certain(ground: SpanComparisonInputs, leading: CallAmplification, change: Effect) -> bool:
    """Return whether call counts are certain.

    They depend on the code, so many requests of one set suffice.
    """
    if min(side.entries if side else 0 for side in leading.sides) < ground.thresholds.few_traces:
        return False
    return change.ci_of == "difference" or ground.certain(change, ground.thresholds.least_ratio_calls)


def _calls_sentence(
    ground: SpanComparisonInputs, leading: CallAmplification, means: list[float], change: Effect
) -> str:
    service, op = ground.forest.pair_names[leading.pair]
    more = "more" if change.difference > 0 else "fewer"
    counts = f"{means[0]:.2f} → {means[1]:.2f} for each {op}"
    words = f"{service} makes {more} calls to {leading.callee}: {counts}"
    if change.ci_of == "ratio" and change.ratio is not None:
        return (
            f"{words} ({wording.format_ratio(change.ratio)}, {wording.format_interval(change.ci_low, change.ci_high)})."
        )
    return f"{words}, {'where there were none' if not means[0] else 'none any more'}."


def finite(value: float) -> float | None:
    """Return a number that JSON can represent, else None."""
    return float(value) if np.isfinite(value) else None
