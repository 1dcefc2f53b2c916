"""HTTP endpoints of gap explanations."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path

from slowpath.core.errors import InvalidRequest, NotFound, Unavailable
from slowpath.core.ids import ArtifactId, ExplanationId
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Reading, Writing
from slowpath.verdicts.gap_explanations.rules import GapRef
from slowpath.verdicts.gap_explanations.schemas import ExplanationOut, GapIn, make_explanation_out
from slowpath.verdicts.gap_explanations.service import gap_explanations

router = APIRouter(prefix="/api/v1", tags=["gap explanations"])

TraceId = Annotated[str, Path(max_length=64, description="up to 32 hexadecimal digits")]


@router.get(
    "/span-sets/{artifact_id}/traces/{trace_id}/gap-explanations",
    operation_id="gap-explanations:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def list_explanations(artifact_id: UUID, trace_id: TraceId, caller: MayRead, session: Reading) -> list[ExplanationOut]:
    """List the explanations of the gaps of one trace, by span and gap, at most 500."""
    rows = gap_explanations.list_explanations(session, ArtifactId(artifact_id), trace_id)
    return [make_explanation_out(row, gap_explanations.find_document(row)) for row in rows]


@router.post(
    "/span-sets/{artifact_id}/traces/{trace_id}/gap-explanations",
    operation_id="gap-explanations:create",
    status_code=202,
    responses=document_problems(NotFound, InvalidRequest, Unavailable),
)
def request_explanation(
    artifact_id: UUID, trace_id: TraceId, body: GapIn, caller: MayRead, session: Writing, blobs: Blobs
) -> ExplanationOut:
    """Explain a gap from execution traces of the same process and time.

    Repeated requests return the same explanation.
    """
    row, anew = gap_explanations.request_explanation(
        session, blobs, ArtifactId(artifact_id), GapRef(trace_id, body.span, body.gap)
    )
    if anew:
        record_audit_event(
            session, caller, "gap-explanation.created", "explanation", row.id, {"artifact_id": str(artifact_id)}
        )
    return make_explanation_out(row, gap_explanations.find_document(row))


@router.get(
    "/gap-explanations/{explanation_id}",
    operation_id="gap-explanations:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get(explanation_id: UUID, caller: MayRead, session: Reading) -> ExplanationOut:
    """Return one explanation."""
    row = gap_explanations.get_explanation(session, ExplanationId(explanation_id))
    return make_explanation_out(row, gap_explanations.find_document(row))
