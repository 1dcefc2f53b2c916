"""HTTP endpoint of Prometheus remote write."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import Deliver, IngestBatch
from slowpath.analysis.kinds.metrics.protocols.remote_write_2 import read_v2
from slowpath.analysis.kinds.metrics.protocols.remote_write_parser import read_v1
from slowpath.core.errors import TooLarge
from slowpath.evidence.metrics.endpoints.push_bodies import Body, Memory
from slowpath.evidence.metrics.errors import MetricPushPartiallyWritten, MetricPushRejected
from slowpath.evidence.metrics.service import push_decompression, sample_ingest
from slowpath.evidence.metrics.service.sample_ingest import Protocol
from slowpath.evidence.metrics.service.sample_writer import WriteResult
from slowpath.platform.accounts.access import MaySend
from slowpath.platform.http.openapi_description import BINARY
from slowpath.platform.http.problems import PROBLEM_SCHEMA, document_problems, problem_response
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf, Now, scope_of

router = APIRouter(prefix="/api/v1", tags=["metrics"])

PROBLEM = {"application/problem+json": {"schema": PROBLEM_SCHEMA}}
V1, V2 = "prometheus.WriteRequest", "io.prometheus.write.v2.Request"
WRITTEN = "X-Prometheus-Remote-Write-{}-Written"
REMOTE_WRITE_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/x-protobuf": {"schema": BINARY}},
    }
}


@router.post(
    "/metrics/write",
    operation_id="metrics:receive-remote-write",
    status_code=204,
    response_class=Response,
    responses={
        **document_problems(TooLarge),
        400: {"description": "Partially or not written", "content": PROBLEM},
        415: {"description": "Content type or encoding not supported", "content": PROBLEM},
    },
    openapi_extra=REMOTE_WRITE_BODY,
)
def write(
    request: Request,
    caller: MaySend,
    body: Body,
    memory: Memory,
    database: DatabaseOf,
    clock: Now,
    settings: Configured,
) -> Response:
    """Receive samples by Prometheus remote write 1 or 2: snappy-compressed protobuf. Returns 204 if all are written."""
    protocol = _protocol(request)
    encoding = request.headers.get("content-encoding", "snappy").strip().lower()
    if protocol is None or encoding != "snappy":
        return _unsupported(request)
    try:
        plain = push_decompression.decompress_snappy(body.take())
        reader = read_v1 if protocol == "remote-write-1" else read_v2

        def read(known: Mapping[bytes, int], deliver: Deliver) -> IngestBatch:
            return push_decompression.parse_body(lambda: reader(plain, known, deliver))

        now_ms = int(clock.now().timestamp() * 1000)
        with memory.of(caller.team_id) as team, database.writing(scope_of(request)) as session:
            taken = sample_ingest.ingest_samples(
                session, team, protocol, read, now_ms=now_ms, most_series=settings.max_series
            )
    except MetricPushRejected as error:
        return _written(problem_response(request, 400, error.facts()), None)
    if taken.faults:
        return _written(
            problem_response(
                request, 400, MetricPushPartiallyWritten.of(taken.faults, taken.samples + taken.histograms).facts()
            ),
            taken,
        )
    return _written(Response(status_code=204), taken)


def _protocol(request: Request) -> Protocol | None:
    """Return the version of remote write; 1 if the header does not contain it."""
    kind, *parameters = (part.strip() for part in request.headers.get("content-type", "").split(";"))
    if kind.lower() not in {"application/x-protobuf", ""}:
        return None
    versions = [part.partition("=")[2].strip('" ') for part in parameters if part.lower().startswith("proto")]
    known: dict[str, Protocol] = {V1: "remote-write-1", V2: "remote-write-2"}
    return known.get(versions[0]) if versions else "remote-write-1"


def _unsupported(request: Request) -> Response:
    members = {
        "type": "urn:slowpath:push-not-understood",
        "title": "Content type or encoding not supported",
        "detail": "This is not remote write: Content-Type must be application/x-protobuf (with ;proto="
        f"{V2} for version 2), Content-Encoding must be snappy.",
        "resolution": "Use this URL as remote_write of Prometheus. Send OpenTelemetry metrics to POST /v1/metrics.",
    }
    return problem_response(request, 415, members)


def _written(response: Response, taken: WriteResult | None) -> Response:
    """Add the headers of remote write 2 with the written counts, also if they are zero."""
    counts: dict[str, Any] = {
        "Samples": taken.samples if taken else 0,
        "Histograms": taken.histograms if taken else 0,
        "Exemplars": taken.exemplars if taken else 0,
    }
    for what, count in counts.items():
        response.headers[WRITTEN.format(what)] = str(count)
    return response
