"""HTTP endpoints of share links, and the team's switch for them."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import ReportId, ShareLinkId
from slowpath.platform.accounts.access import MayManage, MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, Now, Reading, Writing
from slowpath.sharing.reports.schemas import (
    ShareLinkCreatedOut,
    ShareLinkIn,
    ShareLinkOut,
    ShareSettingsOut,
    ShareSettingsUpdate,
    link_made,
    link_out,
)
from slowpath.sharing.reports.service import share_links, share_settings

router = APIRouter(tags=["reports"])


@router.get("/reports/{report_id}/share-links", operation_id="share-links:list", responses=document_problems(NotFound))
def list_links(report_id: UUID, caller: MayRead, session: Reading) -> list[ShareLinkOut]:
    """List the share links of a report, newest first, including expired and revoked ones."""
    rows, names = share_links.links(session, ReportId(report_id))
    return [link_out(row, names) for row in rows]


@router.post(
    "/reports/{report_id}/share-links",
    operation_id="share-links:create",
    status_code=201,
    responses=document_problems(NotFound, Conflict, InvalidRequest, LimitExceeded),
)
def create_link(
    report_id: UUID, body: ShareLinkIn, caller: MayWrite, session: Writing, settings: Configured, clock: Now
) -> ShareLinkCreatedOut:
    """Create a share link, which shows the report without sign-in. Only this response contains its secret."""
    row, secret = share_links.create_share_link(
        session,
        ReportId(report_id),
        name=body.name,
        days=body.expires_in_days,
        version=None if body.version == "newest" else body.version,
        scrub=body.scrub.scrub(),
        by=caller.user_id,
        now=clock.now(),
    )
    facts = {"name": row.name, "report_id": str(report_id), "scrub": row.scrub, "days": body.expires_in_days}
    record_audit_event(session, caller, "share_link.created", "share_link", row.id, facts)
    names = share_links.names(session, [row])
    return link_made(row, names, secret, f"{settings.public_url.rstrip('/')}/s/{secret}")


@router.delete(
    "/reports/{report_id}/share-links/{share_link_id}",
    operation_id="share-links:revoke",
    status_code=204,
    responses=document_problems(NotFound),
)
def revoke_link(report_id: UUID, share_link_id: UUID, caller: MayWrite, session: Writing, clock: Now) -> None:
    """Revoke a share link: it returns 410 from now on."""
    row = share_links.revoke_share_link(session, ReportId(report_id), ShareLinkId(share_link_id), clock.now())
    facts = {"name": row.name, "report_id": str(report_id)}
    record_audit_event(session, caller, "share_link.revoked", "share_link", row.id, facts)


@router.get("/share-settings", operation_id="share-settings:get", responses=document_problems(InvalidRequest))
def get_share_settings(caller: MayRead, session: Reading) -> ShareSettingsOut:
    """Return what the team allows outside of Slowpath, and its link to Grafana."""
    return ShareSettingsOut.model_validate(share_settings.get_share_settings(session), from_attributes=True)


@router.patch(
    "/share-settings",
    operation_id="share-settings:update",
    openapi_extra=body_up_to(64 * KIB),
    responses=document_problems(InvalidRequest),
)
def change_share_settings(body: ShareSettingsUpdate, caller: MayManage, session: Writing) -> ShareSettingsOut:
    """Allow share links, or disable all of them immediately; name the sites that embed panels, and link to Grafana."""
    values = body.model_dump(exclude_none=True)
    share_settings.update_share_settings(session, values)
    record_audit_event(session, caller, "share-settings.updated", "sharing", None, values)
    return ShareSettingsOut.model_validate(share_settings.get_share_settings(session), from_attributes=True)
