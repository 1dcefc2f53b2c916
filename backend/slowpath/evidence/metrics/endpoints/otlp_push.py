"""Endpoint for OpenTelemetry metrics: `/v1/metrics`, which exporters append to the configured endpoint."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import Deliver, IngestBatch
from slowpath.analysis.kinds.metrics.protocols.otlp_json import parts_of_json
from slowpath.analysis.kinds.metrics.protocols.otlp_metrics import read_metrics
from slowpath.analysis.kinds.metrics.protocols.otlp_protobuf import parts_of_wire
from slowpath.core.errors import TooLarge
from slowpath.evidence.metrics.endpoints.push_bodies import Body, Memory
from slowpath.evidence.metrics.errors import MetricPushPartiallyWritten, MetricPushRejected
from slowpath.evidence.metrics.service import push_decompression, sample_ingest
from slowpath.evidence.metrics.service.sample_writer import WriteResult
from slowpath.platform.accounts.access import MaySend
from slowpath.platform.http.openapi_description import BINARY
from slowpath.platform.http.problems import document_problems, problem_response
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf, Now, scope_of

router = APIRouter(tags=["metrics"])

PROTOBUF, JSON = "application/x-protobuf", "application/json"
BODY = {"schema": BINARY}
EXPORT_BODY = {"requestBody": {"required": True, "content": {PROTOBUF: BODY}}}
ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"description": "Written; rejected points are reported as partial success", "content": {PROTOBUF: BODY}},
    400: {"description": "Not written"},
    415: {"description": "Content type or encoding not supported"},
}
MAX_REASON_LENGTH = 2000
"""Maximum length of the reason."""


@router.post(
    "/v1/metrics",
    operation_id="metrics:receive-otlp",
    response_class=Response,
    responses={**document_problems(TooLarge), **ANSWER},
    openapi_extra=EXPORT_BODY,
)
def export(
    request: Request,
    caller: MaySend,
    body: Body,
    memory: Memory,
    database: DatabaseOf,
    clock: Now,
    settings: Configured,
) -> Response:
    """Receive metrics by OTLP/HTTP as protobuf or JSON, uncompressed or gzip."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if kind not in {PROTOBUF, JSON} or encoding not in {"gzip", "identity", ""}:
        return _unsupported(request)
    try:
        plain = push_decompression.decompress_gzip(body.take()) if encoding == "gzip" else body.take()
        parts = parts_of_json if kind == JSON else parts_of_wire

        def read(known: Mapping[bytes, int], deliver: Deliver) -> IngestBatch:
            return push_decompression.parse_body(lambda: read_metrics(parts(plain), known, deliver))

        now_ms = int(clock.now().timestamp() * 1000)
        with memory.of(caller.team_id) as team, database.writing(scope_of(request)) as session:
            taken = sample_ingest.ingest_samples(
                session, team, "otlp", read, now_ms=now_ms, most_series=settings.max_series
            )
    except MetricPushRejected as error:
        return problem_response(request, 400, error.facts())
    return _answer(taken, as_json=kind == JSON)


def _answer(taken: WriteResult, *, as_json: bool) -> Response:
    """Return the OTLP response: empty if all is written, or else the number of rejected points and the reason."""
    if not taken.faults:
        return JSONResponse({}) if as_json else Response(b"", media_type=PROTOBUF)
    rejected = sum(taken.faults.counts.values())
    why = MetricPushPartiallyWritten.of(taken.faults, taken.samples + taken.histograms).detail[:MAX_REASON_LENGTH]
    if as_json:
        return JSONResponse({"partialSuccess": {"rejectedDataPoints": str(rejected), "errorMessage": why}})
    message = why.encode()
    partial = b"\x08" + _varint(rejected) + b"\x12" + _varint(len(message)) + message
    return Response(b"\x0a" + _varint(len(partial)) + partial, media_type=PROTOBUF)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _unsupported(request: Request) -> Response:
    members = {
        "type": "urn:slowpath:push-not-understood",
        "title": "Content type or encoding not supported",
        "detail": f"Send metrics as {PROTOBUF} or {JSON}, uncompressed or gzip.",
        "resolution": "Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf.",
    }
    return problem_response(request, 415, members)
