"""Request and response bodies of profile sets, stored views and exports."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher
from slowpath.analysis.kinds.profiles.views.profile_set_document import ProfileSetConditions, ProfileSetKind
from slowpath.analysis.kinds.profiles.views.profile_view_summary import LONGEST_LABEL_TEXT
from slowpath.analysis.kinds.profiles.views.stored_view import MOST_INLINED, FrameMatches, SourceLine
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.profiles.rules import MAX_LABEL_MATCHERS, Granularity, ProfileExportFormat
from slowpath.evidence.profiles.tables import ProfileSet, ProfileView, StoredView
from slowpath.platform.http.problems import StoredProblem

ViewStateName = Literal["not-built", "waiting", "running", "done", "failed", "cancelled"]
ProfileSetStateName = Literal["waiting", "running", "done", "failed", "cancelled"]
MOST_LISTED = 1000
"""Above the limit of a set, so that the error of that limit is returned."""
LabelText = Annotated[str, StringConstraints(max_length=LONGEST_LABEL_TEXT, pattern=r"^[^\x00]*$")]
EPOCH = datetime.fromtimestamp(0, UTC)
LATEST_MS = 4_102_444_800_000
"""Latest accepted time, the year 2100: a later one is of a clock that was not set."""


class ProfileSetRequest(BaseModel):
    """A request body; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid")


class ProfileSetIn(ProfileSetRequest):
    """The artifacts to open together, in any order."""

    artifact_ids: Annotated[list[UUID], Field(min_length=1, max_length=MOST_LISTED)]


class LabelMatcherIn(ProfileSetRequest):
    """A condition on samples: a pprof label has this value; null selects samples without the label."""

    key: Annotated[LabelText, StringConstraints(min_length=1)]
    value: LabelText | None


class LabelMatcherOut(BaseModel):
    """A condition on samples: a pprof label has this value; null selects samples without the label."""

    key: str
    value: str | None


class ProfileViewIn(ProfileSetRequest):
    """The view to compute: a kind and sample type of the set at a granularity, of the samples that match the labels.

    Several values of one label are alternatives.
    """

    kind: Annotated[str, StringConstraints(max_length=40)]
    sample_type: Annotated[str, StringConstraints(max_length=200)]
    granularity: Granularity
    labels: Annotated[list[LabelMatcherIn], Field(max_length=MAX_LABEL_MATCHERS)] = []


class ProfileExportIn(ProfileSetRequest):
    """The file to export: one kind of the set, of the samples that match the labels.

    `sample_type` selects what a file with one sample type holds, by default that of the kind; pprof has all.
    """

    format: ProfileExportFormat
    kind: Annotated[str, StringConstraints(max_length=40)]
    sample_type: Annotated[str, StringConstraints(max_length=200)] | None = None
    labels: Annotated[list[LabelMatcherIn], Field(max_length=MAX_LABEL_MATCHERS)] = []


class StoredViewOut(BaseModel):
    """A stored view; its chunks are available once it is done."""

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


class ProfileViewOut(StoredViewOut):
    """A view of a profile set.

    The first chunk, the functions and the summary are available as soon as it has `nodes`, all else once it is done.
    """

    labels: list[LabelMatcherOut]


class ProfileSetArtifactOut(BaseModel):
    """One artifact of a set; what its file does not state is null."""

    id: UUID
    name: str
    kind: str | None
    state: str
    build_id: UUID | None
    recorded_at: datetime | None
    duration_ns: int | None
    samples: int | None


class ProfileSetOut(BaseModel):
    """Profiles opened together. Kinds, conditions and the first view are known once it is done."""

    id: UUID
    state: ProfileSetStateName
    problem: StoredProblem
    job_id: UUID | None
    artifacts: list[ProfileSetArtifactOut]
    kinds: list[ProfileSetKind]
    conditions: ProfileSetConditions | None
    views: list[ProfileViewOut]
    created_at: datetime


class StoredExportOut(BaseModel):
    """An export and its state; its file is available once it is done."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    state: ProfileSetStateName
    problem: StoredProblem
    job_id: UUID | None
    file_name: str | None
    media_type: str | None
    size_bytes: int | None
    created_at: datetime


class ProfileExportOut(StoredExportOut):
    """An export of a set and its state."""

    set_id: UUID
    format: ProfileExportFormat
    kind: str
    sample_type: str | None
    labels: list[LabelMatcherOut]


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
    base_attributed: float | None = Field(description="runtime cost of calls on this line; null in older views")
    base_total: float
    candidate_self: float
    candidate_attributed: float | None
    candidate_total: float
    base_inlined: list[str] = Field(description=f"functions inlined into this line, at most {MOST_INLINED}")
    candidate_inlined: list[str]


def parse_labels(labels: Sequence[LabelMatcherIn]) -> tuple[LabelMatcher, ...]:
    """Return the label matchers of a request in order of their text, each once."""
    return tuple(sorted({LabelMatcher(each.key, each.value) for each in labels}, key=str))


def make_label_outs(matchers: Sequence[LabelMatcher]) -> list[LabelMatcherOut]:
    """Return the response body of label matchers."""
    return [LabelMatcherOut(key=each.key, value=each.value) for each in matchers]


def list_view_members(row: StoredView) -> dict[str, Any]:
    """Return the members of the response body of any stored view."""
    return {
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


def make_profile_view_out(row: ProfileView) -> ProfileViewOut:
    """Return the response body of a view of a set."""
    return ProfileViewOut.model_validate({**list_view_members(row), "labels": row.labels})


def make_profile_set_out(row: ProfileSet, artifacts: Sequence[Artifact], views: Sequence[ProfileView]) -> ProfileSetOut:
    """Return the response body of a set."""
    return ProfileSetOut.model_validate(
        {
            "id": row.id,
            "state": row.state,
            "problem": row.problem,
            "job_id": row.job_id,
            "artifacts": [_make_artifact_out(artifact) for artifact in artifacts],
            "kinds": row.kinds or [],
            "conditions": row.conditions,
            "views": [make_profile_view_out(view) for view in views],
            "created_at": row.created_at,
        }
    )


def _make_artifact_out(row: Artifact) -> dict[str, Any]:
    summary, metadata = row.summary or {}, row.run_metadata
    time_ns, started_ms = summary.get("time_ns"), metadata.get("started_at_ms")
    recorded_ms = time_ns // 1_000_000 if isinstance(time_ns, int) and time_ns > 0 else started_ms
    return {
        "id": row.id,
        "name": row.name,
        "kind": row.kind,
        "state": row.state,
        "build_id": row.build_id,
        "recorded_at": _make_time(recorded_ms),
        "duration_ns": summary.get("duration_ns") or metadata.get("wall_ns"),
        "samples": summary.get("samples"),
    }


def _make_time(unix_ms: object) -> datetime | None:
    if not isinstance(unix_ms, int) or not 0 < unix_ms <= LATEST_MS:
        return None
    return EPOCH + timedelta(milliseconds=unix_ms)


def make_frame_search_out(found: FrameMatches) -> FrameSearchOut:
    """Return the response body of a search."""
    return FrameSearchOut(
        nodes=found.nodes, functions=found.functions, base_raw=found.base, candidate_raw=found.candidate
    )


def make_source_line_outs(lines: Sequence[SourceLine]) -> list[SourceLineOut]:
    """Return the response bodies of the lines of a function."""
    return [SourceLineOut.model_validate(line, from_attributes=True) for line in lines]
