"""Links to a report, and the team's switch for all of them."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.accounts.access import MayManage, MayRead, MayWrite
from slowpath.accounts.service import audit
from slowpath.core.errors import Conflict, NotFound, Refused, TooMany
from slowpath.core.ids import ReportId, ShareLinkId
from slowpath.reports.schemas import (
    ShareLinkIn,
    ShareLinkMade,
    ShareLinkOut,
    SharingChange,
    SharingOut,
    link_made,
    link_out,
)
from slowpath.reports.service import sharing
from slowpath.web.problems import problems
from slowpath.web.sessions import Configured, Now, Reading, Writing

router = APIRouter(tags=["reports"])


@router.get("/reports/{report_id}/links", operation_id="share-links:list", responses=problems(NotFound))
def list_links(report_id: UUID, caller: MayRead, session: Reading) -> list[ShareLinkOut]:
    """List the links of a report, newest first, also those that have ended."""
    rows, names = sharing.links(session, ReportId(report_id))
    return [link_out(row, names) for row in rows]


@router.post(
    "/reports/{report_id}/links",
    operation_id="share-links:create",
    status_code=201,
    responses=problems(NotFound, Conflict, Refused, TooMany),
)
def create_link(
    report_id: UUID, wanted: ShareLinkIn, caller: MayWrite, session: Writing, settings: Configured, clock: Now
) -> ShareLinkMade:
    """Make a link by which a report is seen signed out. Its secret is told here and never again."""
    row, secret = sharing.make(
        session,
        ReportId(report_id),
        name=wanted.name,
        days=wanted.expires_in_days,
        version=None if wanted.version == "newest" else wanted.version,
        scrub=wanted.scrub.scrub(),
        by=caller.user_id,
        now=clock.now(),
    )
    facts = {"name": row.name, "report_id": str(report_id), "scrub": row.scrub, "days": wanted.expires_in_days}
    audit(session, caller, "share_link.created", "share_link", row.id, facts)
    names = sharing.names(session, [row])
    return link_made(row, names, secret, f"{settings.public_url.rstrip('/')}/s/{secret}")


@router.delete(
    "/reports/{report_id}/links/{link_id}",
    operation_id="share-links:revoke",
    status_code=204,
    responses=problems(NotFound),
)
def revoke_link(report_id: UUID, link_id: UUID, caller: MayWrite, session: Writing, clock: Now) -> None:
    """End a link: whoever opens it is told 410 from now on."""
    row = sharing.revoke(session, ReportId(report_id), ShareLinkId(link_id), clock.now())
    facts = {"name": row.name, "report_id": str(report_id)}
    audit(session, caller, "share_link.revoked", "share_link", row.id, facts)


@router.get("/sharing", operation_id="sharing:get", responses=problems(Refused))
def get_sharing(caller: MayRead, session: Reading) -> SharingOut:
    """Tell whether the team allows share links."""
    return SharingOut(links_allowed=sharing.allowed(session))


@router.patch("/sharing", operation_id="sharing:change", responses=problems(Refused))
def change_sharing(wanted: SharingChange, caller: MayManage, session: Writing) -> SharingOut:
    """Allow share links, or end all of them at once."""
    sharing.allow(session, links_allowed=wanted.links_allowed)
    audit(session, caller, "sharing.changed", "sharing", None, {"links_allowed": wanted.links_allowed})
    return SharingOut(links_allowed=wanted.links_allowed)
