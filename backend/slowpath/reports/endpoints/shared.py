"""What whoever has a link sees. Nobody needs to be signed in, and no cookie or team is looked at."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse

from slowpath.accounts.access import Anyone, Throttled, client_address
from slowpath.accounts.rules.origins import address_key
from slowpath.core.errors import Conflict, Gone, NotFound, TooMany, Unavailable
from slowpath.core.ports import Throttle
from slowpath.core.sessions import Database, Scope
from slowpath.reports.endpoints.showing import DOCUMENT, OCTETS, PACKED, RECORDING
from slowpath.reports.rules import SHARED_BY_ADDRESS, Scrub
from slowpath.reports.service import exporting, packing, sharing
from slowpath.reports.service.packing import Shown
from slowpath.web.downloads import attachment
from slowpath.web.problems import problems
from slowpath.web.sessions import Blobs, Configured, DatabaseOf, Now

router = APIRouter(tags=["shared"])

Secret = Annotated[str, Path(max_length=100)]


def _opened(request: Request, secret: str, database: Database, throttle: Throttle, clock: Now) -> tuple[Shown, Scrub]:
    """Find what a secret leads to, and count that it was opened."""
    times, seconds = SHARED_BY_ADDRESS
    if not throttle.hit(f"shared:{address_key(client_address(request))}", times=times, seconds=seconds):
        raise TooMany(
            "Links were opened too often from this address.",
            limit=times,
            unit=f"times in {seconds} s",
            remedy="Wait a minute.",
        )
    now = clock.now()
    opened = sharing.open_link(database, secret, now)
    with database.writing(Scope(opened.team_id)) as session:
        link = sharing.count_view(session, opened, now)
        return packing.shown_by(session, link), packing.scrub_of(link)


@router.get(
    "/shared/{secret}",
    operation_id="shared:get",
    responses={**problems(NotFound, Gone, TooMany, Unavailable), **RECORDING},
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
    """Return the recording that a link shows."""
    found, scrub = _opened(request, secret, database, throttle, clock)
    content = packing.shared(found, blobs, scrub, settings.scratch_dir)
    return StreamingResponse(content, media_type=OCTETS, headers=PACKED)


@router.get(
    "/shared/{secret}/export.html",
    operation_id="shared:export",
    responses={**problems(NotFound, Gone, Conflict, TooMany, Unavailable), **DOCUMENT},
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
    """Return what a link shows as one HTML file."""
    found, scrub = _opened(request, secret, database, throttle, clock)
    script, style = exporting.viewer(settings.frontend_dist)
    content: Iterator[bytes] = packing.shared(found, blobs, scrub, settings.scratch_dir)
    pieces = exporting.document(packing.title_shown(found, blobs, scrub), script, style, content)
    return attachment(pieces, exporting.file_name(found.said["number"]), media_type="text/html; charset=utf-8")
