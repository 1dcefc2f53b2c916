"""HTTP endpoints of embedded panels; those below `/embed` need no sign-in and ignore cookies."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from slowpath.analysis.kinds.metrics.panels.panel_picture import Theme
from slowpath.core.errors import Gone, InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import EmbeddedPanelId, EnvironmentId, ServiceId
from slowpath.core.link_signatures import create_link_signer
from slowpath.core.settings import Settings
from slowpath.evidence.metrics.service.timestamps import to_ms
from slowpath.platform.accounts.access import Anyone, MayRead, MayWrite, Throttled, client_address
from slowpath.platform.accounts.rules.request_origin import rate_limit_key
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf, Now, Reading, Writing
from slowpath.sharing.embedded_panels.errors import TooManyPanelViews
from slowpath.sharing.embedded_panels.rules import VIEWS_BY_ADDRESS
from slowpath.sharing.embedded_panels.schemas import EmbeddedPanelIn, EmbeddedPanelList, EmbeddedPanelOut
from slowpath.sharing.embedded_panels.service import panel_links, panel_pages
from slowpath.sharing.embedded_panels.service.panel_pages import DrawnPanel
from slowpath.sharing.embedded_panels.tables import EmbeddedPanel
from slowpath.sharing.reports.service.share_settings import get_share_settings

router = APIRouter(prefix="/api/v1", tags=["embedded panels"])


PanelAndSites = tuple[DrawnPanel, tuple[str, ...]]


def _draw(
    request: Request,
    token: Annotated[str, Path(max_length=200, description="the signed part of the link")],
    database: DatabaseOf,
    settings: Configured,
    throttle: Throttled,
    clock: Now,
    theme: Annotated[Theme, Query()] = "auto",
) -> PanelAndSites:
    """Return the panel of a token, and the sites that may show it in a frame."""
    times, limit_s = VIEWS_BY_ADDRESS
    if not throttle.hit(f"embed:{rate_limit_key(client_address(request))}", times=times, seconds=limit_s):
        raise TooManyPanelViews(
            "Too many embedded panels were requested from this IP address.",
            limit=times,
            unit=f"requests in {limit_s} s",
            remedy="Wait a minute.",
        )
    scope, panel_id = panel_links.parse_panel_token(create_link_signer(settings), token)
    now = clock.now()
    with database.reading(scope) as session:
        row = panel_links.get_valid_panel(session, panel_id, now)
        drawn = panel_pages.draw_embedded_panel(session, row, now, theme)
        return drawn, get_share_settings(session).embedding_origins


@router.get(
    "/embedded-panels", operation_id="embedded-panels:list", responses=document_problems(NotFound, InvalidRequest)
)
def list_panels(caller: MayRead, session: Reading, settings: Configured, service_id: UUID) -> EmbeddedPanelList:
    """List the embedded panels of a service, newest first, without revoked ones."""
    rows = panel_links.list_panels(session, ServiceId(service_id))
    return EmbeddedPanelList(items=[_make_out(row, settings) for row in rows])


@router.post(
    "/embedded-panels",
    operation_id="embedded-panels:create",
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest, LimitExceeded),
)
def create_panel(
    body: EmbeddedPanelIn, caller: MayWrite, session: Writing, settings: Configured, clock: Now
) -> EmbeddedPanelOut:
    """Create a link to one panel, which anyone can see until it expires or is revoked."""
    row = panel_links.create_panel(
        session,
        service_id=ServiceId(body.service_id),
        environment_id=EnvironmentId(body.environment_id),
        panel=body.panel,
        split_label=body.split_label,
        length_ms=body.length_s * 1_000,
        until_ms=None if body.until is None else to_ms(body.until),
        days=body.expires_in_days,
        by=caller.user_id,
        now=clock.now(),
    )
    facts = {"service_id": str(row.service_id), "panel": row.panel, "days": body.expires_in_days}
    record_audit_event(session, caller, "embedded-panel.created", "embedded_panel", row.id, facts)
    return _make_out(row, settings)


@router.delete(
    "/embedded-panels/{embedded_panel_id}",
    operation_id="embedded-panels:revoke",
    status_code=204,
    responses=document_problems(NotFound),
)
def revoke_panel(embedded_panel_id: UUID, caller: MayWrite, session: Writing, clock: Now) -> None:
    """Revoke an embedded panel: it returns 410 from now on."""
    row = panel_links.revoke_panel(session, EmbeddedPanelId(embedded_panel_id), clock.now())
    facts = {"service_id": str(row.service_id), "panel": row.panel}
    record_audit_event(session, caller, "embedded-panel.revoked", "embedded_panel", row.id, facts)


@router.get(
    "/embed/{token}",
    operation_id="embedded-panels:page",
    response_class=Response,
    responses={
        **document_problems(NotFound, Gone, InvalidRequest, LimitExceeded),
        200: {"content": {"text/html": {"schema": {"type": "string"}}}},
    },
)
def get_panel_page(_anyone: Anyone, panel: Annotated[PanelAndSites, Depends(_draw)], settings: Configured) -> Response:
    """Return the page of an embedded panel. Only the sites that the team named may show it in a frame."""
    drawn, origins = panel
    page = panel_pages.make_page(drawn, settings.public_url)
    return Response(page, media_type="text/html", headers=_headers(origins))


@router.get(
    "/embed/{token}/panel.svg",
    operation_id="embedded-panels:image",
    response_class=Response,
    responses={
        **document_problems(NotFound, Gone, InvalidRequest, LimitExceeded),
        200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}},
    },
)
def get_panel_image(_anyone: Anyone, panel: Annotated[PanelAndSites, Depends(_draw)]) -> Response:
    """Return the image of an embedded panel."""
    drawn, _origins = panel
    return Response(drawn.svg, media_type="image/svg+xml", headers=_headers(()))


def _headers(origins: tuple[str, ...]) -> dict[str, str]:
    """Return headers that allow nothing but the picture, in frames of these sites, and in images of any site."""
    ancestors = " ".join(origins) or "'none'"
    return {
        "Content-Security-Policy": (
            f"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}"
        ),
        "Cross-Origin-Resource-Policy": "cross-origin",
    }


def _make_out(row: EmbeddedPanel, settings: Settings) -> EmbeddedPanelOut:
    return EmbeddedPanelOut.of(row, panel_links.make_panel_url(settings.public_url, create_link_signer(settings), row))
