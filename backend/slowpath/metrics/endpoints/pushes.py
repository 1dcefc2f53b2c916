"""Metrics in over HTTP: Prometheus remote write, OpenTelemetry."""

import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from slowpath.accounts.access import MayUpload
from slowpath.analysis.metrics.remote_write import read_v1, read_v2
from slowpath.core.errors import TooLarge
from slowpath.metrics.errors import PartlyWritten, WriteRefused
from slowpath.metrics.rules import MAX_PACKED_BYTES
from slowpath.metrics.service import receiving, unpacking
from slowpath.metrics.service.memory import SeriesMemory
from slowpath.metrics.service.receiving import Protocol, Read
from slowpath.metrics.service.writing import Taken
from slowpath.web.bodies import counted, refuse_declared
from slowpath.web.problems import problem_response, problems
from slowpath.web.sessions import Configured, DatabaseOf, Now, scope_of

STREAMED = re.compile(r"POST /api/v1/metrics/write")
"""The requests whose bodies may be large; each is bounded where it is read."""

router = APIRouter(prefix="/api/v1", tags=["metrics"])

V1, V2 = "prometheus.WriteRequest", "io.prometheus.write.v2.Request"
WRITTEN = "X-Prometheus-Remote-Write-{}-Written"
REMOTE_WRITE_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/x-protobuf": {"schema": {"type": "string", "format": "binary"}}},
    }
}


async def body_of(request: Request, _caller: MayUpload) -> bytes:
    """Return the body as it came, bounded."""
    refuse_declared(request, MAX_PACKED_BYTES)
    return b"".join([chunk async for chunk in counted(request, MAX_PACKED_BYTES)])


def memory_of(request: Request) -> SeriesMemory:
    """Return what this process remembers of series."""
    found = request.app.state.series_memory
    assert isinstance(found, SeriesMemory)
    return found


Body = Annotated[bytes, Depends(body_of)]
Memory = Annotated[SeriesMemory, Depends(memory_of)]


@router.post(
    "/metrics/write",
    operation_id="metrics:write",
    status_code=204,
    response_class=Response,
    responses={
        **problems(TooLarge),
        400: {"description": "Partly or not written"},
        415: {"description": "Not understood"},
    },
    openapi_extra=REMOTE_WRITE_BODY,
)
def write(
    request: Request,
    caller: MayUpload,
    body: Body,
    memory: Memory,
    database: DatabaseOf,
    clock: Now,
    settings: Configured,
) -> Response:
    """Receive samples by Prometheus remote write, 1 or 2: snappy-compressed protobuf. 204 when all of it is written."""
    protocol = _protocol(request)
    encoding = request.headers.get("content-encoding", "snappy").strip().lower()
    if protocol is None or encoding != "snappy":
        return _not_understood(request)
    try:
        plain = unpacking.unsnapped(body)
        reader = read_v1 if protocol == "remote-write-1" else read_v2
        read: Read = lambda known: unpacking.parsed(reader, plain, known)  # noqa: E731 - it closes over the body
        now_ms = int(clock.now().timestamp() * 1000)
        with memory.of(caller.team_id) as team, database.writing(scope_of(request)) as session:
            taken = receiving.take(session, team, protocol, read, now_ms=now_ms, most_series=settings.max_series)
    except WriteRefused as error:
        return _written(problem_response(request, 400, error.facts()), None)
    if taken.faults:
        return _written(problem_response(request, 400, faults_of(taken).facts()), taken)
    return _written(Response(status_code=204), taken)


def _protocol(request: Request) -> Protocol | None:
    """Return which remote write this is; without a word of it, version 1."""
    kind, *parameters = (part.strip() for part in request.headers.get("content-type", "").split(";"))
    if kind.lower() not in {"application/x-protobuf", ""}:
        return None
    said = [part.partition("=")[2].strip('" ') for part in parameters if part.lower().startswith("proto")]
    known: dict[str, Protocol] = {V1: "remote-write-1", V2: "remote-write-2"}
    return known.get(said[0]) if said else "remote-write-1"


def _not_understood(request: Request) -> Response:
    members = {
        "type": "urn:slowpath:push-not-understood",
        "title": "Not understood",
        "detail": "This is not remote write: Content-Type must be application/x-protobuf (with ;proto="
        f"{V2} for version 2), Content-Encoding must be snappy.",
        "remedy": "Point Prometheus's remote_write here; OpenTelemetry goes to POST /v1/metrics.",
    }
    return problem_response(request, 415, members)


def faults_of(taken: Taken) -> PartlyWritten:
    """Return the error that names what was refused."""
    told = "; ".join(
        f"{count} × {slug}: {taken.faults.details[slug][0]}" for slug, count in list(taken.faults.counts.items())[:5]
    )
    return PartlyWritten(
        f"{sum(taken.faults.counts.values())} refused, {taken.samples + taken.histograms} written. {told}",
        remedy="What is named here is refused again when it is sent again; the rest is written.",
    )


def _written(response: Response, taken: Taken | None) -> Response:
    """Say how much is written, as remote write 2 wants it: also when nothing is."""
    counts: dict[str, Any] = {
        "Samples": taken.samples if taken else 0,
        "Histograms": taken.histograms if taken else 0,
        "Exemplars": taken.exemplars if taken else 0,
    }
    for what, count in counts.items():
        response.headers[WRITTEN.format(what)] = str(count)
    return response
