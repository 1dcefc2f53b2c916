"""Compare two sets of profiles over all kinds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from numpy.random import Generator

from slowpath.analysis.findings.combined_verdict import KindVerdict, combined_verdict
from slowpath.analysis.findings.findings import CHANGED, Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.findings.wording import pluralize
from slowpath.analysis.kinds.profiles.caveats.profile_caveats import KindCaveat, by_gravity, merged
from slowpath.analysis.kinds.profiles.caveats.profile_kind_caveats import caveats_of_kind
from slowpath.analysis.kinds.profiles.caveats.profile_side_caveats import find_side_caveats
from slowpath.analysis.kinds.profiles.comparison.direction import (
    KindDecision,
    ruling_of,
    ruling_with_labels,
    total_direction,
)
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import (
    TOTAL,
    ProfileKindComparison,
    compare_kind,
)
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.decoded.profile_kinds import KIND_ORDER, SHOWN_KINDS
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.profiles.findings.category_findings import category_findings
from slowpath.analysis.kinds.profiles.findings.category_parts import with_exclusive
from slowpath.analysis.kinds.profiles.findings.function_findings import function_findings
from slowpath.analysis.kinds.profiles.findings.label_findings import label_findings
from slowpath.analysis.kinds.profiles.findings.shift_findings import shift_findings
from slowpath.analysis.kinds.profiles.sets.profile_sets import ProfileSets, make_sets
from slowpath.analysis.kinds.profiles.stacks.granularities import GRANULARITIES, Granularity
from slowpath.analysis.kinds.profiles.verdict.profile_verdict import (
    detectable_effects,
    ranked,
    reportable_findings,
    with_total,
)
from slowpath.analysis.kinds.profiles.views.diff_views import DiffViewBuilder, DiffViewColumns


@dataclass(frozen=True)
class ProfileKindResult:
    """The result of one kind of profile. `ruling` is None for kinds that are only drawn."""

    ruling: KindDecision | None
    comparison: ProfileKindComparison
    findings: tuple[Finding, ...]
    cost_shifts: tuple[CostShift, ...]
    detectable: tuple[MinimumDetectableEffect, ...]
    caveats: tuple[Caveat, ...] = ()

    @property
    def verdict(self) -> Verdict | None:
        """Return the verdict of this kind alone."""
        return self.ruling.verdict if self.ruling else None

    @property
    def kind_verdict(self) -> KindVerdict | None:
        """Return the verdict with its weight among other kinds: CPU per request or second outweighs shares."""
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
    cost_shifts: tuple[CostShift, ...]
    caveats: tuple[Caveat, ...]
    detectable: tuple[MinimumDetectableEffect, ...]
    kinds: tuple[ProfileKindResult, ...]

    def views(self) -> Iterator[DiffViewColumns]:
        """Yield all views, the most useful first; each is computed when its columns are accessed."""
        for kind in self.kinds:
            maker = DiffViewBuilder(kind.comparison)
            for sample_type in maker.sample_types():
                for granularity in GRANULARITIES:
                    yield maker.view(sample_type, granularity)

    def view(self, kind: str, sample_type: int, granularity: Granularity) -> DiffViewColumns:
        """Return one view; `sample_type` counts the types that both sides have.

        Raises `KeyError` if there is none.
        """
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
    """Compare every kind of profile that both sides have.

    `progress(step, fraction)` is called during the work.
    """
    del rng
    kinds = [kind for kind in KIND_ORDER if any(a.table.kind == kind for a in (*base, *candidate))]
    results: list[ProfileKindResult] = []
    caveats: list[KindCaveat | Caveat] = [*find_side_caveats(base, candidate, thresholds.saturated_at)]
    for number, kind in enumerate(kinds):
        progress(f"comparing {kind} profiles", number / max(len(kinds), 1))
        base_profiles = [a for a in base if a.table.kind == kind]
        candidate_profiles = [a for a in candidate if a.table.kind == kind]
        if not base_profiles or not candidate_profiles:
            if kind in SHOWN_KINDS:
                continue
            side = "base" if not base_profiles else "candidate"
            caveats.append(KindCaveat("kind-missing", kind, f"The {side} has none", "not compared"))
            continue
        sets = _sets_of(base_profiles, candidate_profiles)
        if sets is None:
            caveats.append(KindCaveat("sample-type", kind, "The two sides have different sample types", "not compared"))
            continue
        if kind in SHOWN_KINDS:
            results.append(ProfileKindResult(None, compare_kind(kind, sets, thresholds), (), (), ()))
            continue
        omitted = len(base_profiles) + len(candidate_profiles) - len(sets.artifacts)
        if omitted and not sets.differenced:
            what = f"{pluralize(omitted, 'profile')} without the sample type {sets.sample_type.type}"
            caveats.append(KindCaveat("sample-type", kind, what, "omitted"))
        results.append(_test_kind(compare_kind(kind, sets, thresholds)))
    caveats += [caveat for result in results if result.verdict for caveat in caveats_of_kind(result.comparison)]
    caveats += [caveat for result in results for caveat in result.caveats]
    progress("done", 1.0)
    verdict = combined_verdict([result.kind_verdict for result in results if result.kind_verdict])
    findings = ranked([finding for result in results for finding in result.findings], verdict)
    return ProfileComparison(
        base=tuple(base),
        candidate=tuple(candidate),
        verdict=verdict,
        findings=tuple(findings),
        cost_shifts=tuple(shift for result in results for shift in result.cost_shifts),
        caveats=by_gravity(merged(caveats)),
        detectable=tuple(each for result in results for each in result.detectable),
        kinds=tuple(results),
    )


def _sets_of(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> ProfileSets | None:
    """Make sets on the shared sample type that the defaults of both sides prefer."""
    preferences = [_type_order(side[0].table) for side in (base, candidate)]
    shared = [each for each in preferences[0] if each in preferences[1]]
    for sample_type in sorted(
        shared, key=lambda each: (preferences[0][each] + preferences[1][each], each.type, each.unit)
    ):
        sets = make_sets(base, candidate, sample_type)
        if sets is not None:
            return sets
    return None


def _type_order(table: ProfileTable) -> dict[SampleType, int]:
    """Return the rank of each sample type: the profile's default first, then the others in their order."""
    default = table.sample_types[table.default_sample_type]
    return {each: number for number, each in enumerate(dict.fromkeys([default, *table.sample_types]))}


def _test_kind(comparison: ProfileKindComparison) -> ProfileKindResult:
    categories = category_findings(comparison)
    functions = function_findings(comparison, categories)
    explained = [*with_exclusive(comparison, categories, functions.findings), *functions.findings]
    every = with_total([*explained, *shift_findings(comparison, functions.shift_groups, explained)], comparison)
    labels = label_findings(comparison)
    ruling = ruling_with_labels(comparison, ruling_of(comparison, every, functions.shift_groups), labels.findings)
    reported = reportable_findings(every, comparison, ruling.verdict)
    findings = tuple(_with_costs([*reported, *_after_causes(labels.findings, reported)], comparison))
    return ProfileKindResult(
        ruling=ruling,
        comparison=comparison,
        findings=findings,
        cost_shifts=functions.cost_shifts,
        detectable=tuple(_effects_without_finding(comparison, findings)),
        caveats=labels.caveats,
    )


def _after_causes(labels: Sequence[Finding], causes: Sequence[Finding]) -> list[Finding]:
    """Return findings on labels; where a function or category explains a change in their direction, they add nothing to it."""
    explained = {each.direction for each in causes if each.is_significant}
    return [replace(each, exclusive_difference=0.0) if each.direction in explained else each for each in labels]


def _effects_without_finding(
    comparison: ProfileKindComparison, findings: Sequence[Finding]
) -> list[MinimumDetectableEffect]:
    """Return the minimum detectable effects of subjects without a finding, where they would contradict it."""
    reported = {finding.subject for finding in findings if finding.is_significant}
    if total_direction(comparison) is not None:
        reported.add(TOTAL)
    return [each for each in detectable_effects(comparison) if each.subject not in reported]


def _with_costs(findings: Sequence[Finding], comparison: ProfileKindComparison) -> list[Finding]:
    """Return the findings with their cost in CPU seconds per second, whatever their basis."""
    sets = comparison.sets
    total = float(sets.totals()[sets.is_base].sum())
    duration_ns = sum(artifact.table.duration_ns for artifact in sets.base)
    if sets.sample_type.unit != "nanoseconds" or comparison.kind != "cpu" or total <= 0 or not duration_ns:
        return list(findings)
    shown = total * comparison.scale(comparison.basis)[0]
    return [replace(each, cost_s_per_s=each.explained / shown * total / duration_ns) for each in findings]
