"""Explanations of gaps over HTTP."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path

from slowpath.accounts.access import MayRead
from slowpath.accounts.service import audit
from slowpath.core.errors import NotFound, Refused, Unavailable
from slowpath.core.ids import ArtifactId, ExplanationId
from slowpath.explanations.rules import Gap
from slowpath.explanations.schemas import ExplanationOut, GapIn, explanation_out
from slowpath.explanations.service import asking
from slowpath.web.own_answers import FREEZABLE
from slowpath.web.problems import problems
from slowpath.web.sessions import Blobs, Reading, Writing

router = APIRouter(prefix="/api/v1", tags=["explanations"])

TraceId = Annotated[str, Path(max_length=64, description="up to 32 hexadecimal digits")]


@router.get(
    "/spans/{artifact_id}/traces/{trace_id}/explanations",
    operation_id="explanations:list",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound, Refused),
)
def list_explanations(artifact_id: UUID, trace_id: TraceId, caller: MayRead, session: Reading) -> list[ExplanationOut]:
    """List what was asked about the gaps of one trace, by span and gap, at most 500."""
    return [explanation_out(row) for row in asking.of_trace(session, ArtifactId(artifact_id), trace_id)]


@router.post(
    "/spans/{artifact_id}/traces/{trace_id}/explanations",
    operation_id="explanations:ask",
    status_code=202,
    responses=problems(NotFound, Refused, Unavailable),
)
def ask(
    artifact_id: UUID, trace_id: TraceId, wanted: GapIn, caller: MayRead, session: Writing, blobs: Blobs
) -> ExplanationOut:
    """Have a gap explained from execution traces of the same process and time; asked again, the answer is the same."""
    row, anew = asking.ask(session, blobs, ArtifactId(artifact_id), Gap(trace_id, wanted.span, wanted.gap))
    if anew:
        audit(session, caller, "explanation.created", "explanation", row.id, {"artifact_id": str(artifact_id)})
    return explanation_out(row)


@router.get(
    "/explanations/{explanation_id}",
    operation_id="explanations:get",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound),
)
def get(explanation_id: UUID, caller: MayRead, session: Reading) -> ExplanationOut:
    """Return one explanation."""
    return explanation_out(asking.find(session, ExplanationId(explanation_id)))
