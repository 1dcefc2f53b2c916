"""Values that the services of comparison previews return."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from slowpath.analysis.comparison.expected_effects import Conclusion
from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.core.ids import BuildId, EnvironmentId, ServiceId
from slowpath.verdicts.comparison_previews.rules import LabelPair
from slowpath.verdicts.comparisons.read_models import ResolvedSource
from slowpath.verdicts.comparisons.rules.side_sources import SideSource

SuggestionId = Literal["newest-build", "newest-deployment", "last-week"]


@dataclass(frozen=True)
class SourceMatch:
    """One match of a search; `evidence` counts decoded artifacts by kind."""

    source: SideSource
    title: str
    subtitle: str
    service_id: ServiceId
    at: datetime | None
    evidence: Mapping[str, int]
    disabled_reason: str | None
    environment_id: EnvironmentId | None = None
    build_id: BuildId | None = None
    commit: str | None = None
    has_metrics: bool = False


@dataclass(frozen=True)
class KindPreview:
    """Artifacts of one kind on a side. Times are in milliseconds since 1970; None where no file states it."""

    kind: str | None
    count: int
    samples: int | None
    recorded_from_ms: float | None
    recorded_to_ms: float | None
    duration_ns: int | None


@dataclass(frozen=True)
class SidePreview:
    """What a side contains; `conditions` are the distinct run metadata of its artifacts without counts and times.

    `label_pair` are two values that are worth comparing; None if the side is limited to labels already.
    """

    resolved: ResolvedSource
    kinds: Sequence[KindPreview]
    conditions: Sequence[RunMetadata]
    left_out: str | None
    label_pair: LabelPair | None


@dataclass(frozen=True)
class ComparisonPreview:
    """What both sides contain and what their comparison could conclude."""

    base: SidePreview | None
    candidate: SidePreview | None
    caveats: Sequence[Caveat]
    conclusions: Sequence[Conclusion]
    headline: str
    can_compare: bool


@dataclass(frozen=True)
class SuggestedPair:
    """A pair of sides that is worth comparing."""

    id: SuggestionId
    title: str
    base: SideSource
    base_label: str
    candidate: SideSource
    candidate_label: str


@dataclass(frozen=True)
class RecentPair:
    """A pair that the caller compared."""

    comparison_id: UUID
    name: str
    base: SideSource
    base_label: str
    candidate: SideSource
    candidate_label: str
    created_at: datetime


@dataclass(frozen=True)
class Suggestions:
    """Suggested and recent pairs."""

    suggestions: Sequence[SuggestedPair] = field(default=())
    recent: Sequence[RecentPair] = field(default=())
