"""Request and response bodies of comparisons, views and exports."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from slowpath.analysis.comparison.comparison_document import ComparisonDocument
from slowpath.analysis.kinds.registry import PROFILE, Section
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.core.jobs import JobRow
from slowpath.evidence.profiles.rules import Granularity
from slowpath.evidence.profiles.schemas import (
    LabelMatcherIn,
    LabelMatcherOut,
    StoredExportOut,
    StoredViewOut,
    list_view_members,
    make_label_outs,
)
from slowpath.platform.http.problems import StoredProblem
from slowpath.platform.http.request_types import JsonTime
from slowpath.platform.jobs.schemas import JobOut, make_job_out
from slowpath.verdicts.comparisons.rules import (
    MAX_LABELS_A_SIDE,
    ExportFormat,
    Side,
    TimeRange,
    parse_label_matchers,
    parse_time_ranges,
)
from slowpath.verdicts.comparisons.schemas.source_schemas import (
    MOST_LISTED,
    ComparisonRequest,
    SideSourceIn,
)
from slowpath.verdicts.comparisons.tables import Comparison, DiffView

Label = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
StateName = Literal["waiting", "running", "done", "failed", "cancelled"]
OriginName = Literal["manual", "regression", "build"]
VerdictName = Literal["regressed", "improved", "mixed", "unchanged", "inconclusive"]
EPOCH = datetime.fromtimestamp(0, UTC)
NO_SOURCE: dict[str, Any] = {"source": None, "build_id": None, "left_out": None}


class TimeRangeIn(ComparisonRequest):
    """A service's metrics in an environment between two times: at most 7 days."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    service_id: UUID
    environment_id: UUID
    begin: JsonTime = Field(alias="from")
    end: JsonTime = Field(alias="to")


class SideIn(ComparisonRequest):
    """One side: artifacts, a time range of metrics, or both, or instead of them a source; and its label.

    `labels` selects samples of its profiles by their pprof labels: those that match all. Artifacts other than profiles are then
    left out. A source has its own.
    """

    artifact_ids: list[UUID] = Field(default_factory=list, max_length=MOST_LISTED)
    time_range: TimeRangeIn | None = None
    source: SideSourceIn | None = None
    label: Label | None = None
    labels: list[LabelMatcherIn] = Field(default_factory=list, max_length=MAX_LABELS_A_SIDE)

    @model_validator(mode="after")
    def _validate_source(self) -> Self:
        if self.source is not None and (self.artifact_ids or self.time_range is not None or self.labels):
            raise ValueError("set either source, or artifact_ids, time_range and labels")
        return self


class ComparisonIn(ComparisonRequest):
    """Two sides to compare: base and candidate."""

    name: Label | None = None
    base: SideIn
    candidate: SideIn


class ComparisonUpdate(ComparisonRequest):
    """Fields to update: the name, the labels of the sides, the assignee (null: none)."""

    name: Label | None = None
    base_label: Label | None = None
    candidate_label: Label | None = None
    assignee_id: UUID | None = None


class ComparisonAssigneeOut(BaseModel):
    """The member that a comparison is assigned to; the name is null if they left the team."""

    id: UUID
    name: str | None


class TimeRangeOut(BaseModel):
    """The time range of metrics on a side."""

    model_config = ConfigDict(populate_by_name=True)

    service_id: UUID
    environment_id: UUID
    begin: datetime = Field(alias="from")
    end: datetime = Field(alias="to")


class SideOut(BaseModel):
    """One side: label, number of artifacts, artifact IDs (only of a single comparison), time range, labels of samples.

    `source` is where they come from, null if they were listed; `build_id` the build that it selected; `left_out` a sentence.
    """

    label: str
    artifacts: int
    artifact_ids: list[UUID] | None
    time_range: TimeRangeOut | None
    source: SideSourceIn | None
    build_id: UUID | None
    left_out: str | None
    labels: list[LabelMatcherOut]


class DiffViewOut(StoredViewOut):
    """A view of a comparison; its chunks are available once it is done."""


class ComparisonSummaryOut(BaseModel):
    """A comparison as listed."""

    id: UUID
    name: str
    origin: OriginName
    state: StateName
    verdict: VerdictName | None
    verdict_sentence: str | None
    base: SideOut
    candidate: SideOut
    problem: StoredProblem
    job_id: UUID | None
    created_at: datetime
    created_by: UUID | None
    finished_at: datetime | None
    assignee: ComparisonAssigneeOut | None


class ComparisonOut(ComparisonSummaryOut):
    """A comparison with its result and its views."""

    job: JobOut | None
    result: ComparisonDocument | None
    artifact_kinds: list[Section]
    """Kinds that have a result."""
    views: list[DiffViewOut]


class DiffViewIn(ComparisonRequest):
    """The view to compute."""

    kind: Annotated[str, StringConstraints(max_length=40)]
    sample_type: Annotated[str, StringConstraints(max_length=200)]
    granularity: Granularity


class ExportIn(ComparisonRequest):
    """The file to export; `kind` selects one of several kinds, by default the first."""

    format: ExportFormat
    kind: Annotated[str, StringConstraints(max_length=40)] | None = None


class ExportOut(StoredExportOut):
    """An export of a comparison and its state."""

    comparison_id: UUID
    format: ExportFormat
    kind: str | None


def make_view_out(row: DiffView) -> DiffViewOut:
    """Return the response body of a view."""
    return DiffViewOut.model_validate(list_view_members(row))


def parse_time_range(time_range: TimeRangeIn | None) -> TimeRange | None:
    """Return the time range of a request, or None."""
    if time_range is None:
        return None
    from_ms, to_ms = ((at - EPOCH) // timedelta(milliseconds=1) for at in (time_range.begin, time_range.end))
    return TimeRange(ServiceId(time_range.service_id), EnvironmentId(time_range.environment_id), from_ms, to_ms)


def make_time_range_out(time_range: TimeRange | None) -> TimeRangeOut | None:
    """Return the response body of a time range."""
    if time_range is None:
        return None
    begin, end = (EPOCH + timedelta(milliseconds=ms) for ms in (time_range.from_ms, time_range.to_ms))
    return TimeRangeOut(
        service_id=time_range.service_id, environment_id=time_range.environment_id, begin=begin, end=end
    )


def make_comparison_summary_out(
    row: Comparison, counts: dict[tuple[UUID, str], int], assignee_names: Mapping[UUID, str]
) -> ComparisonSummaryOut:
    """Return the response body of a listed comparison."""
    return ComparisonSummaryOut.model_validate(_members(row, counts, None, assignee_names))


def make_comparison_out(
    row: Comparison,
    result: ComparisonDocument | None,
    sides: dict[str, list[UUID]],
    job: JobRow | None,
    views: list[DiffView],
    *,
    assignee_names: Mapping[UUID, str],
) -> ComparisonOut:
    """Return the response body of a comparison with its result."""
    counts = {(row.id, side): len(ids) for side, ids in sides.items()}
    members = _members(row, counts, sides, assignee_names)
    return ComparisonOut.model_validate(
        {
            **members,
            "job": make_job_out(job) if job else None,
            "result": result,
            "artifact_kinds": [*([PROFILE.section] if views else []), *row.artifact_kinds],
            "views": [make_view_out(view) for view in views],
        }
    )


def _make_assignee(assignee_id: UUID | None, names: Mapping[UUID, str]) -> dict[str, Any] | None:
    return None if assignee_id is None else {"id": assignee_id, "name": names.get(assignee_id)}


def _members(
    row: Comparison,
    counts: dict[tuple[UUID, str], int],
    sides: dict[str, list[UUID]] | None,
    assignee_names: Mapping[UUID, str],
) -> dict[str, Any]:
    time_ranges, labels = parse_time_ranges(row.time_ranges), parse_label_matchers(row.side_labels)
    return {
        "id": row.id,
        "name": row.name,
        "origin": row.origin,
        "state": row.state,
        "verdict": row.verdict,
        "verdict_sentence": row.headline,
        "base": {
            "label": row.base_label,
            "artifacts": counts.get((row.id, "base"), 0),
            "artifact_ids": sides.get("base", []) if sides is not None else None,
            "time_range": make_time_range_out(time_ranges.get(Side.BASE)),
            **row.sources.get(Side.BASE, NO_SOURCE),
            "labels": make_label_outs(labels.get(Side.BASE, ())),
        },
        "candidate": {
            "label": row.candidate_label,
            "artifacts": counts.get((row.id, "candidate"), 0),
            "artifact_ids": sides.get("candidate", []) if sides is not None else None,
            "time_range": make_time_range_out(time_ranges.get(Side.CANDIDATE)),
            **row.sources.get(Side.CANDIDATE, NO_SOURCE),
            "labels": make_label_outs(labels.get(Side.CANDIDATE, ())),
        },
        "problem": row.problem,
        "job_id": row.job_id,
        "created_at": row.created_at,
        "created_by": row.created_by,
        "finished_at": row.finished_at,
        "assignee": _make_assignee(row.assignee_id, assignee_names),
    }
