"""The first lines of an answer over all sorts of artifacts: the verdict as a sentence, and what silence is worth."""

from dataclasses import replace

from slowpath.analysis.comparison.compare_sides import SideComparison
from slowpath.analysis.findings.combined_verdict import VERDICT_OF, KindVerdict, deciding_kinds
from slowpath.analysis.findings.findings import Verdict
from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.findings.wording import pluralize
from slowpath.analysis.kinds.profiles.compare_profiles import ProfileKindResult
from slowpath.analysis.kinds.profiles.direction import KindDecision
from slowpath.analysis.kinds.profiles.profile_headline import (
    NAMES,
    VERDICT_WORDS,
    ProfileHeadline,
    leading_finding,
    lowered,
    mixed_reason,
    profile_headline,
    reason_of,
)
from slowpath.analysis.kinds.profiles.profile_kind_comparison import TOTAL
from slowpath.analysis.kinds.registry import Answer
from slowpath.units import MILLISECONDS_PER_MINUTE

_SORTS: dict[str, str] = {
    "traces": "execution traces",
    "spans": "spans",
    "growth": "stack-growth logs",
    "benchmarks": "benchmarks",
    "latency": "latency metrics",
}


def make_headline(comparison: SideComparison) -> ProfileHeadline:
    """Write the headline from the kind that decides the verdict, so that sentence and verdict cannot disagree."""
    verdict, judged = comparison.verdict, comparison.kind_verdicts
    if not judged:
        return ProfileHeadline("Inconclusive: nothing of the two sides could be compared.", None, (), None)
    deciding = deciding_kinds(judged)
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
    reason = mixed or _reason(part, _SORTS[leading.kind], verdict)
    conditions = _of_windows(comparison) if part is comparison.latency else _conditions(comparison)
    return ProfileHeadline(_sentence(comparison, verdict, reason), None, conditions, None)


def _sentence(comparison: SideComparison, verdict: Verdict, reason: str) -> str:
    """The verdict and its reason; where it is inconclusive, also what is known of the kinds that did not change."""
    kinds = comparison.profiles.kinds if comparison.profiles and verdict == "inconclusive" else ()
    bounds = [
        reason_of(kind.comparison, kind.ruling, kind.findings).rstrip(".")
        for kind in kinds
        if kind.ruling and kind.ruling.verdict == "unchanged"
    ]
    known = f"{'; '.join(bounds)}, but " if bounds else ""
    return f"{VERDICT_WORDS[verdict]}: {known}{reason}"


def _leading(comparison: SideComparison, deciding: list[KindVerdict], verdict: Verdict) -> KindVerdict:
    """Of the kinds that decide, the one whose finding comes first in the list of all findings; else the first."""
    order = [
        _kind_of(f.kind, f.profile_kind)
        for f in comparison.findings
        if f.is_significant and VERDICT_OF[f.direction] == verdict
    ]
    return min(deciding, key=lambda each: order.index(each.kind) if each.kind in order else len(order))


def _kind_of(kind: str, profile: str) -> str:
    """The kind of artifact that a finding belongs to, as verdicts name it."""
    prefixes = {"trace": "traces", "span": "spans", "growth": "growth", "bench": "benchmarks", "metrics": "latency"}
    return next((name for prefix, name in prefixes.items() if kind.startswith(prefix)), profile)


def _profile_kind(comparison: SideComparison, kind: str) -> tuple[ProfileKindResult, KindDecision] | None:
    for result in comparison.profiles.kinds if comparison.profiles else ():
        if result.comparison.kind == kind and result.ruling is not None:
            return result, result.ruling
    return None


def _part(comparison: SideComparison, kind: str) -> Answer:
    part = next((part for name, part in comparison.parts.items() if name == kind), comparison.latency)
    assert part is not None
    return part


def _mixed_across(comparison: SideComparison, deciding: list[KindVerdict]) -> str | None:
    """Where kinds disagree, the largest change of each: `CPU: a.F +2.1 µs per request; traces: main.G −4 ms`."""
    if len(deciding) == 1:
        return None
    said = []
    for each in deciding:
        kind = _profile_kind(comparison, each.kind)
        findings = kind[0].findings if kind else _part(comparison, each.kind).findings
        own = tuple(f for f in findings if each.verdict == "mixed" or VERDICT_OF[f.direction] == each.verdict)
        said.append(f"{NAMES.get(each.kind, _SORTS.get(each.kind, each.kind))}: {mixed_reason(own).rstrip('.')}")
    return f"{'; '.join(said)}."


def _reason(part: Answer, sort: str, verdict: Verdict) -> str:
    if verdict == "mixed":
        return mixed_reason(tuple(part.findings))
    leading = leading_finding(tuple(part.findings), verdict)
    if leading is not None:
        return lowered(leading.sentence)
    likely = [finding for finding in part.findings if not finding.is_significant]
    if likely:
        return f"{pluralize(len(likely), 'difference is', 'differences are')} likely, none is significant."
    if part.reason is not None:
        return part.reason
    if verdict == "unchanged":
        bounds = [each.ratio for each in part.detectable if each.ratio is not None]
        known = f"; a change of {100 * (max(bounds) - 1):.3g}% would have been detected" if bounds else ""
        return f"no significant difference between the {sort} of both sides{known}."
    return f"the {sort} are too few or too short to tell."


def _conditions(comparison: SideComparison) -> tuple[str, ...]:
    base, candidate = len(comparison.base.artifacts()), len(comparison.candidate.artifacts())
    return (f"Base {pluralize(base, 'artifact')}, candidate {pluralize(candidate, 'artifact')}.",)


def _of_windows(comparison: SideComparison) -> tuple[str, ...]:
    def told(side: LatencyWindow | None) -> str:
        assert side is not None
        return f"{pluralize(side.requests, 'request')} in {pluralize(side.known_ms // MILLISECONDS_PER_MINUTE, 'known minute')}"

    return (f"Base {told(comparison.base.latency)}, candidate {told(comparison.candidate.latency)}.",)
