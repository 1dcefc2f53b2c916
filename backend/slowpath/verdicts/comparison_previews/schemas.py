"""Request and response bodies of comparison sources, previews and suggestions."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from slowpath.analysis.comparison.expected_effects import ConclusionState
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.registry import StoredKindId
from slowpath.inventory.catalog.schemas.catalog_entries import RunMetadataOut
from slowpath.verdicts.comparison_previews.read_models import (
    ComparisonPreview,
    KindPreview,
    SidePreview,
    SourceMatch,
    SuggestionId,
    Suggestions,
)
from slowpath.verdicts.comparisons.rules.side_sources import EPOCH, SideSource, format_source
from slowpath.verdicts.comparisons.schemas.comparison_schemas import TimeRangeOut, make_time_range_out
from slowpath.verdicts.comparisons.schemas.source_schemas import SideSourceIn

SIDE_SOURCE: Final[TypeAdapter[SideSourceIn]] = TypeAdapter(SideSourceIn)
RUN_METADATA: Final[TypeAdapter[RunMetadataOut]] = TypeAdapter(RunMetadataOut)

SearchedType = Literal["build", "ref", "deployment"]


class EvidenceCountOut(BaseModel):
    """Number of decoded artifacts of one kind."""

    kind: StoredKindId
    count: int


class SourceMatchOut(BaseModel):
    """Something that a side can be; with a reason, it has no evidence and cannot be chosen."""

    source: SideSourceIn
    title: str
    subtitle: str
    service_id: UUID
    environment_id: UUID | None
    build_id: UUID | None
    commit: str | None
    at: datetime | None
    evidence: list[EvidenceCountOut]
    has_metrics: bool
    disabled_reason: str | None


class SourceMatchesOut(BaseModel):
    """Matches, the newest first; with `has_more`, a longer text finds fewer."""

    items: list[SourceMatchOut]
    has_more: bool


class PreviewIn(BaseModel):
    """The sources of both sides; null: not chosen yet."""

    model_config = ConfigDict(extra="forbid")

    base: SideSourceIn | None = None
    candidate: SideSourceIn | None = None


class KindPreviewOut(BaseModel):
    """Artifacts of one kind on a side; null where the files do not state it; without a kind they are being decoded."""

    kind: StoredKindId | None
    count: int
    samples: int | None
    recorded_from: datetime | None
    recorded_to: datetime | None
    duration_ns: int | None


class LabelShareOut(BaseModel):
    """A value of a label and its share of the CPU."""

    value: str
    share: float


class LabelPairOut(BaseModel):
    """The two largest values of a label, the largest first."""

    key: str
    first: LabelShareOut
    second: LabelShareOut


class SidePreviewOut(BaseModel):
    """What a side contains. `left_out` and `empty_reason` are sentences."""

    label: str | None
    artifacts: int
    artifact_ids: list[UUID]
    build_id: UUID | None
    kinds: list[KindPreviewOut]
    conditions: list[RunMetadataOut]
    time_range: TimeRangeOut | None
    left_out: str | None
    label_pair: LabelPairOut | None = Field(
        description="values of a label of its CPU profiles that are worth comparing"
    )
    empty_reason: str | None


class CaveatOut(BaseModel):
    """Why the result may mislead, as comparisons state it."""

    id: str
    sentence: str


class ConclusionOut(BaseModel):
    """What one kind of evidence could show.

    `evidence` is an artifact kind, or `latency`. Counts are artifacts, or requests of `latency`. `minimum_detectable_ratio`:
    a change of the total by less would be missed; null if it cannot be estimated.
    """

    evidence: str
    base_count: int
    candidate_count: int
    minimum_detectable_ratio: float | None
    state: ConclusionState
    sentence: str
    improvement: str | None


class PreviewOut(BaseModel):
    """What both sides contain, and what their comparison could conclude."""

    base: SidePreviewOut | None
    candidate: SidePreviewOut | None
    caveats: list[CaveatOut]
    conclusions: list[ConclusionOut]
    headline: str
    can_compare: bool


class SuggestionOut(BaseModel):
    """A pair of sides that is worth comparing."""

    id: SuggestionId
    title: str
    base: SideSourceIn
    base_label: str
    candidate: SideSourceIn
    candidate_label: str


class RecentPairOut(BaseModel):
    """A pair that the caller compared."""

    comparison_id: UUID
    name: str
    base: SideSourceIn
    base_label: str
    candidate: SideSourceIn
    candidate_label: str
    created_at: datetime


class SuggestionsOut(BaseModel):
    """Suggested pairs, and those that the caller compared recently, newest first."""

    suggestions: list[SuggestionOut]
    recent: list[RecentPairOut]


def make_source_matches_out(found: Sequence[SourceMatch], limit: int) -> SourceMatchesOut:
    """Return the response body of a search that was asked for one match more than the limit."""
    return SourceMatchesOut(items=[_make_source_match_out(each) for each in found[:limit]], has_more=len(found) > limit)


def _make_source_match_out(match: SourceMatch) -> SourceMatchOut:
    return SourceMatchOut(
        source=_make_source_out(match.source),
        title=match.title,
        subtitle=match.subtitle,
        service_id=match.service_id,
        environment_id=match.environment_id,
        build_id=match.build_id,
        commit=match.commit,
        at=match.at,
        evidence=[EvidenceCountOut(kind=kind, count=count) for kind, count in match.evidence.items()],
        has_metrics=match.has_metrics,
        disabled_reason=match.disabled_reason,
    )


def make_preview_out(preview: ComparisonPreview) -> PreviewOut:
    """Return the response body of a preview."""
    return PreviewOut(
        base=_make_side_preview_out(preview.base) if preview.base else None,
        candidate=_make_side_preview_out(preview.candidate) if preview.candidate else None,
        caveats=[CaveatOut(id=each.id, sentence=each.sentence) for each in preview.caveats],
        conclusions=[ConclusionOut.model_validate(each, from_attributes=True) for each in preview.conclusions],
        headline=preview.headline,
        can_compare=preview.can_compare,
    )


def _make_side_preview_out(side: SidePreview) -> SidePreviewOut:
    resolved = side.resolved
    return SidePreviewOut(
        label=resolved.label,
        artifacts=len(resolved.evidence),
        artifact_ids=list(resolved.artifact_ids),
        build_id=resolved.build.id if resolved.build else None,
        kinds=[_make_kind_preview_out(each) for each in side.kinds],
        conditions=[_make_conditions_out(each) for each in side.conditions],
        time_range=make_time_range_out(resolved.time_range),
        left_out=side.left_out,
        label_pair=(
            LabelPairOut.model_validate(side.label_pair, from_attributes=True) if side.label_pair is not None else None
        ),
        empty_reason=resolved.empty_reason,
    )


def _make_kind_preview_out(each: KindPreview) -> KindPreviewOut:
    recorded_from, recorded_to = (
        EPOCH + timedelta(milliseconds=at_ms) if at_ms is not None else None
        for at_ms in (each.recorded_from_ms, each.recorded_to_ms)
    )
    return KindPreviewOut(
        kind=each.kind,
        count=each.count,
        samples=each.samples,
        recorded_from=recorded_from,
        recorded_to=recorded_to,
        duration_ns=each.duration_ns,
    )


def make_suggestions_out(found: Suggestions) -> SuggestionsOut:
    """Return the response body of suggestions and recent pairs."""
    return SuggestionsOut(
        suggestions=[
            SuggestionOut(
                id=each.id,
                title=each.title,
                base=_make_source_out(each.base),
                base_label=each.base_label,
                candidate=_make_source_out(each.candidate),
                candidate_label=each.candidate_label,
            )
            for each in found.suggestions
        ],
        recent=[
            RecentPairOut(
                comparison_id=each.comparison_id,
                name=each.name,
                base=_make_source_out(each.base),
                base_label=each.base_label,
                candidate=_make_source_out(each.candidate),
                candidate_label=each.candidate_label,
                created_at=each.created_at,
            )
            for each in found.recent
        ],
    )


def _make_source_out(source: SideSource) -> SideSourceIn:
    return SIDE_SOURCE.validate_python(format_source(source))


def _make_conditions_out(metadata: RunMetadata) -> RunMetadataOut:
    return RUN_METADATA.validate_python(metadata.to_json())
