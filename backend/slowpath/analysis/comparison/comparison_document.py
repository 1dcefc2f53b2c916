"""The result of a comparison as it is stored, sent and printed: `slowpath.comparison/2`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeVar

from slowpath.analysis.comparison.compare_sides import SideComparison
from slowpath.analysis.comparison.compiler_findings import CompilerSection
from slowpath.analysis.comparison.verdict_headline import make_headline
from slowpath.analysis.findings.findings import Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.comparison_sides import ComparisonSide, NamedArtifact
from slowpath.analysis.kinds.finding_signatures import format_signature
from slowpath.analysis.kinds.profiles.caveats.profile_caveats import by_gravity
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileKindResult
from slowpath.analysis.kinds.profiles.verdict.profile_headline import ProfileHeadline
from slowpath.analysis.kinds.profiles.views.diff_view_inputs import DiffViewSummary
from slowpath.analysis.kinds.registry import PageSection
from slowpath.units import Nanoseconds

Format = Literal["slowpath.comparison/2"]
FORMAT: Final[Format] = "slowpath.comparison/2"
T = TypeVar("T")


@dataclass(frozen=True)
class LatencyTimeRange:
    """The time range of a service's metrics on a side (Unix ms); `covered_ms` of it has samples."""

    service: str
    environment: str
    from_ms: int
    to_ms: int
    covered_ms: int
    request_count: int
    instance_count: int | None


@dataclass(frozen=True)
class SideSummary:
    """What a side consists of. Run metadata holds sums of counts, and what all artifacts agree on."""

    artifact_names: tuple[str, ...]
    run_count: int
    run_metadata: RunMetadata
    time_range: LatencyTimeRange | None


@dataclass(frozen=True)
class SideSummaries:
    """Both sides."""

    base: SideSummary
    candidate: SideSummary


@dataclass(frozen=True)
class NormalizedTotal:
    """The total of a kind of profile on both sides, in `unit`."""

    unit: str
    base: float
    candidate: float


@dataclass(frozen=True)
class ProfileKindSummary:
    """One kind of profile: its verdict (None: drawn only), and its totals by the id of each normalization."""

    kind: str
    verdict: Verdict | None
    sample_type: SampleType
    default_normalization: str
    totals: Mapping[str, NormalizedTotal]


@dataclass(frozen=True)
class ArtifactKindVerdict:
    """The verdict of a kind of artifact that has a page of its own."""

    kind: PageSection
    verdict: Verdict


@dataclass(frozen=True)
class ComparisonDocument:
    """The whole result of a comparison; `compiler` is present if both builds have binaries."""

    format: Format
    verdict: Verdict
    headline: ProfileHeadline
    findings: tuple[Finding, ...]
    sides: SideSummaries
    minimum_detectable_effects: tuple[MinimumDetectableEffect, ...]
    cost_shifts: tuple[CostShift, ...]
    caveats: tuple[Caveat, ...]
    profile_kinds: tuple[ProfileKindSummary, ...]
    artifact_kinds: tuple[ArtifactKindVerdict, ...]
    views: tuple[DiffViewSummary, ...]
    compiler: CompilerSection | None = None


def make_comparison_document(comparison: SideComparison, more_caveats: Sequence[Caveat] = ()) -> ComparisonDocument:
    """Build the document of a comparison; `more_caveats` are the caller's, such as files that could not be read."""
    profiles = comparison.profiles
    return ComparisonDocument(
        format=FORMAT,
        verdict=comparison.verdict,
        headline=make_headline(comparison),
        findings=tuple(replace(each, signature=format_signature(each)) for each in comparison.findings),
        sides=SideSummaries(_summarize_side(comparison.base), _summarize_side(comparison.candidate)),
        minimum_detectable_effects=comparison.detectable,
        cost_shifts=comparison.cost_shifts,
        caveats=by_gravity((*comparison.caveats, *more_caveats)),
        profile_kinds=tuple(_summarize_kind(kind) for kind in profiles.kinds) if profiles else (),
        artifact_kinds=tuple(ArtifactKindVerdict(name, part.verdict) for name, part in comparison.parts.items()),
        views=tuple(view.describe() for view in profiles.views()) if profiles else (),
    )


def _summarize_side(side: ComparisonSide) -> SideSummary:
    artifacts = side.artifacts()
    runs = {artifact.facts.run for artifact in artifacts if artifact.facts.run is not None}
    return SideSummary(
        artifact_names=tuple(artifact.name for artifact in artifacts),
        run_count=len(runs) or len(artifacts),
        run_metadata=_common_metadata(artifacts),
        time_range=_time_range(side.latency) if side.latency else None,
    )


def _time_range(window: LatencyWindow) -> LatencyTimeRange:
    return LatencyTimeRange(
        service=window.service,
        environment=window.environment,
        from_ms=window.from_ms,
        to_ms=window.to_ms,
        covered_ms=window.known_ms,
        request_count=window.requests,
        instance_count=window.instances,
    )


def _common_metadata(artifacts: Sequence[NamedArtifact]) -> RunMetadata:
    """Return sums of counts; other values where all artifacts that have them agree."""
    metadata = [artifact.facts for artifact in artifacts]
    return RunMetadata(
        run=_agreed(each.run for each in metadata),
        requests=_sum(each.requests for each in metadata),
        wall_ns=_sum_ns(each.wall_ns for each in metadata),
        cpu_ns=_sum_ns(each.cpu_ns for each in metadata),
        go_version=_agreed(each.go_version for each in metadata),
        goos=_agreed(each.goos for each in metadata),
        goarch=_agreed(each.goarch for each in metadata),
        gomaxprocs=_agreed(each.gomaxprocs for each in metadata),
        cpu_model=_agreed(each.cpu_model for each in metadata),
        cpu_flags=_agreed(each.cpu_flags for each in metadata),
        commit=_agreed(each.commit for each in metadata),
        build_id=_agreed(each.build_id for each in metadata),
        started_at_ms=_agreed(each.started_at_ms for each in metadata),
        ended_at_ms=_agreed(each.ended_at_ms for each in metadata),
        process_age_ms=_agreed(each.process_age_ms for each in metadata),
    )


def _agreed(values: Iterable[T | None]) -> T | None:
    known = [value for value in values if value is not None]
    return known[0] if known and all(value == known[0] for value in known) else None


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _sum_ns(values: Iterable[Nanoseconds | None]) -> Nanoseconds | None:
    total = _sum(values)
    return None if total is None else Nanoseconds(total)


def _summarize_kind(result: ProfileKindResult) -> ProfileKindSummary:
    comparison = result.comparison
    return ProfileKindSummary(
        kind=comparison.kind,
        verdict=result.verdict,
        sample_type=comparison.sets.sample_type,
        default_normalization=comparison.basis.id,
        totals={
            each.id: NormalizedTotal(each.unit, _total(comparison, each, 0), _total(comparison, each, 1))
            for each in comparison.bases
        },
    )


def _total(comparison: ProfileKindComparison, normalization: Normalization, side: int) -> float:
    totals = comparison.sets.totals()
    mask = comparison.sets.is_base if side == 0 else ~comparison.sets.is_base
    return float(totals[mask].sum() * comparison.scale(normalization)[side])
