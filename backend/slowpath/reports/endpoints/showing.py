"""Reports as one body: for the page, as others would see them, and as one file to take away."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse

from slowpath.accounts.access import MayRead
from slowpath.accounts.service import audit
from slowpath.core.errors import Conflict, NotFound, Unavailable
from slowpath.core.ids import ReportId
from slowpath.core.ports import BlobStore
from slowpath.core.settings import Settings
from slowpath.reports.rules import MAX_VERSIONS, Scrub
from slowpath.reports.schemas import ScrubbedOut
from slowpath.reports.service import exporting, packing
from slowpath.reports.service.packing import Shown
from slowpath.web.downloads import attachment
from slowpath.web.problems import problems
from slowpath.web.sessions import Blobs, Configured, DatabaseOf, scope_of

router = APIRouter(tags=["reports"])

BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
RECORDING: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "u32 length of a JSON header, the header (slowpath.recording/1), the answers' bytes; gzip",
        "content": {"application/octet-stream": BINARY},
    }
}
DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {"description": "One HTML file that opens offline", "content": {"text/html": {"schema": {"type": "string"}}}}
}
PACKED = {"Content-Encoding": "gzip", "Cache-Control": "no-store"}
OCTETS = "application/octet-stream"
Version = Annotated[int | None, Query(ge=1, le=MAX_VERSIONS, description="left out: the draft")]


def _scrub_of_query(labels: bool = True, paths: bool = True, hosts: bool = True, people: bool = True) -> Scrub:
    return Scrub(labels, paths, hosts, people)


ScrubAsked = Annotated[Scrub, Depends(_scrub_of_query)]
"""What is to be taken out: everything that is not said to stay."""


def _shown(request: Request, database: DatabaseOf, report_id: UUID, version: int | None) -> Shown:
    with database.reading(scope_of(request)) as session:
        return packing.shown(session, ReportId(report_id), version)


def _packed(found: Shown, blobs: BlobStore, settings: Settings, scrub: Scrub) -> Iterator[bytes]:
    """Return the gzipped recording; it is whole before the first piece of it leaves."""
    with ExitStack() as stack:
        file = stack.enter_context(packing.packed(found, blobs, scrub, settings.scratch_dir))
        kept = stack.pop_all()

    def pieces() -> Iterator[bytes]:
        with kept:
            yield from packing.chunks(file)

    return pieces()


@router.get(
    "/reports/{report_id}/recording",
    operation_id="reports:recording",
    responses={**problems(NotFound, Unavailable), **RECORDING},
    response_class=StreamingResponse,
)
def get_recording(
    report_id: UUID,
    request: Request,
    caller: MayRead,
    database: DatabaseOf,
    blobs: Blobs,
    settings: Configured,
    version: Version = None,
) -> Response:
    """Return the draft or one version with all answers, as the team sees it."""
    found = _shown(request, database, report_id, version)
    nothing = Scrub(labels=False, paths=False, hosts=False, people=False)
    return StreamingResponse(_packed(found, blobs, settings, nothing), media_type=OCTETS, headers=PACKED)


@router.get(
    "/reports/{report_id}/preview",
    operation_id="reports:preview",
    responses={**problems(NotFound, Unavailable), **RECORDING},
    response_class=StreamingResponse,
)
def get_preview(
    report_id: UUID,
    request: Request,
    caller: MayRead,
    database: DatabaseOf,
    blobs: Blobs,
    settings: Configured,
    scrub: ScrubAsked,
    version: Version = None,
) -> Response:
    """Return the recording as it would be seen by whoever has a link."""
    found = _shown(request, database, report_id, version)
    return StreamingResponse(_packed(found, blobs, settings, scrub), media_type=OCTETS, headers=PACKED)


@router.get("/reports/{report_id}/scrubbed", operation_id="reports:scrubbed", responses=problems(NotFound, Unavailable))
def get_scrubbed(
    report_id: UUID,
    request: Request,
    caller: MayRead,
    database: DatabaseOf,
    blobs: Blobs,
    scrub: ScrubAsked,
    version: Version = None,
) -> ScrubbedOut:
    """Return how much would be taken out, with some of it."""
    found = _shown(request, database, report_id, version)
    return ScrubbedOut.of(packing.taken_out(found, blobs, scrub))


@router.get(
    "/reports/{report_id}/export.html",
    operation_id="reports:export",
    responses={**problems(NotFound, Conflict, Unavailable), **DOCUMENT},
    response_class=StreamingResponse,
)
def export_report(
    report_id: UUID,
    request: Request,
    caller: MayRead,
    database: DatabaseOf,
    blobs: Blobs,
    settings: Configured,
    scrub: ScrubAsked,
    version: Version = None,
) -> Response:
    """Return the report as one HTML file."""
    found = _shown(request, database, report_id, version)
    script, style = exporting.viewer(settings.frontend_dist)
    with database.writing(scope_of(request)) as session:
        facts = {"title": found.said["title"], "version": version, "scrubbed": scrub.any()}
        audit(session, caller, "report.exported", "report", report_id, facts)
    pieces = exporting.document(
        packing.title_shown(found, blobs, scrub), script, style, _packed(found, blobs, settings, scrub)
    )
    return attachment(pieces, exporting.file_name(found.said["number"]), media_type="text/html; charset=utf-8")
