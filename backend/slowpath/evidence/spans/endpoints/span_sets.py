"""HTTP endpoints of span sets and single traces."""

import gzip
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.spans.spans_page_document import SpansPage
from slowpath.analysis.kinds.spans.trace_index import TraceListQuery
from slowpath.analysis.kinds.spans.waterfall_document import TraceWaterfall
from slowpath.core.errors import InvalidRequest, NotFound, Unavailable
from slowpath.core.ids import ArtifactId, BlobKey, EnvironmentId
from slowpath.evidence.spans.schemas import SpanSetOut, TraceListItemOut, TraceListOut, TraceListParams
from slowpath.evidence.spans.service import span_sets
from slowpath.inventory.catalog.schemas.catalog_entries import When
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Reading

router = APIRouter(prefix="/api/v1", tags=["span sets"])

MOST_SETS = 200
PAGE: dict[int | str, dict[str, Any]] = {200: {"description": "One side only", "model": SpansPage}}
TRACE: dict[int | str, dict[str, Any]] = {200: {"description": "One trace", "model": TraceWaterfall}}
PACKED = {"Cache-Control": "private, max-age=3600, immutable", "Content-Encoding": "gzip"}
"""The decoded data of an artifact never changes."""
GZIP_LEVEL = 1
"""Level for data compressed during a request."""
TraceId = Annotated[str, Path(max_length=64, description="up to 32 hexadecimal digits")]


@router.get(
    "/span-sets", operation_id="span-sets:list", openapi_extra=FREEZABLE, responses=document_problems(InvalidRequest)
)
def list_sets(
    caller: MayRead,
    session: Reading,
    environment_id: UUID,
    start: Annotated[When, Query(alias="from")],
    end: Annotated[When, Query(alias="to")],
) -> list[SpanSetOut]:
    """List the span sets of an environment that overlap a time range, newest first, at most 200."""
    rows = span_sets.between(session, EnvironmentId(environment_id), start, end, MOST_SETS)
    return [SpanSetOut.model_validate(row) for row in rows]


@router.get(
    "/span-sets/{artifact_id}",
    operation_id="span-sets:get",
    openapi_extra=FREEZABLE,
    responses={**document_problems(NotFound, Unavailable), **PAGE},
    response_class=Response,
)
def get_set(artifact_id: UUID, caller: MayRead, session: Reading, blobs: Blobs) -> Response:
    """Return the page of one span set: service calls, gaps, critical paths, slowest traces."""
    row = span_sets.get_span_set(session, ArtifactId(artifact_id))
    return Response(blobs.read(BlobKey(row.page_key)), media_type="application/json", headers=PACKED)


@router.get(
    "/span-sets/{artifact_id}/traces",
    operation_id="span-sets:traces",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest, Unavailable),
)
def list_traces(
    artifact_id: UUID, params: Annotated[TraceListParams, Query()], caller: MayRead, session: Reading, blobs: Blobs
) -> TraceListOut:
    """List the traces of a span set by offset; a span set never changes."""
    index = span_sets.traces(span_sets.get_span_set(session, ArtifactId(artifact_id)), blobs)
    asked = TraceListQuery(params.order, params.reverse, params.search, params.errors)
    rows, total = index.page(asked, params.limit, params.offset)
    return TraceListOut(items=[TraceListItemOut.model_validate(row) for row in rows], total=total)


@router.get(
    "/span-sets/{artifact_id}/traces/{trace_id}",
    operation_id="span-sets:trace",
    openapi_extra=FREEZABLE,
    responses={**document_problems(NotFound, InvalidRequest, Unavailable), **TRACE},
    response_class=Response,
)
def get_trace(artifact_id: UUID, trace_id: TraceId, caller: MayRead, session: Reading, blobs: Blobs) -> Response:
    """Return one trace: its ordered spans, their gaps, and the critical path."""
    found = span_sets.trace(span_sets.get_span_set(session, ArtifactId(artifact_id)), blobs, trace_id)
    # A trace of 20,000 spans is 14 MB of repetitive text.
    packed = gzip.compress(dump_document(found).encode(), GZIP_LEVEL, mtime=0)
    return Response(packed, media_type="application/json", headers=PACKED)
