"""The first lines of an answer over all sorts of artifacts: the verdict as a sentence, and what silence is worth."""

from slowpath.analysis.compare import Comparison, Part, PartName
from slowpath.analysis.findings import Finding, Verdict
from slowpath.analysis.metrics.latency_compare import LatencyComparison
from slowpath.analysis.metrics.latency_window import LatencyWindow
from slowpath.analysis.metrics.service_cells import MINUTE_MS
from slowpath.analysis.profiles.compare import ProfileComparison
from slowpath.analysis.profiles.headline import VERDICT_WORDS, Headline, lowered, profile_headline
from slowpath.analysis.profiles.kind_comparison import TOTAL
from slowpath.analysis.wording import plural

_SORTS: dict[PartName, str] = {
    "traces": "execution traces",
    "spans": "spans",
    "growth": "stack-growth logs",
    "benchmarks": "benchmarks",
}


def headline_of(comparison: Comparison) -> Headline:
    """The headline, from the finding that leads: of profiles with their total, of anything else with its sentence."""
    verdict = comparison.verdict
    leading = next((f for f in comparison.findings if _decides(f, verdict)), None)
    profiles = comparison.profiles
    if profiles is not None and _is_of(profiles, leading):
        return _of_profiles(profiles, verdict)
    part = next((name for name, part in comparison.parts.items() if part.verdict == verdict), None)
    if part is None and comparison.latency is not None:
        return Headline(
            sentence=f"{VERDICT_WORDS[verdict]}: {_reason(comparison.latency, 'latency metrics', verdict, None)}",
            overall=None,
            conditions=_of_windows(comparison.latency),
            detectable=None,
        )
    if part is None:
        return Headline("Inconclusive: nothing of the two sides could be compared.", None, (), None)
    return Headline(
        sentence=f"{VERDICT_WORDS[verdict]}: {_reason(comparison.parts[part], _SORTS[part], verdict, leading)}",
        overall=None,
        conditions=_conditions(comparison),
        detectable=None,
    )


def _decides(finding: Finding, verdict: Verdict) -> bool:
    return finding.certain and (finding.direction == "worse") == (verdict == "regressed")


def _is_of(profiles: ProfileComparison, leading: Finding | None) -> bool:
    """Whether profiles lead: their finding does, or nothing leads and they were judged."""
    if leading is None:
        return any(kind.verdict is not None for kind in profiles.kinds)
    return leading.kind.startswith("profile.")


def _of_profiles(profiles: ProfileComparison, verdict: Verdict) -> Headline:
    leading = next((kind for kind in profiles.kinds if kind.verdict == verdict), None)
    detectable = next((each.ratio for each in leading.detectable if each.subject == TOTAL), None) if leading else None
    return profile_headline(
        verdict,
        leading.comparison if leading else None,
        leading.findings if leading else (),
        detectable,
    )


def _reason(part: Part | LatencyComparison, sort: str, verdict: Verdict, leading: Finding | None) -> str:
    if leading is not None and verdict in {"regressed", "improved"}:
        return lowered(leading.sentence)
    likely = [finding for finding in part.findings if not finding.certain]
    if likely:
        return f"{plural(len(likely), 'difference is', 'differences are')} likely, none is certain."
    if verdict == "unchanged":
        return f"the {sort} of both sides tell the same."
    return f"the {sort} are too few or too short to tell."


def _conditions(comparison: Comparison) -> tuple[str, ...]:
    base, candidate = len(comparison.base.artifacts()), len(comparison.candidate.artifacts())
    return (f"Base {plural(base, 'artifact')}, candidate {plural(candidate, 'artifact')}.",)


def _of_windows(latency: LatencyComparison) -> tuple[str, ...]:
    def told(side: LatencyWindow) -> str:
        return f"{plural(side.requests, 'request')} in {plural(side.known_ms // MINUTE_MS, 'known minute')}"

    return (f"Base {told(latency.base)}, candidate {told(latency.candidate)}.",)
