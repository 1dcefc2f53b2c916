"""The front door: two sides of decoded artifacts in, one answer out.

Each sort of artifact is compared by its own room with its like on the other side; here their answers become one.
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from numpy.random import Generator

from slowpath.analysis.comparison.benchmark_operations import with_operations
from slowpath.analysis.findings.combined_verdict import KindVerdict, combined_verdict, leading_direction
from slowpath.analysis.findings.findings import CHANGED, Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.comparison_sides import ComparisonSide, Sides
from slowpath.analysis.kinds.profiles.compare_profiles import ProfileComparison, compare_profiles
from slowpath.analysis.kinds.profiles.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.registry import (
    Answer,
    KindDocument,
    Part,
    PartName,
    Progress,
    compare_part,
    compare_windows,
)

MOST_FINDINGS = 40
"""Of all sorts together; each room keeps fewer."""
MEASURE_COST = frozenset({"traces", "spans", "benchmarks", "latency"})
"""Parts that measure time of requests or operations. Logs of stack growth count a symptom of it."""


@dataclass(frozen=True)
class SideComparison:
    """Base against candidate over all sorts of artifacts. A sort that is not on both sides has no answer."""

    base: ComparisonSide
    candidate: ComparisonSide
    profiles: ProfileComparison | None
    traces: Part | None
    spans: Part | None
    growth: Part | None
    benchmarks: Part | None
    latency: Answer | None
    missing: tuple[Caveat, ...]

    @property
    def parts(self) -> dict[PartName, Part]:
        """What was compared beside profiles, by its name; each has a document for the page."""
        parts: dict[PartName, Part | None] = {
            "traces": self.traces,
            "spans": self.spans,
            "growth": self.growth,
            "benchmarks": self.benchmarks,
        }
        return {name: part for name, part in parts.items() if part}

    @property
    def kind_verdicts(self) -> tuple[KindVerdict, ...]:
        """One verdict of every kind that was judged; windows of metrics, which settle little, count only alone."""
        profiles = self.profiles.kinds if self.profiles else ()
        judged = [each.kind_verdict for each in profiles if each.kind_verdict]
        judged += [_part_verdict(name, part) for name, part in self.parts.items()]
        if judged or self.latency is None:
            return tuple(judged)
        return (_part_verdict("latency", self.latency),)

    @property
    def verdict(self) -> Verdict:
        """The verdict of all together."""
        return combined_verdict(self.kind_verdicts)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings by cost to the request: in the direction of the verdict first, tentative ones last.

        Waiting and CPU time are ranked together if both are in seconds per second; findings in other units follow.
        Within a part the estimated cost decides. Between parts it is the cost that the interval assures: quantiles of
        few waits have wide intervals, and would otherwise precede a CPU cost that is known well.
        """
        parts = (self.spans, self.traces, self.profiles, self.growth, self.benchmarks, self.latency)
        first = leading_direction(self.verdict)
        ordered = [
            sorted(
                part.findings, key=lambda f: (not f.is_significant, f.direction != first, -abs(f.cost_s_per_s or 0.0))
            )
            for part in parts
            if part
        ]
        merged = heapq.merge(
            *ordered, key=lambda f: (not f.is_significant, f.direction != first, -f.assured_cost_s_per_s)
        )
        return tuple(islice(merged, MOST_FINDINGS))

    @property
    def doubts(self) -> tuple[Caveat, ...]:
        """Reasons why the result may mislead. A caveat of several parts is listed once, from the most specific part: traces first."""
        parts = (self.traces, self.spans, self.profiles, self.growth, self.benchmarks, self.latency)
        listed: dict[str, Caveat] = {}
        doubts = list(self.missing)
        for part in parts:
            fresh = [doubt for doubt in part.doubts if doubt.id not in listed] if part else []
            listed |= {doubt.id: doubt for doubt in fresh}
            doubts += fresh
        return tuple(doubts)

    @property
    def detectable(self) -> tuple[MinimumDetectableEffect, ...]:
        """The smallest effects that would have been found."""
        parts = (self.profiles, self.traces, self.spans, self.growth, self.benchmarks, self.latency)
        return tuple(each for part in parts if part for each in part.detectable)

    @property
    def moves(self) -> tuple[CostShift, ...]:
        """Costs that changed their place and not their size."""
        return tuple(move for part in (self.profiles, self.traces, self.growth) if part for move in part.moves)

    def documents(self, base_label: str, candidate_label: str) -> dict[PartName, KindDocument]:
        """Build the documents of the sorts other than profiles, by name."""
        return {name: part.page(base_label, candidate_label) for name, part in self.parts.items()}


def compare(
    base: ComparisonSide,
    candidate: ComparisonSide,
    benchmark_rows: Mapping[str, Any] | None,
    rng: Generator,
    progress: Progress,
) -> SideComparison:
    """Compare every sort that both sides have; `progress(step, fraction)` is called after each step.

    `benchmark_rows` is what the helper says of both sides' benchmark output, if both have any.
    """
    base, candidate, caveats = with_operations(base, candidate)
    sides = Sides(base, candidate, benchmark_rows, rng)
    return SideComparison(
        base=base,
        candidate=candidate,
        profiles=_profiles(base, candidate, rng, progress),
        traces=(compare_part("traces", sides, _part(progress, 0.5)) if base.traces and candidate.traces else None),
        spans=compare_part("spans", sides, _part(progress, 0.8)) if base.spans and candidate.spans else None,
        growth=compare_part("growth", sides, _unwatched) if base.growth and candidate.growth else None,
        benchmarks=compare_part("benchmarks", sides, _unwatched) if benchmark_rows else None,
        latency=compare_windows(sides, _unwatched) if base.latency and candidate.latency else None,
        missing=(*caveats, *_missing(base, candidate)),
    )


def _part_verdict(name: str, part: Answer) -> KindVerdict:
    """A part has enough data if it changed, or if the smallest change that it would have found is known."""
    return KindVerdict(
        kind=name,
        verdict=part.verdict,
        measures_cost=name in MEASURE_COST,
        has_enough_data=part.verdict in CHANGED or any(each.ratio is not None for each in part.detectable),
    )


def _profiles(
    base: ComparisonSide, candidate: ComparisonSide, rng: Generator, progress: Progress
) -> ProfileComparison | None:
    if not (base.profiles and candidate.profiles):
        return None
    half = 0.5 if base.traces else 1.0
    compared = compare_profiles(
        base.profiles, candidate.profiles, ProfileThresholds(), rng, lambda step, done: progress(step, half * done)
    )
    return compared if compared.kinds or compared.doubts else None


def _part(progress: Progress, begin: float) -> Progress:
    return lambda step, done: progress(step, begin + (1 - begin) * done)


def _unwatched(_step: str, _fraction: float) -> None:
    """These take no time that anybody would watch."""


def _missing(base: ComparisonSide, candidate: ComparisonSide) -> Sequence[Caveat]:
    """Sorts of artifacts that only one side has; missing kinds of profile are reported by the profile comparison."""
    return [
        Caveat("kind-missing", f"The {'candidate' if mine else 'base'} has no {what}: they were not compared.")
        for what, mine, theirs in (
            ("profiles", base.own_profiles(), candidate.own_profiles()),
            ("execution traces", base.traces, candidate.traces),
            ("spans", base.spans, candidate.spans),
            ("stack-growth logs", base.growth, candidate.growth),
            ("benchmark output", base.benchmarks, candidate.benchmarks),
            ("latency metrics", base.latency, candidate.latency),
        )
        if bool(mine) != bool(theirs)
    ]
