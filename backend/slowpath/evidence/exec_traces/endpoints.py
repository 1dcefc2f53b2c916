"""HTTP endpoints of execution traces and their excerpts."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Response
from fastapi.responses import StreamingResponse

from slowpath.analysis.comparison.page_versions import upgrade_packed_page
from slowpath.analysis.kinds.exec_traces.timeline_tiles import TimelineTileHeader
from slowpath.analysis.kinds.exec_traces.trace_page_document import TracePage
from slowpath.core.errors import Conflict, InvalidRequest, NotFound, Unavailable
from slowpath.core.ids import ArtifactId, BlobKey, TraceCutId
from slowpath.evidence.exec_traces.schemas import ExcerptIn, ExcerptOut, make_excerpt_out
from slowpath.evidence.exec_traces.service import execution_traces, trace_excerpts
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.downloads import make_attachment_response
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.openapi_description import FILE, OCTETS, document_columns
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Reading, Writing

router = APIRouter(prefix="/api/v1", tags=["execution traces"])

DOCUMENT: dict[int | str, dict[str, Any]] = {200: {"description": "One side only", "model": TracePage}}
PACKED = {"Cache-Control": "private, max-age=3600, immutable", "Content-Encoding": "gzip"}
"""The decoded data of an artifact never changes."""
Index = Annotated[int, Path(ge=0, le=2**31 - 1)]


@router.get(
    "/execution-traces/{artifact_id}",
    operation_id="execution-traces:get",
    openapi_extra=FREEZABLE,
    responses={**document_problems(NotFound, Unavailable), **DOCUMENT},
    response_class=Response,
)
def get_trace_page(artifact_id: UUID, caller: MayRead, session: Reading, blobs: Blobs) -> Response:
    """Return the page of one trace: scheduler latency, P occupancy, GC, series and longest waits."""
    row = execution_traces.get_execution_trace(session, ArtifactId(artifact_id))
    page = upgrade_packed_page(blobs.read(BlobKey(row.page_key)))
    return Response(page, media_type="application/json", headers=PACKED)


@router.get(
    "/execution-traces/{artifact_id}/waits/{index}/tiles/{level}/{number}",
    operation_id="execution-traces:tile",
    openapi_extra=FREEZABLE,
    responses={**document_problems(NotFound, Unavailable), **document_columns(TimelineTileHeader)},
    response_class=StreamingResponse,
)
def get_tile(
    artifact_id: UUID, index: Index, level: Index, number: Index, caller: MayRead, session: Reading, blobs: Blobs
) -> Response:
    """Return one tile of the timeline around a longest wait: what ran on each P."""
    row = execution_traces.get_execution_trace(session, ArtifactId(artifact_id))
    tile = execution_traces.tile(row, blobs, index, level, number)
    return Response(tile, media_type=OCTETS, headers=PACKED)


@router.post(
    "/execution-traces/{artifact_id}/excerpts",
    operation_id="trace-excerpts:create",
    status_code=202,
    responses=document_problems(NotFound, InvalidRequest),
)
def create_excerpt(artifact_id: UUID, body: ExcerptIn, caller: MayRead, session: Writing) -> ExcerptOut:
    """Create an excerpt of a trace around a time range. `go tool trace` opens it."""
    row = trace_excerpts.create_excerpt(session, ArtifactId(artifact_id), body.from_ns, body.to_ns)
    record_audit_event(
        session, caller, "trace-excerpt.created", "trace_excerpt", row.id, {"artifact_id": str(artifact_id)}
    )
    return make_excerpt_out(row)


@router.get("/trace-excerpts/{excerpt_id}", operation_id="trace-excerpts:get", responses=document_problems(NotFound))
def get_excerpt(excerpt_id: UUID, caller: MayRead, session: Reading) -> ExcerptOut:
    """Return an excerpt and its state."""
    return make_excerpt_out(trace_excerpts.get_excerpt(session, TraceCutId(excerpt_id)))


@router.get(
    "/trace-excerpts/{excerpt_id}/content",
    operation_id="trace-excerpts:content",
    responses={**document_problems(NotFound, Conflict, Unavailable), **FILE},
    response_class=StreamingResponse,
)
def get_excerpt_content(excerpt_id: UUID, caller: MayRead, session: Reading, blobs: Blobs) -> Response:
    """Download the excerpt."""
    row = trace_excerpts.get_excerpt(session, TraceCutId(excerpt_id))
    return make_attachment_response(blobs.stream(trace_excerpts.content_key(row)), row.file_name or "cut.trace")
