"""The first lines of an answer over all sorts of artifacts: the verdict as a sentence, and what silence is worth."""

from slowpath.analysis.compare import Comparison
from slowpath.analysis.findings import Verdict
from slowpath.analysis.metrics.latency_window import LatencyWindow
from slowpath.analysis.parts import Answer
from slowpath.analysis.profiles.compare import KindResult
from slowpath.analysis.profiles.direction import Ruling
from slowpath.analysis.profiles.headline import (
    NAMES,
    VERDICT_WORDS,
    Headline,
    leading_finding,
    lowered,
    mixed_reason,
    profile_headline,
    reason_of,
)
from slowpath.analysis.profiles.kind_comparison import TOTAL
from slowpath.analysis.verdicts import VERDICT_OF, KindVerdict, deciding_kinds
from slowpath.analysis.wording import plural
from slowpath.units import MILLISECONDS_PER_MINUTE

_SORTS: dict[str, str] = {
    "traces": "execution traces",
    "spans": "spans",
    "growth": "stack-growth logs",
    "benchmarks": "benchmarks",
    "latency": "latency metrics",
}


def headline_of(comparison: Comparison) -> Headline:
    """Write the headline from the kind that decides the verdict, so that sentence and verdict cannot disagree."""
    verdict, judged = comparison.verdict, comparison.kind_verdicts
    if not judged:
        return Headline("Inconclusive: nothing of the two sides could be compared.", None, (), None)
    deciding = deciding_kinds(judged)
    mixed = _mixed_across(comparison, deciding) if verdict == "mixed" else None
    leading = _leading(comparison, deciding, verdict)
    kind = _profile_kind(comparison, leading.kind)
    if kind is not None:
        result, ruling = kind
        detectable = next((each.ratio for each in result.detectable if each.subject == TOTAL), None)
        headline = profile_headline(result.comparison, ruling, result.findings, detectable)
        sentence = _sentence(comparison, verdict, mixed or reason_of(result.comparison, ruling, result.findings))
        return Headline(sentence, headline.overall, headline.conditions, headline.detectable)
    part = _part(comparison, leading.kind)
    reason = mixed or _reason(part, _SORTS[leading.kind], verdict)
    conditions = _of_windows(comparison) if part is comparison.latency else _conditions(comparison)
    return Headline(_sentence(comparison, verdict, reason), None, conditions, None)


def _sentence(comparison: Comparison, verdict: Verdict, reason: str) -> str:
    """The verdict and its reason; where it is inconclusive, also what is known of the kinds that did not change."""
    kinds = comparison.profiles.kinds if comparison.profiles and verdict == "inconclusive" else ()
    bounds = [
        reason_of(kind.comparison, kind.ruling, kind.findings).rstrip(".")
        for kind in kinds
        if kind.ruling and kind.ruling.verdict == "unchanged"
    ]
    known = f"{'; '.join(bounds)}, but " if bounds else ""
    return f"{VERDICT_WORDS[verdict]}: {known}{reason}"


def _leading(comparison: Comparison, deciding: list[KindVerdict], verdict: Verdict) -> KindVerdict:
    """Of the kinds that decide, the one whose finding comes first in the list of all findings; else the first."""
    order = [
        _kind_of(f.kind, f.profile) for f in comparison.findings if f.certain and VERDICT_OF[f.direction] == verdict
    ]
    return min(deciding, key=lambda each: order.index(each.kind) if each.kind in order else len(order))


def _kind_of(kind: str, profile: str) -> str:
    """The kind of artifact that a finding belongs to, as verdicts name it."""
    prefixes = {"trace": "traces", "span": "spans", "growth": "growth", "bench": "benchmarks", "metrics": "latency"}
    return next((name for prefix, name in prefixes.items() if kind.startswith(prefix)), profile)


def _profile_kind(comparison: Comparison, kind: str) -> tuple[KindResult, Ruling] | None:
    for result in comparison.profiles.kinds if comparison.profiles else ():
        if result.comparison.kind == kind and result.ruling is not None:
            return result, result.ruling
    return None


def _part(comparison: Comparison, kind: str) -> Answer:
    part = next((part for name, part in comparison.parts.items() if name == kind), comparison.latency)
    assert part is not None
    return part


def _mixed_across(comparison: Comparison, deciding: list[KindVerdict]) -> str | None:
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
    likely = [finding for finding in part.findings if not finding.certain]
    if likely:
        return f"{plural(len(likely), 'difference is', 'differences are')} likely, none is significant."
    if part.reason is not None:
        return part.reason
    if verdict == "unchanged":
        bounds = [each.ratio for each in part.detectable if each.ratio is not None]
        known = f"; a change of {100 * (max(bounds) - 1):.3g}% would have been detected" if bounds else ""
        return f"no significant difference between the {sort} of both sides{known}."
    return f"the {sort} are too few or too short to tell."


def _conditions(comparison: Comparison) -> tuple[str, ...]:
    base, candidate = len(comparison.base.artifacts()), len(comparison.candidate.artifacts())
    return (f"Base {plural(base, 'artifact')}, candidate {plural(candidate, 'artifact')}.",)


def _of_windows(comparison: Comparison) -> tuple[str, ...]:
    def told(side: LatencyWindow | None) -> str:
        assert side is not None
        return (
            f"{plural(side.requests, 'request')} in {plural(side.known_ms // MILLISECONDS_PER_MINUTE, 'known minute')}"
        )

    return (f"Base {told(comparison.base.latency)}, candidate {told(comparison.candidate.latency)}.",)
