"""Compare two sides of decoded artifacts: each kind of artifact by itself, and one verdict over all kinds."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from numpy.random import Generator

from slowpath.analysis.comparison.benchmark_operations import with_operations
from slowpath.analysis.findings.combined_verdict import KindVerdict, combined_verdict, leading_direction
from slowpath.analysis.findings.findings import CHANGED, Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.artifact_kind import ArtifactComparison, ArtifactKind, KindComparison, Progress
from slowpath.analysis.kinds.comparison_sides import ComparisonSide, KindSides, NamedArtifact
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison, compare_profiles
from slowpath.analysis.kinds.registry import (
    LATENCY,
    LATENCY_NOUN,
    PROFILE,
    PageSection,
    compare_latency,
    compared_kinds,
)

MOST_FINDINGS = 40
"""Of all kinds together; each kind has fewer."""


@dataclass(frozen=True)
class SideComparison:
    """Base against candidate over all kinds of artifacts; kinds that are not on both sides are absent.

    `parts`: the kinds other than profiles, by section, in the order of the registry; each has a document for the page.
    """

    base: ComparisonSide
    candidate: ComparisonSide
    profiles: ProfileComparison | None
    parts: Mapping[PageSection, ArtifactComparison]
    latency: KindComparison | None
    missing: tuple[Caveat, ...]

    @property
    def kind_verdicts(self) -> tuple[KindVerdict, ...]:
        """The verdict of every kind that has one; latency metrics, which settle little, count only alone."""
        profiles = self.profiles.kinds if self.profiles else ()
        verdicts = [each.kind_verdict for each in profiles if each.kind_verdict]
        verdicts += [
            _kind_verdict(kind.section, self.parts[kind.section], measures_cost=kind.measures_cost)
            for kind in compared_kinds()
            if kind.section in self.parts
        ]
        if verdicts or self.latency is None:
            return tuple(verdicts)
        return (_kind_verdict(LATENCY, self.latency, measures_cost=True),)

    @property
    def verdict(self) -> Verdict:
        """The verdict of all together."""
        return combined_verdict(self.kind_verdicts)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings by cost to the request: in the direction of the verdict first, tentative ones last.

        Waiting and CPU time are ranked together if both are in seconds per second; findings in other units follow.
        Within a kind the estimated cost decides. Between kinds it is the cost that the interval assures: quantiles of
        few waits have wide intervals, and would otherwise precede a CPU cost that is known well.
        """
        first = leading_direction(self.verdict)
        ordered = [
            sorted(
                part.findings, key=lambda f: (not f.is_significant, f.direction != first, -abs(f.cost_s_per_s or 0.0))
            )
            for part in self._by_rank()
        ]
        merged = heapq.merge(
            *ordered, key=lambda f: (not f.is_significant, f.direction != first, -f.assured_cost_s_per_s)
        )
        return tuple(islice(merged, MOST_FINDINGS))

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """Reasons why the result may mislead. A caveat of several kinds is listed once, from the most specific kind."""
        listed: dict[str, Caveat] = {}
        caveats = list(self.missing)
        for part in self._specific_first():
            fresh = [caveat for caveat in part.caveats if caveat.id not in listed]
            listed |= {caveat.id: caveat for caveat in fresh}
            caveats += fresh
        return tuple(caveats)

    @property
    def detectable(self) -> tuple[MinimumDetectableEffect, ...]:
        """The smallest effects that would have been found."""
        return tuple(each for part in self._in_order() for each in part.detectable)

    @property
    def cost_shifts(self) -> tuple[CostShift, ...]:
        """Costs that changed their place and not their size."""
        return tuple(shift for part in self._in_order() for shift in part.cost_shifts)

    def documents(self, base_label: str, candidate_label: str) -> dict[PageSection, object]:
        """Build the documents of the kinds other than profiles, by section."""
        return {name: part.page(base_label, candidate_label) for name, part in self.parts.items()}

    def _in_order(self) -> list[ProfileComparison | KindComparison]:
        parts = (self.profiles, *self.parts.values(), self.latency)
        return [part for part in parts if part is not None]

    def _by_rank(self) -> list[ProfileComparison | KindComparison]:
        parts = [
            (kind.findings_rank, self.parts[kind.section]) for kind in compared_kinds() if kind.section in self.parts
        ]
        ranked = sorted([(PROFILE.findings_rank, self.profiles), *parts], key=lambda each: each[0])
        return [part for part in (*(part for _, part in ranked), self.latency) if part is not None]

    def _specific_first(self) -> list[ProfileComparison | KindComparison]:
        specific = {
            id(self.parts[kind.section]) for kind in compared_kinds() if kind.is_specific and kind.section in self.parts
        }
        return sorted(self._in_order(), key=lambda part: id(part) not in specific)


def compare(
    base: ComparisonSide,
    candidate: ComparisonSide,
    helper_outputs: Mapping[str, Mapping[str, Any]],
    rng: Generator,
    progress: Progress,
) -> SideComparison:
    """Compare every kind that both sides have; `progress(step, fraction)` is called after each step.

    `helper_outputs`: the output of each kind's `compare_command`, by the id of the kind.
    """
    base, candidate, caveats = with_operations(base, candidate)
    kinds = [kind for kind in compared_kinds() if _is_comparable(kind, base, candidate, helper_outputs)]
    steps = _Steps([*([PROFILE] if base.profiles and candidate.profiles else []), *kinds], progress)
    profiles = _compare_profiles(base, candidate, rng, steps)
    parts: dict[PageSection, ArtifactComparison] = {}
    for kind in kinds:
        assert kind.compare is not None
        sides = KindSides(base.others[kind.id], candidate.others[kind.id], helper_outputs.get(kind.id), rng)
        parts[kind.section] = kind.compare(sides, steps.of(kind))
    return SideComparison(
        base=base,
        candidate=candidate,
        profiles=profiles,
        parts=parts,
        latency=compare_latency(base.latency, candidate.latency, rng) if base.latency and candidate.latency else None,
        missing=(*caveats, *_missing(base, candidate)),
    )


class _Steps:
    """The progress of each kind, as its share of the whole by `cost_weight`."""

    def __init__(self, kinds: Sequence[ArtifactKind], progress: Progress) -> None:
        self._kinds = kinds
        self._progress = progress

    def of(self, kind: ArtifactKind) -> Progress:
        whole = sum(each.cost_weight for each in self._kinds) or 1.0
        begin = sum(each.cost_weight for each in self._kinds[: self._kinds.index(kind)]) / whole
        share = kind.cost_weight / whole
        return lambda step, done: self._progress(step, begin + share * done)


def _is_comparable(
    kind: ArtifactKind, base: ComparisonSide, candidate: ComparisonSide, helper_outputs: Mapping[str, Mapping[str, Any]]
) -> bool:
    if not (base.others.get(kind.id) and candidate.others.get(kind.id)):
        return False
    return kind.compare_command is None or kind.id in helper_outputs


def _kind_verdict(section: str, part: KindComparison, *, measures_cost: bool) -> KindVerdict:
    """A kind has enough data if it changed, or if the smallest change that it would have found is known.

    If all that changed are parts of a whole, the cost of a request is not measured: a service whose requests cost more CPU serves
    fewer, so that the collector has a smaller part of the processors.
    """
    certain = [finding for finding in part.findings if finding.is_significant]
    only_shares = bool(certain) and all(finding.normalization == "share" for finding in certain)
    return KindVerdict(
        kind=section,
        verdict=part.verdict,
        measures_cost=measures_cost and not only_shares,
        has_enough_data=part.verdict in CHANGED or any(each.ratio is not None for each in part.detectable),
    )


def _compare_profiles(
    base: ComparisonSide, candidate: ComparisonSide, rng: Generator, steps: _Steps
) -> ProfileComparison | None:
    if not (base.profiles and candidate.profiles):
        return None
    compared = compare_profiles(base.profiles, candidate.profiles, ProfileThresholds(), rng, steps.of(PROFILE))
    return compared if compared.kinds or compared.caveats else None


def _missing(base: ComparisonSide, candidate: ComparisonSide) -> Sequence[Caveat]:
    """Kinds that only one side has; missing kinds of profile are reported by the profile comparison."""

    def both(kind: ArtifactKind) -> tuple[Sequence[NamedArtifact], ...]:
        return tuple(
            side.own_profiles() if kind is PROFILE else side.others.get(kind.id, ()) for side in (base, candidate)
        )

    found = [(kind.noun_plural, *map(bool, both(kind))) for kind in (PROFILE, *compared_kinds())]
    return [
        Caveat("kind-missing", f"The {'candidate' if mine else 'base'} has no {noun}: they were not compared.")
        for noun, mine, theirs in (*found, (LATENCY_NOUN, bool(base.latency), bool(candidate.latency)))
        if mine != theirs
    ]
