"""HTTP endpoints of invitations."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound, PermissionDenied
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import Anyone, InTeam, MayManage, SignedIn
from slowpath.platform.accounts.schemas.account_field_types import moment_of
from slowpath.platform.accounts.schemas.invitations import (
    InvitationIn,
    InvitationOut,
    InvitationPreview,
    InvitationRenewal,
    InvitingTeam,
    invitation_out,
)
from slowpath.platform.accounts.schemas.teams import TeamOut, team_out
from slowpath.platform.accounts.service import invitation_mail
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf, Now, Reading, Writing

router = APIRouter(tags=["invitations"])
inside = APIRouter(prefix="/teams/{team_id}/invitations", tags=["invitations"], dependencies=[InTeam])
COMMON = (NotAuthenticated, PermissionDenied, NotFound)
InPath = Annotated[str, Path(max_length=100)]


@inside.get("", operation_id="invitations:list", responses=document_problems(*COMMON, InvalidRequest))
def list_invitations(_caller: MayManage, session: Reading, paging: Paging, clock: Now) -> Page[InvitationOut]:
    """List open invitations, newest first."""
    rows = service.list_invitations(session, now=clock.now(), after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, lambda row: invitation_out(*row), lambda row: moment_of(row[0]))


@inside.post(
    "",
    operation_id="invitations:create",
    status_code=201,
    responses=document_problems(*COMMON, InvalidRequest, LimitExceeded),
)
def create_invitation(
    caller: MayManage, sent: InvitationIn, session: Writing, clock: Now, settings: Configured
) -> InvitationOut:
    """Create an invitation. Only this response contains its secret; pass it on as a link.

    If email is configured, the invited user receives a separate link by email.
    """
    made = service.create_invitation(
        session, caller, role=sent.role, email=sent.email, days=sent.expires_in_days, now=clock.now()
    )
    invitation_mail.enqueue_invitation_mail(session, made[0], mail_is_sent=settings.sends_mail)
    return invitation_out(*made)


@inside.post(
    "/{invitation_id}/renew",
    operation_id="invitations:rotate-link",
    responses=document_problems(*COMMON, InvalidRequest),
)
def renew_invitation(
    caller: MayManage,
    invitation_id: UUID,
    sent: InvitationRenewal,
    session: Writing,
    clock: Now,
    settings: Configured,
) -> InvitationOut:
    """Renew the link of an invitation. The previous link is invalid immediately."""
    made = service.renew_invitation(session, caller, invitation_id, days=sent.expires_in_days, now=clock.now())
    invitation_mail.enqueue_invitation_mail(session, made[0], mail_is_sent=settings.sends_mail)
    return invitation_out(*made)


@inside.delete(
    "/{invitation_id}",
    operation_id="invitations:revoke",
    status_code=204,
    responses=document_problems(*COMMON),
)
def revoke_invitation(caller: MayManage, invitation_id: UUID, session: Writing) -> None:
    """Revoke an invitation: its link becomes invalid."""
    service.revoke_invitation(session, caller, invitation_id)


@router.get("/invitations/{secret}", operation_id="invitations:get", responses=document_problems(NotFound, Conflict))
def preview_invitation(_anyone: Anyone, secret: InPath, database: DatabaseOf, clock: Now) -> InvitationPreview:
    """Return the team and role that an invitation link offers."""
    found = service.preview_invitation(database, secret, now=clock.now())
    return InvitationPreview(
        team=InvitingTeam(name=found.team_name, slug=found.team_slug),
        role=found.role,
        email=found.email,
        expires_at=found.expires_at,
    )


@router.post(
    "/invitations/{secret}/accept", operation_id="invitations:accept", responses=document_problems(*COMMON, Conflict)
)
def accept_invitation(person: SignedIn, secret: InPath, session: Writing, database: DatabaseOf, clock: Now) -> TeamOut:
    """Accept an invitation and join its team."""
    now = clock.now()
    found = service.preview_invitation(database, secret, now=now)
    return team_out(service.accept_invitation(session, found, person, now=now))
