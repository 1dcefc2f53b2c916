"""Inviting people, and following an invitation's link."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path

from slowpath.accounts import service
from slowpath.accounts.access import Anyone, InTeam, MayManage, SignedIn
from slowpath.accounts.schemas.inviting import (
    InvitationIn,
    InvitationOut,
    InvitationPreview,
    InvitationRenewal,
    InvitingTeam,
    invitation_out,
)
from slowpath.accounts.schemas.teams import TeamOut, team_out
from slowpath.accounts.schemas.words import moment_of
from slowpath.accounts.service import mailing
from slowpath.core.errors import Conflict, NotAllowed, NotFound, NotSignedIn, Refused, TooMany
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Configured, DatabaseOf, Now, Reading, Writing

router = APIRouter(tags=["invitations"])
inside = APIRouter(prefix="/teams/{team_id}/invitations", tags=["invitations"], dependencies=[InTeam])
COMMON = (NotSignedIn, NotAllowed, NotFound)
InPath = Annotated[str, Path(max_length=100)]


@inside.get("", operation_id="invitations:list", responses=problems(*COMMON, Refused))
def list_invitations(_caller: MayManage, session: Reading, paging: Paging, clock: Now) -> Page[InvitationOut]:
    """List open invitations, newest first."""
    rows = service.invitations(session, now=clock.now(), after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, lambda row: invitation_out(*row), lambda row: moment_of(row[0]))


@inside.post(
    "",
    operation_id="invitations:create",
    status_code=201,
    responses=problems(*COMMON, Refused, TooMany),
)
def invite(caller: MayManage, sent: InvitationIn, session: Writing, clock: Now, settings: Configured) -> InvitationOut:
    """Make an invitation. Its secret is told here and never again; hand it on as a link.

    Whom it is meant for gets a link of their own by e-mail, if e-mail is sent from here.
    """
    made = service.invite(session, caller, role=sent.role, email=sent.email, days=sent.expires_in_days, now=clock.now())
    mailing.ask_to_mail(session, made[0], mail_is_sent=settings.sends_mail)
    return invitation_out(*made)


@inside.post(
    "/{invitation_id}/renew",
    operation_id="invitations:renew",
    responses=problems(*COMMON, Refused),
)
def renew(
    caller: MayManage,
    invitation_id: UUID,
    sent: InvitationRenewal,
    session: Writing,
    clock: Now,
    settings: Configured,
) -> InvitationOut:
    """Give an invitation another link; the one before is worthless from now on."""
    made = service.renew(session, caller, invitation_id, days=sent.expires_in_days, now=clock.now())
    mailing.ask_to_mail(session, made[0], mail_is_sent=settings.sends_mail)
    return invitation_out(*made)


@inside.delete(
    "/{invitation_id}",
    operation_id="invitations:withdraw",
    status_code=204,
    responses=problems(*COMMON),
)
def withdraw(caller: MayManage, invitation_id: UUID, session: Writing) -> None:
    """Make an invitation's link worthless."""
    service.withdraw(session, caller, invitation_id)


@router.get("/invitations/{secret}", operation_id="invitations:look", responses=problems(NotFound, Conflict))
def look(_anyone: Anyone, secret: InPath, database: DatabaseOf, clock: Now) -> InvitationPreview:
    """Tell whoever holds the link what it invites to."""
    found = service.look_at(database, secret, now=clock.now())
    return InvitationPreview(
        team=InvitingTeam(name=found.team_name, slug=found.team_slug),
        role=found.role,
        email=found.email,
        expires_at=found.expires_at,
    )


@router.post("/invitations/{secret}/accept", operation_id="invitations:accept", responses=problems(*COMMON, Conflict))
def accept(person: SignedIn, secret: InPath, session: Writing, database: DatabaseOf, clock: Now) -> TeamOut:
    """Join the team that invites."""
    now = clock.now()
    found = service.look_at(database, secret, now=now)
    return team_out(service.accept(session, found, person, now=now))
