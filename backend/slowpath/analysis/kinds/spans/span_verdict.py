"""Derive the verdict from findings, and the minimum detectable effects of gaps."""

from collections.abc import Sequence

import numpy as np

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.spans.gap_significance import REPORTED_QUANTILES, TestedGap
from slowpath.analysis.kinds.spans.request_time import request_time_change
from slowpath.analysis.kinds.spans.span_findings import GAP
from slowpath.analysis.kinds.spans.span_gaps import edge_name
from slowpath.analysis.kinds.spans.span_inputs import SpanComparisonInputs
from slowpath.analysis.stats.pooled_effects import detectable_log_ratio

MOST_DETECTABLE = 12


def seen_ratios(ground: SpanComparisonInputs) -> dict[int, float]:
    """Return the smallest detectable ratio of each tested edge's p90 (or median, for rare gaps)."""
    return {edge: _detectable_ratio(ground, gap) for edge, gap in ground.tested.items()}


def _detectable_ratio(ground: SpanComparisonInputs, gap: TestedGap) -> float:
    place = (
        REPORTED_QUANTILES.index(0.9) if gap.usable[REPORTED_QUANTILES.index(0.9)] else REPORTED_QUANTILES.index(0.5)
    )
    effects, thresholds = gap.effects, ground.thresholds
    at = slice(place, place + 1)
    floor = float(np.log(thresholds.least_ratio))
    detectable = float(detectable_log_ratio(effects.error[at], effects.df[at], floor, thresholds)[0])
    shift = float(np.log1p(thresholds.least_shift / max(float(gap.base_ns[place]), 1.0)))
    return float(np.exp(min(max(detectable, shift), 50.0)))


def detectable_effects(ground: SpanComparisonInputs) -> tuple[MinimumDetectableEffect, ...]:
    """Return the minimum detectable effects of the edges with the most request time."""
    ratios = seen_ratios(ground)
    edges = sorted(ratios, key=lambda edge: -float(ground.gaps.share(0)[edge]))[:MOST_DETECTABLE]
    return tuple(
        MinimumDetectableEffect(GAP, edge_name(ground.forest, ground.gaps.edges[edge]), ratios[edge]) for edge in edges
    )


def verdict_of(ground: SpanComparisonInputs, findings: Sequence[Finding]) -> Verdict:
    """Return regressed or improved by certain findings; by the total request time if they disagree.

    Unchanged only if a sizeable change of the edges with most of the requests' time would have been detected.
    """
    certain = [finding for finding in findings if finding.is_significant]
    if certain:
        directions = {finding.direction for finding in certain}
        if len(directions) == 1:
            return "regressed" if directions == {"worse"} else "improved"
        change = request_time_change(ground.sides, ground.thresholds)
        if change is None or change.ci_low <= 0 <= change.ci_high:
            return "mixed"
        return "regressed" if change.ci_low > 0 else "improved"
    if findings:
        return "inconclusive"
    return "unchanged" if _could_detect_change(ground) else "inconclusive"


def reason_of(ground: SpanComparisonInputs, verdict: Verdict) -> str | None:
    """Write why nothing was found or decided, without a capital letter; None if findings are the reason."""
    thresholds = ground.thresholds
    fewest = min(side.requests for side in ground.sides)
    if verdict == "unchanged":
        limit, share = (
            wording.format_ratio(thresholds.unchanged_within),
            wording.format_number(100 * thresholds.unchanged_shift_share),
        )
        return f"no gap changed; a change of {limit} in the largest ones, or {share}% of the request's mean time, would have been detected."
    if verdict != "inconclusive" or any(gap.quantile is not None for gap in ground.tested.values()):
        return None
    if fewest < thresholds.few_traces:
        return f"{fewest:,} requests on one side are too few; record {thresholds.few_traces} per side."
    return "a gap twice as long could have been missed; record more requests, or upload more files per side."


def _could_detect_change(ground: SpanComparisonInputs) -> bool:
    thresholds = ground.thresholds
    if min(side.requests for side in ground.sides) < thresholds.few_traces:
        return False
    mean = float(ground.sides[0].root_ns.mean())
    shares = np.minimum(ground.gaps.share(0), ground.gaps.share(1))
    covered = 0.0
    for edge, ratio in seen_ratios(ground).items():
        shift = (ratio - 1) * float(ground.tested[edge].base_ns[REPORTED_QUANTILES.index(0.9)])
        if ratio <= thresholds.unchanged_within or shift <= thresholds.unchanged_shift_share * mean:
            covered += float(shares[edge])
    return covered > 0 and covered >= thresholds.unchanged_covers * float(shares.sum())
