"""Sentences of previews (pure)."""

from collections.abc import Sequence

from slowpath.analysis.comparison.expected_effects import Conclusion, ConclusionState, format_change
from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.findings.wording import join_list, pluralize
from slowpath.analysis.kinds.metrics.changes.compare_latency import LatencyComparison
from slowpath.analysis.kinds.registry import LATENCY, LATENCY_NOUN, name_stored_kind
from slowpath.verdicts.comparisons.rules import TimeRange


def conclude_latency(
    base: LatencyWindow | None, candidate: LatencyWindow | None, compared: LatencyComparison | None
) -> Conclusion:
    """Return what the latency metrics of both time ranges could show; `compared` is None without those of a side."""
    base_requests, candidate_requests = (window.requests if window else 0 for window in (base, candidate))

    def conclusion(ratio: float | None, state: ConclusionState, sentence: str, improvement: str | None) -> Conclusion:
        return Conclusion(LATENCY, base_requests, candidate_requests, ratio, state, sentence, improvement)

    if compared is None or not base_requests or not candidate_requests:
        missing = "candidate" if base_requests else "base"
        advice = f"Choose a deployment or a time range of a service with {LATENCY_NOUN} as {missing}."
        sentence = f"The {missing} has no {LATENCY_NOUN}, so they are not compared."
        return conclusion(None, "not-compared", sentence, advice)
    requests = f"{pluralize(base_requests, 'request')} in base, {candidate_requests:,} in candidate"
    ratio = compared.detectable[0].ratio if compared.detectable else None
    if ratio is None:
        reasons = " ".join(each.sentence for each in compared.caveats if each.id in NOT_COMPARABLE)
        return conclusion(None, "not-compared", reasons or f"{requests}: too few.", "Choose longer time ranges.")
    sentence = (
        f"{requests}: a change of p99 by {format_change(ratio)} or more would be found; it is tentative at best, since time "
        "ranges differ in more than the build."
    )
    return conclusion(ratio, "tentative", sentence, None)


NOT_COMPARABLE = ("latency-nothing", "bounds-differ", "few-requests")
"""Caveats that explain why latency has no result."""


def name_evidence(evidence: str) -> str:
    """Return the words for the evidence of a conclusion."""
    return LATENCY_NOUN if evidence == LATENCY else name_stored_kind(evidence)


def describe_overlap(shared: int, base: TimeRange | None, candidate: TimeRange | None) -> str | None:
    """Return why the sides cannot be compared with each other: equal artifacts or overlapping times; None if they can."""
    if base and candidate and base.overlaps(candidate):
        return "The time ranges of both sides overlap: end one before the other begins."
    if shared:
        verb = "is" if shared == 1 else "are"
        return f"{pluralize(shared, 'file')} {verb} on both sides: choose other sources, or two values of a label."
    return None


def describe_preview(is_chosen: tuple[bool, bool], conclusions: Sequence[Conclusion]) -> str:
    """Return the headline: what is missing, or what the comparison could conclude."""
    if not any(is_chosen):
        return "Choose both sides."
    if not all(is_chosen):
        return f"Choose the {'base' if not is_chosen[0] else 'candidate'}."
    conclusive = [each for each in conclusions if each.state == "conclusive"]
    tentative = [each for each in conclusions if each.state == "tentative"]
    if conclusive:
        parts = [
            f"{name_evidence(each.evidence)} from {format_change(each.minimum_detectable_ratio)}"
            for each in conclusive
            if each.minimum_detectable_ratio is not None
        ]
        return f"Changes would be found: {join_list(parts)}."
    if tentative:
        names = [name_evidence(each.evidence) for each in tentative]
        return f"Any difference is tentative at best: {join_list(names)} do not suffice for a conclusion."
    if conclusions:
        return "Nothing can be compared: the sides have no kind of evidence in common."
    return "Nothing can be compared: there is no evidence."
