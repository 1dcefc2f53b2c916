"""HTTP endpoints for visitors of share links. They need no sign-in and ignore cookies and teams."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse

from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.errors import Conflict, Gone, LimitExceeded, NotFound, Unavailable
from slowpath.core.ports import RateLimiter
from slowpath.platform.accounts.access import Anyone, Throttled, client_address
from slowpath.platform.accounts.rules.request_origin import rate_limit_key
from slowpath.platform.http.downloads import make_attachment_response
from slowpath.platform.http.openapi_description import OCTETS
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Configured, DatabaseOf, Now
from slowpath.sharing.reports.endpoints.report_bundles import DOCUMENT, PACKED, RECORDING
from slowpath.sharing.reports.rules import SHARED_BY_ADDRESS, ScrubOptions
from slowpath.sharing.reports.service import html_export, report_bundles, share_links
from slowpath.sharing.reports.service.report_bundles import ReportContent

router = APIRouter(tags=["shared"])

Secret = Annotated[str, Path(max_length=100)]


def _opened(
    request: Request, secret: str, database: Database, throttle: RateLimiter, clock: Now
) -> tuple[ReportContent, ScrubOptions]:
    """Find the share link of a secret, and count the visit."""
    times, seconds = SHARED_BY_ADDRESS
    if not throttle.hit(f"shared:{rate_limit_key(client_address(request))}", times=times, seconds=seconds):
        raise LimitExceeded(
            "Too many share links were opened from this IP address.",
            limit=times,
            unit=f"requests in {seconds} s",
            remedy="Wait a minute.",
        )
    now = clock.now()
    opened = share_links.resolve_share_link(database, secret, now)
    with database.writing(TeamScope(opened.team_id)) as session:
        link = share_links.record_link_view(session, opened, now)
        return report_bundles.get_shared_content(session, link), report_bundles.get_scrub_options(link)


@router.get(
    "/shared/{secret}",
    operation_id="shared:get",
    responses={**document_problems(NotFound, Gone, LimitExceeded, Unavailable), **RECORDING},
    response_class=StreamingResponse,
)
def get_shared(
    _anyone: Anyone,
    request: Request,
    secret: Secret,
    database: DatabaseOf,
    throttle: Throttled,
    blobs: Blobs,
    settings: Configured,
    clock: Now,
) -> Response:
    """Return the report bundle of a share link."""
    found, scrub = _opened(request, secret, database, throttle, clock)
    content = report_bundles.get_shared_bundle(found, blobs, scrub, settings.scratch_dir)
    return StreamingResponse(content, media_type=OCTETS, headers=PACKED)


@router.get(
    "/shared/{secret}/export.html",
    operation_id="shared:export",
    responses={**document_problems(NotFound, Gone, Conflict, LimitExceeded, Unavailable), **DOCUMENT},
    response_class=StreamingResponse,
)
def export_shared(
    _anyone: Anyone,
    request: Request,
    secret: Secret,
    database: DatabaseOf,
    throttle: Throttled,
    blobs: Blobs,
    settings: Configured,
    clock: Now,
) -> Response:
    """Return the report of a share link as one HTML file."""
    found, scrub = _opened(request, secret, database, throttle, clock)
    script, style = html_export.viewer(settings.frontend_dist)
    content: Iterator[bytes] = report_bundles.get_shared_bundle(found, blobs, scrub, settings.scratch_dir)
    pieces = html_export.document(report_bundles.title_shown(found, blobs, scrub), script, style, content)
    return make_attachment_response(
        pieces, html_export.file_name(found.header["number"]), media_type="text/html; charset=utf-8"
    )
