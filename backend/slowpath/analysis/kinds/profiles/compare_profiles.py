"""The front door: two sets of artifacts in, one answer out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from numpy.random import Generator

from slowpath.analysis.findings.combined_verdict import KindVerdict, combined_verdict
from slowpath.analysis.findings.findings import CHANGED, Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.findings.wording import pluralize
from slowpath.analysis.kinds.profiles.category_findings import category_findings
from slowpath.analysis.kinds.profiles.category_parts import with_exclusive
from slowpath.analysis.kinds.profiles.diff_views import DiffViewBuilder, DiffViewColumns
from slowpath.analysis.kinds.profiles.direction import KindDecision, ruling_of, total_direction
from slowpath.analysis.kinds.profiles.function_findings import function_findings
from slowpath.analysis.kinds.profiles.granularities import GRANULARITIES, Granularity
from slowpath.analysis.kinds.profiles.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.profile_caveats import KindCaveat, by_gravity, merged
from slowpath.analysis.kinds.profiles.profile_kind_caveats import doubts_of_kind
from slowpath.analysis.kinds.profiles.profile_kind_comparison import TOTAL, ProfileKindComparison, compare_kind
from slowpath.analysis.kinds.profiles.profile_sets import ProfileSets, make_sets
from slowpath.analysis.kinds.profiles.profile_side_caveats import side_doubts
from slowpath.analysis.kinds.profiles.profile_table import ProfileTable, SampleType
from slowpath.analysis.kinds.profiles.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.profiles.profile_verdict import detectable_effects, ranked, reportable_findings, with_total
from slowpath.analysis.kinds.profiles.shift_findings import shift_findings

KIND_ORDER = (
    "cpu",
    "allocs",
    "heap",
    "mutex",
    "block",
    "goroutine",
    "threadcreate",
    "other",
    "growth",
    "trace-cpu",
    "trace-delay",
    "critical-path",
)
SHOWN_KINDS = frozenset({"growth", "trace-cpu", "trace-delay", "critical-path"})
"""Drawn like profiles, but judged by those who know what they count (`analysis.growth`, `analysis.traces`, `analysis.spans`)."""


@dataclass(frozen=True)
class ProfileKindResult:
    """What was found of one kind of profile. `ruling` is None for kinds that are only drawn."""

    ruling: KindDecision | None
    comparison: ProfileKindComparison
    findings: tuple[Finding, ...]
    moves: tuple[CostShift, ...]
    detectable: tuple[MinimumDetectableEffect, ...]

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of this kind alone."""
        return self.ruling.verdict if self.ruling else None

    @property
    def kind_verdict(self) -> KindVerdict | None:
        """The verdict with its weight among those of other kinds: CPU per request or second outweighs shares."""
        if self.ruling is None:
            return None
        absolute = self.comparison.basis.id != "share"
        return KindVerdict(
            kind=self.comparison.kind,
            verdict=self.ruling.verdict,
            measures_cost=absolute and self.comparison.kind == "cpu",
            has_enough_data=self.ruling.verdict in CHANGED or (absolute and self.comparison.certain),
        )


@dataclass(frozen=True)
class ProfileComparison:
    """Base against candidate over all kinds of profile."""

    base: tuple[ProfileArtifact, ...]
    candidate: tuple[ProfileArtifact, ...]
    verdict: Verdict
    findings: tuple[Finding, ...]
    moves: tuple[CostShift, ...]
    doubts: tuple[Caveat, ...]
    detectable: tuple[MinimumDetectableEffect, ...]
    kinds: tuple[ProfileKindResult, ...]

    def views(self) -> Iterator[DiffViewColumns]:
        """All views, the most useful first; each is computed when its columns are asked for."""
        for kind in self.kinds:
            maker = DiffViewBuilder(kind.comparison)
            for sample_type in maker.sample_types():
                for granularity in GRANULARITIES:
                    yield maker.view(sample_type, granularity)

    def view(self, kind: str, sample_type: int, granularity: Granularity) -> DiffViewColumns:
        """One view; `sample_type` counts the types that both sides have. Raises `KeyError` when there is none."""
        for result in self.kinds:
            if result.comparison.kind == kind:
                maker = DiffViewBuilder(result.comparison)
                return maker.view(maker.sample_types()[sample_type], granularity)
        raise KeyError(kind)


def compare_profiles(
    base: Sequence[ProfileArtifact],
    candidate: Sequence[ProfileArtifact],
    thresholds: ProfileThresholds,
    rng: Generator,
    progress: Callable[[str, float], None],
) -> ProfileComparison:
    """Compare every kind of profile that both sides have; `progress(step, fraction)` is told along the way."""
    del rng
    kinds = [kind for kind in KIND_ORDER if any(a.table.kind == kind for a in (*base, *candidate))]
    results: list[ProfileKindResult] = []
    raised: list[KindCaveat | Caveat] = [*side_doubts(base, candidate, thresholds.saturated_at)]
    for number, kind in enumerate(kinds):
        progress(f"comparing {kind} profiles", number / max(len(kinds), 1))
        mine = [a for a in base if a.table.kind == kind]
        theirs = [a for a in candidate if a.table.kind == kind]
        if not mine or not theirs:
            if kind in SHOWN_KINDS:
                continue
            side = "base" if not mine else "candidate"
            raised.append(KindCaveat("kind-missing", kind, f"Nothing in the {side} to compare with", "not compared"))
            continue
        sets = _sets_of(mine, theirs)
        if sets is None:
            raised.append(KindCaveat("sample-type", kind, "The two sides count different things", "not compared"))
            continue
        if kind in SHOWN_KINDS:
            results.append(ProfileKindResult(None, compare_kind(kind, sets, thresholds), (), (), ()))
            continue
        left = len(mine) + len(theirs) - len(sets.artifacts)
        if left and not sets.differenced:
            what = f"{pluralize(left, 'profile')} count something else than {sets.sample_type.type}"
            raised.append(KindCaveat("sample-type", kind, what, "left out"))
        results.append(_judged(compare_kind(kind, sets, thresholds)))
    raised += [doubt for result in results if result.verdict for doubt in doubts_of_kind(result.comparison)]
    progress("done", 1.0)
    verdict = combined_verdict([result.kind_verdict for result in results if result.kind_verdict])
    findings = ranked([finding for result in results for finding in result.findings], verdict)
    return ProfileComparison(
        base=tuple(base),
        candidate=tuple(candidate),
        verdict=verdict,
        findings=tuple(findings),
        moves=tuple(move for result in results for move in result.moves),
        doubts=by_gravity(merged(raised)),
        detectable=tuple(each for result in results for each in result.detectable),
        kinds=tuple(results),
    )


def _sets_of(mine: Sequence[ProfileArtifact], theirs: Sequence[ProfileArtifact]) -> ProfileSets | None:
    """Sets on the sample type that the defaults of both sides prefer, of those that both have."""
    places = [_by_preference(side[0].table) for side in (mine, theirs)]
    shared = [each for each in places[0] if each in places[1]]
    for sample_type in sorted(shared, key=lambda each: (places[0][each] + places[1][each], each.type, each.unit)):
        sets = make_sets(mine, theirs, sample_type)
        if sets is not None:
            return sets
    return None


def _by_preference(table: ProfileTable) -> dict[SampleType, int]:
    """The place of each sample type: the default of the profile first, then the others in their order."""
    default = table.sample_types[table.default_sample_type]
    return {each: number for number, each in enumerate(dict.fromkeys([default, *table.sample_types]))}


def _judged(comparison: ProfileKindComparison) -> ProfileKindResult:
    categories = category_findings(comparison)
    functions = function_findings(comparison, categories)
    explained = [*with_exclusive(comparison, categories, functions.findings), *functions.findings]
    every = with_total([*explained, *shift_findings(comparison, functions.moves, explained)], comparison)
    ruling = ruling_of(comparison, every, functions.moves)
    findings = tuple(_costed(reportable_findings(every, comparison, ruling.verdict), comparison))
    return ProfileKindResult(
        ruling=ruling,
        comparison=comparison,
        findings=findings,
        moves=tuple(functions.moves),
        detectable=tuple(_not_detected(comparison, findings)),
    )


def _not_detected(comparison: ProfileKindComparison, findings: Sequence[Finding]) -> list[MinimumDetectableEffect]:
    """The smallest effects that would have been found, of what was not: beside a found one they would contradict it."""
    found = {finding.subject for finding in findings if finding.is_significant}
    if total_direction(comparison) is not None:
        found.add(TOTAL)
    return [each for each in detectable_effects(comparison) if each.subject not in found]


def _costed(findings: Sequence[Finding], comparison: ProfileKindComparison) -> list[Finding]:
    """The findings with their cost in CPU seconds a second, whatever basis they are told on."""
    sets = comparison.sets
    total = float(sets.totals()[sets.is_base].sum())
    duration_ns = sum(artifact.table.duration_ns for artifact in sets.base)
    if sets.sample_type.unit != "nanoseconds" or comparison.kind != "cpu" or total <= 0 or not duration_ns:
        return list(findings)
    shown = total * comparison.scale(comparison.basis)[0]
    return [replace(each, cost_s_per_s=each.explained / shown * total / duration_ns) for each in findings]
