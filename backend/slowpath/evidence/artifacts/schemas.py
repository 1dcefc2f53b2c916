"""Wire shapes of artifacts and uploads."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from slowpath.analysis.findings.route_requests import LONGEST_ROUTE, LONGEST_WORD, MOST_ROUTES
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.registry import ARTIFACT_KINDS, StoredKindId, kind_of
from slowpath.core.jobs import JobRow
from slowpath.evidence.artifacts.rules import clean_line
from slowpath.evidence.artifacts.tables import Artifact, MultipartUpload, UploadPart
from slowpath.inventory.catalog.rules import read_go_mod
from slowpath.inventory.catalog.rules.go_mod import MOST_DEPENDENCIES
from slowpath.inventory.catalog.schemas.catalog_entries import (
    BuildOut,
    Link,
    PullRequestRef,
    RunMetadataOut,
    When,
    Word,
)
from slowpath.platform.http.problems import StoredProblem
from slowpath.platform.http.request_types import JsonFloat, JsonInt

NO_NUL = r"^[^\x00]*$"
Short = Annotated[str, StringConstraints(max_length=200, pattern=NO_NUL)]
Count = Annotated[JsonInt, Field(ge=0, le=2**53)]
MAX_LINE = 200
MAX_GO_MOD = 1 << 20
MAX_FACTS_LETTERS = 16_000
"""Length of run metadata in a URL; the URL must stay below 64 KiB."""
ArtifactStateName = Literal["received", "decoding", "decoded", "invalid", "failed"]


class RouteRequestsIn(BaseModel):
    """Requests of one route, method and status class; without all three, those of all routes not listed."""

    model_config = ConfigDict(extra="forbid")

    route: Annotated[str, StringConstraints(max_length=LONGEST_ROUTE, pattern=NO_NUL)] = ""
    method: Annotated[str, StringConstraints(max_length=LONGEST_WORD, pattern=NO_NUL)] = ""
    status_class: Annotated[str, StringConstraints(max_length=LONGEST_WORD, pattern=NO_NUL)] = ""
    requests: Count


class RunMetadataIn(BaseModel):
    """Run metadata of an artifact. All fields are optional; `requests` allows costs per request."""

    model_config = ConfigDict(extra="forbid")

    run: Short | None = None
    requests: Annotated[JsonFloat, Field(gt=0, le=1e18)] | None = None
    wall_ns: Count | None = None
    cpu_ns: Count | None = None
    go_version: Short | None = None
    goos: Short | None = None
    goarch: Short | None = None
    gomaxprocs: Annotated[JsonInt, Field(ge=1, le=65536)] | None = None
    cpu_model: Short | None = None
    cpu_flags: Annotated[str, StringConstraints(max_length=4000, pattern=NO_NUL)] | list[Short] | None = None
    commit: Short | None = None
    build_id: Short | None = None
    started_at_ms: Count | None = None
    ended_at_ms: Count | None = None
    process_age_ms: Count | None = None
    requests_by_route: Annotated[list[RouteRequestsIn], Field(max_length=MOST_ROUTES + 1)] | None = None
    pgo_sha256: Short | None = Field(
        None, description="of an executable: SHA-256 of the PGO profile that it was built with, in hex"
    )

    @model_validator(mode="after")
    def _validate_for_analysis(self) -> Self:
        RunMetadata.from_json(self.model_dump())  # raises ValueError, which pydantic reports
        return self


def _line(text: str) -> str:
    """Return a text as one short line: a long commit message must not make the upload of its build fail."""
    return clean_line(text, MAX_LINE)


Line = Annotated[str, StringConstraints(max_length=10_000), AfterValidator(_line)]


class BuildMetadataIn(BaseModel):
    """Build metadata sent by CI. All fields are optional and can be sent later."""

    model_config = ConfigDict(extra="forbid")

    branch: Word | None = None
    parent: Word | None = Field(None, description="the commit before this one on its branch")
    go_version: Word = ""
    goos: Word = ""
    goarch: Word = ""
    flags: Word = ""
    dependencies: Annotated[dict[Word, Word], Field(max_length=MOST_DEPENDENCIES)] | None = Field(
        None, description="module path to version"
    )
    go_mod: Annotated[str, StringConstraints(max_length=MAX_GO_MOD, pattern=NO_NUL)] | None = Field(
        None, description="content of go.mod, used if dependencies is not set"
    )
    ci_url: Link | None = None
    committed_at: When | None = None
    display_name: Line | None = None
    title: Line | None = Field(None, description="first line of the commit message")
    author: Line | None = None
    pull_request: PullRequestRef | None = None
    load: RunMetadataIn | None = Field(
        None, description="run metadata for the files of this request that have no sidecar"
    )
    delivery_id: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_NUL)] | None = Field(
        None, description="same as the header Idempotency-Key"
    )

    def columns(self) -> dict[str, Any]:
        """Return the values of the build's columns."""
        values = self.model_dump(exclude={"go_mod", "load", "delivery_id", "ci_url", "pull_request"}, exclude_none=True)
        if self.dependencies is None and self.go_mod:
            values["dependencies"] = read_go_mod(self.go_mod).dependencies
        if self.pull_request is not None:
            values["pull_request"] = self.pull_request.model_dump(mode="json")
        if self.load is not None:
            values["run_metadata"] = self.load.model_dump(exclude_none=True)
        return values | ({"ci_url": str(self.ci_url)} if self.ci_url else {})


class BuildQuery(BaseModel):
    """Build and run metadata in the query of an artifact upload."""

    model_config = ConfigDict(extra="ignore")

    branch: Word | None = None
    parent: Word | None = None
    go_version: Word = ""
    goos: Word = ""
    goarch: Word = ""
    flags: Word = ""
    ci_url: Link | None = None
    committed_at: When | None = None
    display_name: Line | None = None
    title: Line | None = None
    author: Line | None = None
    batch: UUID | None = None
    run_metadata: Annotated[str, StringConstraints(max_length=MAX_FACTS_LETTERS)] | None = Field(
        None, description="run metadata of the file as JSON: requests, wall_ns, ..."
    )

    @model_validator(mode="before")
    @classmethod
    def _accept_former_name(cls, sent: Any) -> Any:  # noqa: ANN401 - whatever the query holds
        if isinstance(sent, dict) and "facts" in sent:
            return {"run_metadata": sent["facts"], **sent}
        return sent

    def columns(self) -> dict[str, Any]:
        """Return the values of the build's columns."""
        values = self.model_dump(exclude={"batch", "run_metadata", "ci_url"}, exclude_none=True)
        return values | ({"ci_url": str(self.ci_url)} if self.ci_url else {})


def _former(name: str, former: str) -> Any:  # noqa: ANN401 - a field of any type
    """Return a summary field that is also read under its former name, as earlier versions wrote it."""
    return Field(validation_alias=AliasChoices(name, former))


class ProfileSummary(BaseModel):
    """Summary of a decoded profile."""

    kind: str
    sample_types: list[dict[str, str]]
    default_sample_type: int
    time_ns: int
    duration_ns: int
    period: int
    samples: int
    stacks: int
    functions: int
    truncated_samples: int = _former("truncated_samples", "cut_samples")
    warnings: list[str]


class UnreadableRangeOut(BaseModel):
    """Unreadable range of a damaged or truncated trace: its size, its share, and the time it begins at."""

    bytes: int
    share: float
    after_ns: int
    message: str


class TraceSummary(BaseModel):
    """Summary of a decoded execution trace."""

    header_version: str
    duration_ns: int
    events: int
    gomaxprocs: int
    recording: str
    goroutines: int
    waits: int
    wait_ns: int
    cpu_samples: int
    unreadable_range: UnreadableRangeOut | None = _former("unreadable_range", "lost")
    warnings: list[str]


class GrowthSummary(BaseModel):
    """Summary of a stack-growth log."""

    dialect: str
    sampling_rate: int = _former("sampling_rate", "rate")
    sampled: int
    total: int | None
    duration_ns: int | None
    warnings: list[str]


class BenchmarkSummary(BaseModel):
    """Summary of benchmark output."""

    results: int
    benchmarks: int
    units: list[str]
    warnings: list[str]


class SpansSummary(BaseModel):
    """Summary of a span set, with counts of the defects that were repaired."""

    dialect: str
    spans: int
    traces: int
    services: int
    missing_parents: int
    duplicates: int
    cut_cycles: int = _former("cut_cycles", "cycles")
    negative_durations: int = _former("negative_durations", "negative")
    clock_skewed_spans: int = _former("clock_skewed_spans", "skewed")
    start_ns: int
    end_ns: int
    warnings: list[str]


class BinarySummary(BaseModel):
    """Build information of a Go binary."""

    go_version: str
    path: str
    module: str
    version: str
    modules: int
    settings: dict[str, str]
    go_build_id: str
    gnu_build_id: str
    functions: int | None = None
    """Number of functions that are stored. None: only the build information is known."""
    warnings: list[str]


class SkippedFileOut(BaseModel):
    """A file of an archive that is no artifact, and why."""

    path: str
    reason: str


class ArchiveSummary(BaseModel):
    """What was unpacked from an archive; its own bytes are not stored."""

    files: int
    skipped: list[SkippedFileOut]
    skipped_files: int
    """All that were skipped; the list is limited."""
    warnings: list[str]


class ArtifactOut(BaseModel):
    """One artifact with its state and summary."""

    id: UUID
    name: str
    size_bytes: int
    sha256: str
    kind: StoredKindId | None
    state: ArtifactStateName
    error: StoredProblem
    profile: ProfileSummary | None
    trace: TraceSummary | None
    growth: GrowthSummary | None
    benchmarks: BenchmarkSummary | None
    spans: SpansSummary | None
    binary: BinarySummary | None
    archive: ArchiveSummary | None
    run_metadata: RunMetadataOut
    batch: UUID | None
    build_id: UUID | None
    archive_id: UUID | None
    folder: str | None
    job_id: UUID | None
    progress: float
    step: str
    created_at: datetime
    created_by: UUID | None


class BuildUploadOut(BaseModel):
    """The build after the request, and the artifacts of the request."""

    build: BuildOut
    artifacts: list[ArtifactOut]


class ArtifactUpdate(BaseModel):
    """Patch of an artifact."""

    model_config = ConfigDict(extra="forbid")

    run_metadata: RunMetadataIn | None = None
    build_id: UUID | None = None


class MultipartUploadIn(BaseModel):
    """A new multipart upload."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, StringConstraints(min_length=1, max_length=1000)]
    size_bytes: Count
    batch: UUID | None = None
    build_id: UUID | None = None
    run_metadata: RunMetadataIn = RunMetadataIn()


class UploadPartOut(BaseModel):
    """A received part of an upload."""

    number: int
    size_bytes: int
    sha256: str


class MultipartUploadOut(BaseModel):
    """A multipart upload: the size of its parts, and the parts received."""

    id: UUID
    name: str
    size_bytes: int
    part_size_bytes: int
    parts: list[UploadPartOut]
    artifact_id: UUID | None
    expires_at: datetime


def make_artifact_out(row: Artifact, job: JobRow | None) -> ArtifactOut:
    """Return the wire shape of an artifact, with the progress of its job."""
    decoded = row.state == "decoded"
    return ArtifactOut.model_validate(
        {
            "id": row.id,
            "name": row.name,
            "size_bytes": row.size_bytes,
            "sha256": row.sha256,
            "kind": row.kind,
            "state": row.state,
            "error": row.problem,
            **_summaries(row),
            "run_metadata": row.run_metadata,
            "batch": row.batch,
            "build_id": row.build_id,
            "archive_id": row.archive_id,
            "folder": row.folder,
            "job_id": row.job_id,
            "progress": 1.0 if decoded else (job.progress if job else 0.0),
            "step": "" if decoded or job is None else job.step,
            "created_at": row.created_at,
            "created_by": row.created_by,
        }
    )


def _summaries(row: Artifact) -> dict[str, Any]:
    """Return the summary in the field of its kind, and None in the others."""
    own = kind_of(row.kind)
    return {kind.summary_field: (row.summary or None) if kind is own else None for kind in ARTIFACT_KINDS.values()}


def make_upload_out(row: MultipartUpload, parts: list[UploadPart]) -> MultipartUploadOut:
    """Return the wire shape of an upload."""
    return MultipartUploadOut(
        id=row.id,
        name=row.name,
        size_bytes=row.size_bytes,
        part_size_bytes=row.part_bytes,
        parts=[UploadPartOut(number=part.number, size_bytes=part.size_bytes, sha256=part.sha256) for part in parts],
        artifact_id=row.artifact_id,
        expires_at=row.expires_at,
    )
