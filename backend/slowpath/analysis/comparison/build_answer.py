"""Derive the answer about a build from its comparison with an earlier build.

The verdict is that of the comparison. It is announced only if a deciding kind has a finding in the direction of the verdict
whose q-value reaches the stricter level of `announced_level`: within a family of tests the q-value controls the chance of any
false finding when nothing changed (Benjamini and Hochberg 1995), and Bonferroni's inequality adds families and kinds.

The total changes with the machine and the state of the process, too. Functions and categories are tested relative to what all
of them have in common; for the total, that variation must be measured: with fewer than `few_profiles` captures per build it is
mostly assumed, so the total alone is not announced.
"""

from collections.abc import Iterator
from math import ceil
from statistics import NormalDist

from slowpath.analysis.builds.comparison_answer import (
    AnswerDirection,
    AnswerState,
    ComparisonAnswer,
    KindAnswer,
    announced_level,
)
from slowpath.analysis.comparison.compare_sides import SideComparison
from slowpath.analysis.comparison.verdict_headline import make_headline
from slowpath.analysis.findings.combined_verdict import VERDICT_OF, KindVerdict, deciding_kinds
from slowpath.analysis.findings.findings import CHANGED, Finding, Verdict
from slowpath.analysis.kinds.artifact_kind import KindComparison
from slowpath.analysis.kinds.profiles.comparison.direction import total_direction
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import TOTAL
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileKindResult
from slowpath.analysis.kinds.profiles.verdict.profile_headline import MOST_MORE_PROFILES, more_replicates
from slowpath.analysis.kinds.registry import LATENCY, section_of_finding

_DIRECTIONS: dict[Verdict, AnswerDirection] = {"regressed": "worse", "improved": "better", "mixed": "mixed"}
_NORMAL = NormalDist()
_SMALLEST_P = 1e-15
"""Smaller q-values are not distinguished: their quantile would be infinite."""


def make_comparison_answer(comparison: SideComparison) -> ComparisonAnswer:
    """Return the answer of a comparison with at least one kind that has a verdict."""
    verdict, kind_verdicts = comparison.verdict, comparison.kind_verdicts
    level = announced_level(len(kind_verdicts))
    smallest = {
        each.kind: _smallest_q(comparison, each, with_total=_has_measured_variation(comparison, each))
        for each in kind_verdicts
    }
    kinds = tuple(
        KindAnswer(each.kind, each.verdict, each.verdict in CHANGED and smallest[each.kind] <= level)
        for each in kind_verdicts
    )
    if comparison.latency is not None and LATENCY not in smallest:
        kinds = (*kinds, _latency_answer(comparison, comparison.latency, level))
    deciding = deciding_kinds(kind_verdicts)
    headline = make_headline(comparison)
    state = _state(verdict)
    is_announced = state == "changed" and any(
        each.is_announced for each in kinds if each.kind in {one.kind for one in deciding}
    )
    return ComparisonAnswer(
        state=state,
        direction=_DIRECTIONS.get(verdict),
        is_announced=is_announced,
        reason=headline.sentence.partition(": ")[2] or headline.sentence,
        bound=_bound(comparison) if state == "unchanged" else None,
        effect=_effect(comparison, verdict) if state == "changed" else None,
        profiles_needed=_profiles_needed(
            comparison,
            state,
            min(_smallest_q(comparison, each, with_total=True) for each in deciding),
            level,
            is_announced=is_announced,
        ),
        kinds=kinds,
    )


def _latency_answer(comparison: SideComparison, latency: KindComparison, level: float) -> KindAnswer:
    """Return the answer about latency beside artifacts: it decides nothing, but a check can require it."""
    kind = KindVerdict(LATENCY, latency.verdict, measures_cost=True, has_enough_data=False)
    return KindAnswer(
        LATENCY, kind.verdict, kind.verdict in CHANGED and _smallest_q(comparison, kind, with_total=False) <= level
    )


def _state(verdict: Verdict) -> AnswerState:
    if verdict in CHANGED:
        return "changed"
    return "unchanged" if verdict == "unchanged" else "inconclusive"


def _smallest_q(comparison: SideComparison, kind: KindVerdict, *, with_total: bool) -> float:
    """Return the smallest q-value of the significant findings in the direction of a kind's verdict; 1 without any.

    The test of a total counts too: it is no finding of its own where another finding explains it.
    """
    found = [1.0]
    found += [
        finding.q_value
        for finding in comparison.findings
        if section_of_finding(finding.kind, finding.profile_kind) == kind.kind
        and _supports(finding, kind.verdict)
        and finding.subject != TOTAL
        and finding.q_value is not None
    ]
    return min([*found, *_total_p_values(comparison, kind)]) if with_total else min(found)


def _has_measured_variation(comparison: SideComparison, kind: KindVerdict) -> bool:
    """Return whether a kind of profile has enough captures to measure how its total varies between them."""
    return all(
        min(each.comparison.sets.replicates()) >= each.comparison.thresholds.few_profiles
        for each in _profile_kinds(comparison)
        if each.comparison.kind == kind.kind
    )


def _total_p_values(comparison: SideComparison, kind: KindVerdict) -> Iterator[float]:
    """Yield the p-value of a kind's total if it changed in the direction of the kind's verdict."""
    for result in _profile_kinds(comparison):
        direction = total_direction(result.comparison)
        if result.comparison.kind == kind.kind and direction is not None and VERDICT_OF[direction] == kind.verdict:
            yield float(result.comparison.categories.estimates.p_value[-1])


def _supports(finding: Finding, verdict: Verdict) -> bool:
    """Return whether a finding is evidence of a verdict; a mixed one needs evidence of the change for the worse."""
    return finding.is_significant and VERDICT_OF[finding.direction] == ("regressed" if verdict == "mixed" else verdict)


def _profile_kinds(comparison: SideComparison) -> Iterator[ProfileKindResult]:
    yield from (each for each in (comparison.profiles.kinds if comparison.profiles else ()) if each.ruling is not None)


def _bound(comparison: SideComparison) -> float | None:
    """Return the largest change that an unchanged kind may have; of kinds without an interval, the detectable one."""
    bounds = [each.ruling.bound for each in _profile_kinds(comparison) if each.ruling and each.verdict == "unchanged"]
    known = [each for each in bounds if each is not None] or [
        each.ratio for each in comparison.detectable if each.ratio
    ]
    return max(known, default=None)


def _effect(comparison: SideComparison, verdict: Verdict) -> float | None:
    """Return by which ratio the leading finding changes the total."""
    total = make_headline(comparison).total
    leading = next((each for each in comparison.findings if _supports(each, verdict)), None)
    if total is None or leading is None or leading.profile_kind != total.profile_kind or total.base <= 0:
        return None
    return 1 + abs(leading.explained) / total.base


def _profiles_needed(
    comparison: SideComparison, state: AnswerState, smallest: float, level: float, *, is_announced: bool
) -> int | None:
    """Return how many more profiles per build a verdict, or the announcement of a change, requires."""
    if state == "changed":
        return None if is_announced else _to_announce(comparison, smallest, level)
    if state == "unchanged":
        return None
    more = [
        more_replicates(each.comparison, each.ruling, each.findings)
        for each in _profile_kinds(comparison)
        if each.ruling
    ]
    return max((each for each in more if each), default=None)


def _to_announce(comparison: SideComparison, smallest: float, level: float) -> int | None:
    """Return the profiles per build with which the same effect reaches the level: its z grows with the root of their number."""
    results = list(_profile_kinds(comparison))
    here = min((min(each.comparison.sets.replicates()) for each in results), default=0)
    measured = max((each.comparison.thresholds.few_profiles for each in results), default=0) - here
    reached, required = (_NORMAL.inv_cdf(1 - max(each, _SMALLEST_P) / 2) for each in (smallest, level))
    if not here or reached <= 0:
        return None
    return max(1, measured, min(ceil(here * (required / reached) ** 2) - here, MOST_MORE_PROFILES))
