"""Artifacts and uploads on the wire."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from slowpath.analysis.facts import Facts
from slowpath.core.jobs import JobRow
from slowpath.uploads.tables import Artifact, Upload, UploadPart
from slowpath.web.problems import Problem

NO_NUL = r"^[^\x00]*$"
Short = Annotated[str, StringConstraints(max_length=200, pattern=NO_NUL)]
Count = Annotated[int, Field(ge=0, le=2**53)]
FAMILIES = {"profile": "profile", "trace": "trace", "growth": "growth", "bench": "benchmarks", "spans": "spans"}
"""Which field holds the summary of an artifact, by the first word of its kind."""
ArtifactStateName = Literal["received", "decoding", "decoded", "refused", "failed"]


class FactsIn(BaseModel):
    """What is known of the run a file comes from. All optional; requests make costs per request possible."""

    model_config = ConfigDict(extra="forbid")

    run: Short | None = None
    requests: Annotated[float, Field(gt=0, le=1e18)] | None = None
    wall_ns: Count | None = None
    cpu_ns: Count | None = None
    go_version: Short | None = None
    goos: Short | None = None
    goarch: Short | None = None
    gomaxprocs: Annotated[int, Field(ge=1, le=65536)] | None = None
    cpu_model: Short | None = None
    cpu_flags: Annotated[str, StringConstraints(max_length=4000, pattern=NO_NUL)] | list[Short] | None = None
    commit: Short | None = None
    build_id: Short | None = None

    @model_validator(mode="after")
    def _as_analysis_reads_them(self) -> Self:
        Facts.from_json(self.model_dump())  # raises ValueError, which pydantic tells as it is
        return self


class ProfileSummary(BaseModel):
    """What a decoded profile holds, in few numbers."""

    kind: str
    sample_types: list[dict[str, str]]
    default_sample_type: int
    time_ns: int
    duration_ns: int
    period: int
    samples: int
    stacks: int
    functions: int
    cut_samples: int
    warnings: list[str]


class LostPart(BaseModel):
    """What of a damaged or truncated trace could not be read, and from when on."""

    bytes: int
    share: float
    after_ns: int
    message: str


class TraceSummary(BaseModel):
    """What a decoded execution trace holds, in few numbers."""

    header_version: str
    duration_ns: int
    events: int
    gomaxprocs: int
    recording: str
    goroutines: int
    waits: int
    wait_ns: int
    cpu_samples: int
    lost: LostPart | None
    warnings: list[str]


class GrowthSummary(BaseModel):
    """What a stack-growth log counts."""

    dialect: str
    rate: int
    sampled: int
    total: int | None
    duration_ns: int | None
    warnings: list[str]


class BenchmarkSummary(BaseModel):
    """What benchmark output holds."""

    results: int
    benchmarks: int
    units: list[str]
    warnings: list[str]


class SpansSummary(BaseModel):
    """What a set of distributed traces holds, and what had to be mended in it."""

    dialect: str
    spans: int
    traces: int
    services: int
    missing_parents: int
    duplicates: int
    cycles: int
    negative: int
    skewed: int
    start_ns: int
    end_ns: int
    warnings: list[str]


class ArtifactOut(BaseModel):
    """One uploaded file and what became of it."""

    id: UUID
    name: str
    size_bytes: int
    sha256: str
    kind: str | None
    state: ArtifactStateName
    error: Problem | None
    profile: ProfileSummary | None
    trace: TraceSummary | None
    growth: GrowthSummary | None
    benchmarks: BenchmarkSummary | None
    spans: SpansSummary | None
    facts: dict[str, Any]
    batch: UUID | None
    build_id: UUID | None
    job_id: UUID | None
    progress: float
    step: str
    created_at: datetime
    created_by: UUID | None


class ArtifactChange(BaseModel):
    """What can be changed of an artifact after it was received."""

    model_config = ConfigDict(extra="forbid")

    facts: FactsIn | None = None
    build_id: UUID | None = None


class UploadIn(BaseModel):
    """A file that will come in parts."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, StringConstraints(min_length=1, max_length=1000)]
    size_bytes: Count
    batch: UUID | None = None
    build_id: UUID | None = None
    facts: FactsIn = FactsIn()


class PartOut(BaseModel):
    """A part that has arrived."""

    number: int
    size_bytes: int
    sha256: str


class UploadOut(BaseModel):
    """An upload in parts: how large each is, and which have arrived."""

    id: UUID
    name: str
    size_bytes: int
    part_size_bytes: int
    parts: list[PartOut]
    artifact_id: UUID | None
    expires_at: datetime


def artifact_out(row: Artifact, job: JobRow | None) -> ArtifactOut:
    """Tell an artifact, with its job's progress."""
    decoded = row.state == "decoded"
    return ArtifactOut.model_validate(
        {
            "id": row.id,
            "name": row.name,
            "size_bytes": row.size_bytes,
            "sha256": row.sha256,
            "kind": row.kind,
            "state": row.state,
            "error": {"status": 422, **row.problem} if row.problem else None,
            **{part: row.summary if _family(row) == part else None for part in FAMILIES.values()},
            "facts": row.facts,
            "batch": row.batch,
            "build_id": row.build_id,
            "job_id": row.job_id,
            "progress": 1.0 if decoded else (job.progress if job else 0.0),
            "step": "" if decoded or job is None else job.step,
            "created_at": row.created_at,
            "created_by": row.created_by,
        }
    )


def _family(row: Artifact) -> str | None:
    return FAMILIES.get((row.kind or "").split(".", 1)[0]) if row.summary else None


def upload_out(row: Upload, parts: list[UploadPart]) -> UploadOut:
    """Tell an upload."""
    return UploadOut(
        id=row.id,
        name=row.name,
        size_bytes=row.size_bytes,
        part_size_bytes=row.part_bytes,
        parts=[PartOut(number=part.number, size_bytes=part.size_bytes, sha256=part.sha256) for part in parts],
        artifact_id=row.artifact_id,
        expires_at=row.expires_at,
    )
