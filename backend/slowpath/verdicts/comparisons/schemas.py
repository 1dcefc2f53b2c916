"""Request and response bodies of comparisons, views and exports."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from slowpath.analysis.comparison.comparison_document import ComparisonDocument
from slowpath.analysis.kinds.registry import PROFILE, Section
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.core.jobs import JobRow
from slowpath.platform.http.problems import StoredProblem
from slowpath.platform.jobs.schemas import JobOut, make_job_out
from slowpath.verdicts.comparisons.rules import ExportFormat, Granularity, Side, TimeRange, parse_time_ranges
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonExport, DiffView

Label = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
StateName = Literal["waiting", "running", "done", "failed", "cancelled"]
ViewStateName = Literal["not-built", "waiting", "running", "done", "failed", "cancelled"]
OriginName = Literal["manual", "regression", "build"]
VerdictName = Literal["regressed", "improved", "mixed", "unchanged", "inconclusive"]
EPOCH = datetime.fromtimestamp(0, UTC)
MOST_LISTED = 1000
"""Above the limit of a side, so that the error of that limit is returned."""


class ComparisonRequest(BaseModel):
    """A request body; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid")


class TimeRangeIn(ComparisonRequest):
    """A service's metrics in an environment between two times: at most 7 days."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    service_id: UUID
    environment_id: UUID
    begin: AwareDatetime = Field(alias="from")
    end: AwareDatetime = Field(alias="to")


class SideIn(ComparisonRequest):
    """One side: artifacts, a time range of metrics, or both, and its label."""

    artifact_ids: Annotated[list[UUID], Field(max_length=MOST_LISTED)] = []
    time_range: TimeRangeIn | None = None
    label: Label | None = None


class ComparisonIn(ComparisonRequest):
    """Two sides to compare: base and candidate."""

    name: Label | None = None
    base: SideIn
    candidate: SideIn


class ComparisonUpdate(ComparisonRequest):
    """Fields to update: the name and the labels of the sides."""

    name: Label | None = None
    base_label: Label | None = None
    candidate_label: Label | None = None


class TimeRangeOut(BaseModel):
    """The time range of metrics on a side."""

    model_config = ConfigDict(populate_by_name=True)

    service_id: UUID
    environment_id: UUID
    begin: datetime = Field(alias="from")
    end: datetime = Field(alias="to")


class SideOut(BaseModel):
    """One side: label, number of artifacts, artifact IDs (only of a single comparison), time range."""

    label: str
    artifacts: int
    artifact_ids: list[UUID] | None
    time_range: TimeRangeOut | None


class DiffViewOut(BaseModel):
    """A view of a comparison; its chunks are available once it is done."""

    id: UUID
    kind: str
    sample_type: str
    unit: str
    granularity: Granularity
    state: ViewStateName
    normalizations: list[str]
    default_normalization: str | None
    nodes: int | None
    functions: int | None
    has_more_chunks: bool
    job_id: UUID | None
    problem: StoredProblem


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


class FrameSearchOut(BaseModel):
    """Totals of the nodes that match a pattern; nested matches count once."""

    nodes: int
    functions: int
    base_raw: float
    candidate_raw: float


class SourceLineOut(BaseModel):
    """One line of a function, both sides, in raw units."""

    line: int
    base_self: float
    base_total: float
    candidate_self: float
    candidate_total: float


class ExportIn(ComparisonRequest):
    """The file to export; `kind` selects one of several kinds, by default the first."""

    format: ExportFormat
    kind: Annotated[str, StringConstraints(max_length=40)] | None = None


class ExportOut(BaseModel):
    """An export and its state."""

    id: UUID
    comparison_id: UUID
    format: ExportFormat
    kind: str | None
    state: StateName
    problem: StoredProblem
    job_id: UUID | None
    file_name: str | None
    media_type: str | None
    size_bytes: int | None
    created_at: datetime


def make_view_out(row: DiffView) -> DiffViewOut:
    """Return the response body of a view."""
    return DiffViewOut.model_validate(
        {
            "id": row.id,
            "kind": row.kind,
            "sample_type": row.sample_type,
            "unit": row.unit,
            "granularity": row.granularity,
            "state": row.state,
            "normalizations": row.normalizations or [],
            "default_normalization": row.default_normalization,
            "nodes": row.nodes,
            "functions": row.functions,
            "has_more_chunks": row.tail_blob_key is not None,
            "job_id": row.job_id,
            "problem": row.problem,
        }
    )


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


def make_comparison_summary_out(row: Comparison, counts: dict[tuple[UUID, str], int]) -> ComparisonSummaryOut:
    """Return the response body of a listed comparison."""
    return ComparisonSummaryOut.model_validate(_members(row, counts, None))


def make_comparison_out(
    row: Comparison,
    result: ComparisonDocument | None,
    sides: dict[str, list[UUID]],
    job: JobRow | None,
    views: list[DiffView],
) -> ComparisonOut:
    """Return the response body of a comparison with its result."""
    counts = {(row.id, side): len(ids) for side, ids in sides.items()}
    members = _members(row, counts, sides)
    return ComparisonOut.model_validate(
        {
            **members,
            "job": make_job_out(job) if job else None,
            "result": result,
            "artifact_kinds": [*([PROFILE.section] if views else []), *row.artifact_kinds],
            "views": [make_view_out(view) for view in views],
        }
    )


def _members(
    row: Comparison, counts: dict[tuple[UUID, str], int], sides: dict[str, list[UUID]] | None
) -> dict[str, Any]:
    time_ranges = parse_time_ranges(row.time_ranges)
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
        },
        "candidate": {
            "label": row.candidate_label,
            "artifacts": counts.get((row.id, "candidate"), 0),
            "artifact_ids": sides.get("candidate", []) if sides is not None else None,
            "time_range": make_time_range_out(time_ranges.get(Side.CANDIDATE)),
        },
        "problem": row.problem,
        "job_id": row.job_id,
        "created_at": row.created_at,
        "created_by": row.created_by,
        "finished_at": row.finished_at,
    }


def make_export_out(row: ComparisonExport) -> ExportOut:
    """Return the response body of an export."""
    return ExportOut.model_validate(
        {
            "id": row.id,
            "comparison_id": row.comparison_id,
            "format": row.format,
            "kind": row.kind,
            "state": row.state,
            "problem": row.problem,
            "job_id": row.job_id,
            "file_name": row.file_name,
            "media_type": row.media_type,
            "size_bytes": row.size_bytes,
            "created_at": row.created_at,
        }
    )
