"""The headline over all kinds of artifacts.

The verdict as a sentence and the minimum detectable effect.
"""

from dataclasses import replace

from slowpath.analysis.comparison.compare_sides import SideComparison
from slowpath.analysis.findings.combined_verdict import VERDICT_OF, KindVerdict, deciding_kinds
from slowpath.analysis.findings.findings import Verdict
from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.findings.wording import pluralize
from slowpath.analysis.kinds.artifact_kind import KindComparison
from slowpath.analysis.kinds.profiles.comparison.direction import KindDecision
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import TOTAL
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileKindResult
from slowpath.analysis.kinds.profiles.verdict.profile_headline import (
    NAMES,
    VERDICT_WORDS,
    ProfileHeadline,
    leading_finding,
    lowered,
    mixed_reason,
    profile_headline,
    reason_of,
)
from slowpath.analysis.kinds.registry import LATENCY, LATENCY_NOUN, compared_kinds, section_of_finding
from slowpath.units import MILLISECONDS_PER_MINUTE


def _nouns() -> dict[str, str]:
    return {kind.section: kind.verdict_noun for kind in compared_kinds()} | {LATENCY: LATENCY_NOUN}


def make_headline(comparison: SideComparison) -> ProfileHeadline:
    """Write the headline from the kind that decides the verdict, so that sentence and verdict cannot disagree."""
    verdict, kind_verdicts = comparison.verdict, comparison.kind_verdicts
    if not kind_verdicts:
        return ProfileHeadline("Inconclusive: the two sides have no artifacts that can be compared.", None, (), None)
    deciding = deciding_kinds(kind_verdicts)
    mixed = _mixed_across(comparison, deciding) if verdict == "mixed" else None
    leading = _leading(comparison, deciding, verdict)
    kind = _profile_kind(comparison, leading.kind)
    if kind is not None:
        result, ruling = kind
        detectable = next((each.ratio for each in result.detectable if each.subject == TOTAL), None)
        headline = profile_headline(result.comparison, ruling, result.findings, detectable)
        sentence = _sentence(comparison, verdict, mixed or reason_of(result.comparison, ruling, result.findings))
        return replace(headline, sentence=sentence)
    part = _part(comparison, leading.kind)
    reason = mixed or _reason(part, _nouns()[leading.kind], verdict)
    conditions = _latency_conditions(comparison) if part is comparison.latency else _conditions(comparison)
    return ProfileHeadline(_sentence(comparison, verdict, reason), None, conditions, None)


def _sentence(comparison: SideComparison, verdict: Verdict, reason: str) -> str:
    """Write the verdict and its reason.

    For an inconclusive one also the result of the kinds that did not change.
    """
    kinds = comparison.profiles.kinds if comparison.profiles and verdict == "inconclusive" else ()
    bounds = [
        reason_of(kind.comparison, kind.ruling, kind.findings).rstrip(".")
        for kind in kinds
        if kind.ruling and kind.ruling.verdict == "unchanged"
    ]
    known = f"{'; '.join(bounds)}, but " if bounds else ""
    return f"{VERDICT_WORDS[verdict]}: {known}{reason}"


def _leading(comparison: SideComparison, deciding: list[KindVerdict], verdict: Verdict) -> KindVerdict:
    """Return the deciding kind whose finding is first in the list of all findings; else the first."""
    order = [
        section_of_finding(f.kind, f.profile_kind)
        for f in comparison.findings
        if f.is_significant and VERDICT_OF[f.direction] == verdict
    ]
    return min(deciding, key=lambda each: order.index(each.kind) if each.kind in order else len(order))


def _profile_kind(comparison: SideComparison, kind: str) -> tuple[ProfileKindResult, KindDecision] | None:
    for result in comparison.profiles.kinds if comparison.profiles else ():
        if result.comparison.kind == kind and result.ruling is not None:
            return result, result.ruling
    return None


def _part(comparison: SideComparison, kind: str) -> KindComparison:
    part = next((part for name, part in comparison.parts.items() if name == kind), comparison.latency)
    assert part is not None
    return part


def _mixed_across(comparison: SideComparison, deciding: list[KindVerdict]) -> str | None:
    """Write the largest change of each kind if kinds disagree: `CPU: a.F +2.1 µs per request.

    Traces: main.G −4 ms`.
    """
    if len(deciding) == 1:
        return None
    by_kind = []
    for each in deciding:
        kind = _profile_kind(comparison, each.kind)
        findings = kind[0].findings if kind else _part(comparison, each.kind).findings
        relevant = tuple(f for f in findings if each.verdict == "mixed" or VERDICT_OF[f.direction] == each.verdict)
        name = NAMES.get(each.kind, _nouns().get(each.kind, each.kind))
        by_kind.append(f"{name}: {mixed_reason(relevant).rstrip('.')}")
    return f"{'; '.join(by_kind)}."


def _reason(part: KindComparison, kind_name: str, verdict: Verdict) -> str:
    if verdict == "mixed":
        return mixed_reason(tuple(part.findings))
    leading = leading_finding(tuple(part.findings), verdict)
    if leading is not None:
        return lowered(leading.sentence)
    tentative = [finding for finding in part.findings if not finding.is_significant]
    if tentative:
        return f"{pluralize(len(tentative), 'tentative difference')}, none significant."
    if part.reason is not None:
        return part.reason
    if verdict == "unchanged":
        bounds = [each.ratio for each in part.detectable if each.ratio is not None]
        known = f"; a change of {100 * (max(bounds) - 1):.3g}% would have been detected" if bounds else ""
        return f"no significant difference between the {kind_name} of both sides{known}."
    return f"the {kind_name} are too few or too short for a verdict."


def _conditions(comparison: SideComparison) -> tuple[str, ...]:
    base, candidate = len(comparison.base.artifacts()), len(comparison.candidate.artifacts())
    return (f"Base {pluralize(base, 'artifact')}, candidate {pluralize(candidate, 'artifact')}.",)


def _latency_conditions(comparison: SideComparison) -> tuple[str, ...]:
    def describe_requests(side: LatencyWindow | None) -> str:
        assert side is not None
        return f"{pluralize(side.requests, 'request')} in {pluralize(side.known_ms // MILLISECONDS_PER_MINUTE, 'known minute')}"

    return (
        f"Base {describe_requests(comparison.base.latency)}, candidate {describe_requests(comparison.candidate.latency)}.",
    )
