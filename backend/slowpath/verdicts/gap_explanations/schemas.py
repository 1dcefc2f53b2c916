"""Request and response bodies of gap explanations."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from slowpath.analysis.kinds.spans.gap_explanation_document import GapExplanationDocument
from slowpath.platform.http.problems import StoredProblem
from slowpath.platform.http.request_types import JsonInt
from slowpath.verdicts.gap_explanations.tables import GapExplanation

Number = Annotated[JsonInt, Field(ge=0, le=2**31 - 1)]


class GapIn(BaseModel):
    """A gap to explain: span and gap by their index on the page of the trace."""

    model_config = ConfigDict(extra="forbid")

    span: Number
    gap: Number


class ExplanationOut(BaseModel):
    """The state of a gap explanation, and its result."""

    id: UUID
    artifact_id: UUID
    trace_id: str
    span: int
    gap: int
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    document: GapExplanationDocument | None
    problem: StoredProblem
    job_id: UUID | None
    created_at: datetime


def make_explanation_out(row: GapExplanation, document: GapExplanationDocument | None) -> ExplanationOut:
    """Return the response body of an explanation."""
    return ExplanationOut.model_validate(
        {
            "id": row.id,
            "artifact_id": row.artifact_id,
            "trace_id": row.trace_id,
            "span": row.span_number,
            "gap": row.gap_number,
            "state": row.state,
            "document": document,
            "problem": row.problem,
            "job_id": row.job_id,
            "created_at": row.created_at,
        }
    )
