"""Execution traces over HTTP."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Response
from fastapi.responses import StreamingResponse

from slowpath.accounts.access import MayRead
from slowpath.accounts.service import audit
from slowpath.core.errors import Conflict, NotFound, Refused, Unavailable
from slowpath.core.ids import ArtifactId, BlobKey, TraceCutId
from slowpath.traces.schemas import CutIn, CutOut, cut_out
from slowpath.traces.service import cutting, reading
from slowpath.web.downloads import attachment
from slowpath.web.own_answers import FREEZABLE
from slowpath.web.problems import problems
from slowpath.web.sessions import Blobs, Reading, Writing

router = APIRouter(prefix="/api/v1", tags=["traces"])

BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": BINARY}}}
COLUMNS: dict[int | str, dict[str, Any]] = {
    200: {"description": "slowcol, gzip", "content": {"application/octet-stream": BINARY}}
}
DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "slowpath.trace-comparison/1, one side only",
        "content": {"application/json": {"schema": {"type": "object", "additionalProperties": True}}},
    }
}
PACKED = {"Cache-Control": "private, max-age=3600, immutable", "Content-Encoding": "gzip"}
"""What was decoded from the same bytes never changes."""
Index = Annotated[int, Path(ge=0, le=2**31 - 1)]


@router.get(
    "/traces/{artifact_id}",
    operation_id="traces:get",
    openapi_extra=FREEZABLE,
    responses={**problems(NotFound, Unavailable), **DOCUMENT},
    response_class=Response,
)
def get(artifact_id: UUID, caller: MayRead, session: Reading, blobs: Blobs) -> Response:
    """Return what the page of one trace shows: delays, blame, GC, series and its worst waits."""
    row = reading.find(session, ArtifactId(artifact_id))
    return Response(blobs.read(BlobKey(row.page_key)), media_type="application/json", headers=PACKED)


@router.get(
    "/traces/{artifact_id}/waits/{index}/tiles/{level}/{number}",
    operation_id="traces:tile",
    openapi_extra=FREEZABLE,
    responses={**problems(NotFound, Unavailable), **COLUMNS},
    response_class=StreamingResponse,
)
def get_tile(
    artifact_id: UUID, index: Index, level: Index, number: Index, caller: MayRead, session: Reading, blobs: Blobs
) -> Response:
    """Return one tile of the timeline around a worst wait: what ran on each processor."""
    row = reading.find(session, ArtifactId(artifact_id))
    tile = reading.tile(row, blobs, index, level, number)
    return Response(tile, media_type="application/octet-stream", headers=PACKED)


@router.post(
    "/traces/{artifact_id}/cuts",
    operation_id="traces:ask-cut",
    status_code=202,
    responses=problems(NotFound, Refused),
)
def ask_cut(artifact_id: UUID, wanted: CutIn, caller: MayRead, session: Writing) -> CutOut:
    """Have a window cut out of a trace, as a file that Go's own tools open."""
    row = cutting.ask(session, ArtifactId(artifact_id), wanted.from_ns, wanted.to_ns)
    audit(session, caller, "trace-cut.created", "trace_cut", row.id, {"artifact_id": str(artifact_id)})
    return cut_out(row)


@router.get("/trace-cuts/{cut_id}", operation_id="traces:get-cut", responses=problems(NotFound))
def get_cut(cut_id: UUID, caller: MayRead, session: Reading) -> CutOut:
    """Return how far a piece is."""
    return cut_out(cutting.find(session, TraceCutId(cut_id)))


@router.get(
    "/trace-cuts/{cut_id}/content",
    operation_id="traces:cut-content",
    responses={**problems(NotFound, Conflict, Unavailable), **FILE},
    response_class=StreamingResponse,
)
def get_cut_content(cut_id: UUID, caller: MayRead, session: Reading, blobs: Blobs) -> Response:
    """Return the piece."""
    row = cutting.find(session, TraceCutId(cut_id))
    return attachment(blobs.stream(cutting.content_key(row)), row.file_name or "cut.trace")
