"""Wire shapes of trace excerpts. The page of a trace is sent as the document that the worker wrote."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from slowpath.evidence.exec_traces.tables import TraceExcerpt
from slowpath.platform.http.problems import StoredProblem
from slowpath.platform.http.request_types import JsonInt

Nanoseconds = Annotated[JsonInt, Field(ge=0, le=2**62)]


class ExcerptIn(BaseModel):
    """Time range of an excerpt, in nanoseconds since the first event of the trace."""

    model_config = ConfigDict(extra="forbid")

    from_ns: Nanoseconds
    to_ns: Nanoseconds


class ExcerptOut(BaseModel):
    """A trace excerpt and its state. It consists of complete generations, so it can exceed the time range."""

    id: UUID
    artifact_id: UUID
    from_ns: int
    to_ns: int
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    size_bytes: int | None
    file_name: str | None
    problem: StoredProblem
    job_id: UUID | None
    created_at: datetime


def make_excerpt_out(row: TraceExcerpt) -> ExcerptOut:
    """Return the wire shape of an excerpt."""
    return ExcerptOut.model_validate(
        {
            "id": row.id,
            "artifact_id": row.artifact_id,
            "from_ns": row.from_ns,
            "to_ns": row.to_ns,
            "state": row.state,
            "size_bytes": row.size_bytes,
            "file_name": row.file_name,
            "problem": row.problem,
            "job_id": row.job_id,
            "created_at": row.created_at,
        }
    )
