"""Leaving for good, and coming back: deleting an account, reopening a deleted team."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from slowpath.accounts.access import SignedIn, Throttled, client_address, session_cookie
from slowpath.accounts.errors import SignInTooOld, WrongPassword
from slowpath.accounts.schemas.people import AccountEnd
from slowpath.accounts.schemas.teams import ClosedTeamOut, TeamOut, team_out
from slowpath.accounts.service import leaving
from slowpath.core.errors import Conflict, NotAllowed, NotFound, NotSignedIn, TooMany
from slowpath.web.problems import problems
from slowpath.web.sessions import DatabaseOf, Now, Writing

router = APIRouter(tags=["people"])


@router.post(
    "/user/deletion",
    operation_id="people:delete",
    status_code=204,
    responses=problems(WrongPassword, SignInTooOld, NotAllowed, Conflict, TooMany),
)
def delete_user(
    person: SignedIn,
    request: Request,
    response: Response,
    sent: AccountEnd,
    database: DatabaseOf,
    throttle: Throttled,
    clock: Now,
) -> None:
    """Delete your account at once: you leave every team, and teams in which nobody else is are erased."""
    now = clock.now()
    signed_in_at = leaving.signed_in_at(database, person)
    leaving.prove(
        database, throttle, person, sent.email, sent.current_password, client_address(request), signed_in_at, now
    )
    leaving.delete_person(database, person)
    cookie = session_cookie(request)
    response.delete_cookie(cookie.name, path="/", secure=cookie.secure, httponly=True, samesite="lax")


@router.get("/closed-teams", operation_id="closed-teams:list", responses=problems(NotSignedIn, NotAllowed))
def list_closed_teams(person: SignedIn, database: DatabaseOf) -> list[ClosedTeamOut]:
    """List the teams of yours that were deleted and can still be reopened."""
    return [
        ClosedTeamOut(id=team.id, slug=team.slug, name=team.name, deleted_at=team.deleted_at, erased_at=team.erased_at)
        for team in leaving.closed_teams(database, person)
    ]


@router.post(
    "/closed-teams/{team_id}/reopening",
    operation_id="closed-teams:reopen",
    responses=problems(NotSignedIn, NotAllowed, NotFound),
)
def reopen_team(person: SignedIn, team_id: UUID, session: Writing) -> TeamOut:
    """Undo the deletion of a team."""
    return team_out(leaving.reopen(session, person, team_id))
