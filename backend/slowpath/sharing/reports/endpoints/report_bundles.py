"""HTTP endpoints that return reports as one body: for the page, as a preview of sharing, and as a file."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse

from slowpath.core.errors import Conflict, NotFound, Unavailable
from slowpath.core.ids import ReportId
from slowpath.core.ports import BlobStore
from slowpath.core.settings import Settings
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.downloads import make_attachment_response
from slowpath.platform.http.openapi_description import BINARY, OCTETS
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Configured, DatabaseOf, scope_of
from slowpath.sharing.reports.rules import MAX_VERSIONS, ScrubOptions
from slowpath.sharing.reports.schemas import ScrubSummaryOut
from slowpath.sharing.reports.service import html_export, report_bundles
from slowpath.sharing.reports.service.report_bundles import ReportContent

router = APIRouter(tags=["reports"])

RECORDING: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "u32 length of a JSON header, the header (slowpath.recording/1), the answers' bytes; gzip",
        "content": {OCTETS: {"schema": BINARY}},
    }
}
DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {"description": "One HTML file that works offline", "content": {"text/html": {"schema": {"type": "string"}}}}
}
PACKED = {"Content-Encoding": "gzip", "Cache-Control": "no-store"}
Version = Annotated[int | None, Query(ge=1, le=MAX_VERSIONS, description="missing: the draft")]


def _scrub_of_query(labels: bool = True, paths: bool = True, hosts: bool = True, users: bool = True) -> ScrubOptions:
    return ScrubOptions(labels, paths, hosts, users)


ScrubQuery = Annotated[ScrubOptions, Depends(_scrub_of_query)]
"""Which data scrubbing removes: everything that is not listed as included."""


def _shown(request: Request, database: DatabaseOf, report_id: UUID, version: int | None) -> ReportContent:
    with database.reading(scope_of(request)) as session:
        return report_bundles.get_report_content(session, ReportId(report_id), version)


def _packed(found: ReportContent, blobs: BlobStore, settings: Settings, scrub: ScrubOptions) -> Iterator[bytes]:
    """Return the gzipped report bundle; it is complete before the first byte is sent."""
    with ExitStack() as stack:
        file = stack.enter_context(report_bundles.open_report_bundle(found, blobs, scrub, settings.scratch_dir))
        resources = stack.pop_all()

    def pieces() -> Iterator[bytes]:
        with resources:
            yield from report_bundles.chunks(file)

    return pieces()


@router.get(
    "/reports/{report_id}/bundle",
    operation_id="reports:bundle",
    responses={**document_problems(NotFound, Unavailable), **RECORDING},
    response_class=StreamingResponse,
)
def get_report_bundle(
    report_id: UUID,
    request: Request,
    caller: MayRead,
    database: DatabaseOf,
    blobs: Blobs,
    settings: Configured,
    version: Version = None,
) -> Response:
    """Return the draft or one version with all responses, as the team sees it."""
    found = _shown(request, database, report_id, version)
    nothing = ScrubOptions(labels=False, paths=False, hosts=False, users=False)
    return StreamingResponse(_packed(found, blobs, settings, nothing), media_type=OCTETS, headers=PACKED)


@router.get(
    "/reports/{report_id}/preview",
    operation_id="reports:preview",
    responses={**document_problems(NotFound, Unavailable), **RECORDING},
    response_class=StreamingResponse,
)
def get_preview(
    report_id: UUID,
    request: Request,
    caller: MayRead,
    database: DatabaseOf,
    blobs: Blobs,
    settings: Configured,
    scrub: ScrubQuery,
    version: Version = None,
) -> Response:
    """Return the report bundle as visitors of a share link would see it."""
    found = _shown(request, database, report_id, version)
    return StreamingResponse(_packed(found, blobs, settings, scrub), media_type=OCTETS, headers=PACKED)


@router.get(
    "/reports/{report_id}/scrub-summary",
    operation_id="reports:scrub-summary",
    responses=document_problems(NotFound, Unavailable),
)
def get_scrub_summary(
    report_id: UUID,
    request: Request,
    caller: MayRead,
    database: DatabaseOf,
    blobs: Blobs,
    scrub: ScrubQuery,
    version: Version = None,
) -> ScrubSummaryOut:
    """Return how much scrubbing would remove, with examples."""
    found = _shown(request, database, report_id, version)
    return ScrubSummaryOut.of(report_bundles.summarize_scrubbed(found, blobs, scrub))


@router.get(
    "/reports/{report_id}/export.html",
    operation_id="reports:export",
    responses={**document_problems(NotFound, Conflict, Unavailable), **DOCUMENT},
    response_class=StreamingResponse,
)
def export_report(
    report_id: UUID,
    request: Request,
    caller: MayRead,
    database: DatabaseOf,
    blobs: Blobs,
    settings: Configured,
    scrub: ScrubQuery,
    version: Version = None,
) -> Response:
    """Return the report as one HTML file."""
    found = _shown(request, database, report_id, version)
    script, style = html_export.viewer(settings.frontend_dist)
    with database.writing(scope_of(request)) as session:
        facts = {"title": found.header["title"], "version": version, "scrubbed": scrub.any()}
        record_audit_event(session, caller, "report.exported", "report", report_id, facts)
    pieces = html_export.document(
        report_bundles.title_shown(found, blobs, scrub), script, style, _packed(found, blobs, settings, scrub)
    )
    return make_attachment_response(
        pieces, html_export.file_name(found.header["number"]), media_type="text/html; charset=utf-8"
    )
