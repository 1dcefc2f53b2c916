"""Endpoint for OpenTelemetry exporters: `/v1/traces`, the path that they append to the configured endpoint."""

import re
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Header, Request, Response

from slowpath.core.errors import InvalidRequest, TooLarge, Unavailable
from slowpath.evidence.spans.errors import MalformedSpanPush
from slowpath.evidence.spans.rules import PushDialect
from slowpath.evidence.spans.service import span_ingest
from slowpath.platform.accounts.access import MaySend
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_bodies import WholeBody, whole_body
from slowpath.platform.http.request_dependencies import Writing

router = APIRouter(tags=["span sets"])

PROTOBUF, JSON = "application/x-protobuf", "application/json"
DIALECTS = {PROTOBUF: PushDialect.PROTOBUF, JSON: PushDialect.JSON}
MAX_PACKED_BYTES: Final = 2 << 20
STREAMED = re.compile(r"POST /v1/traces")
"""Requests whose body size is limited while reading."""
BODY: dict[str, Any] = {
    "requestBody": {
        "required": False,  # an empty body is a valid message
        "content": {
            PROTOBUF: {"schema": {"type": "string", "format": "binary"}},
            JSON: {"schema": {"type": "object", "additionalProperties": True}},
        },
    }
}


async def _body(request: Request, caller: MaySend) -> AsyncIterator[WholeBody]:
    async with whole_body(request, MAX_PACKED_BYTES, f"team:{caller.team_id}") as body:
        yield body


@router.post(
    "/v1/traces",
    operation_id="spans:receive-otlp",
    responses=document_problems(InvalidRequest, TooLarge, Unavailable),
    response_class=Response,
    openapi_extra=BODY,
)
def receive_otlp_spans(
    caller: MaySend,
    session: Writing,
    body: Annotated[WholeBody, Depends(_body)],
    content_type: Annotated[str, Header()] = PROTOBUF,
    content_encoding: Annotated[str, Header()] = "",
) -> Response:
    """Receive spans from an OTLP/HTTP exporter. Acknowledged spans are stored."""
    media_type = content_type.split(";")[0].strip().lower()
    dialect = DIALECTS.get(media_type)
    if dialect is None:
        raise MalformedSpanPush(
            f"The content type {media_type[:80]!r} is not supported.", remedy=f"Send {PROTOBUF} or {JSON}."
        )
    span_ingest.store_push(session, body.take(), content_encoding.strip().lower(), dialect)
    # An empty ExportTraceServiceResponse: all spans were accepted.
    return Response(b"{}" if dialect is PushDialect.JSON else b"", media_type=media_type)
