"""HTTP endpoints that delete an account and restore a deleted team."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from slowpath.core.errors import Conflict, LimitExceeded, NotAuthenticated, NotFound, PermissionDenied
from slowpath.platform.accounts.access import SignedIn, Throttled, client_address, session_cookie
from slowpath.platform.accounts.errors import ReauthenticationRequired, WrongPassword
from slowpath.platform.accounts.schemas.teams import DeletedTeamOut, TeamOut, team_out
from slowpath.platform.accounts.schemas.users import AccountDeletionIn
from slowpath.platform.accounts.service import account_deletion
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import DatabaseOf, Now, Writing

router = APIRouter(tags=["users"])


@router.post(
    "/user/deletion",
    operation_id="users:delete",
    status_code=204,
    responses=document_problems(WrongPassword, ReauthenticationRequired, PermissionDenied, Conflict, LimitExceeded),
)
def delete_user(
    person: SignedIn,
    request: Request,
    response: Response,
    sent: AccountDeletionIn,
    database: DatabaseOf,
    throttle: Throttled,
    clock: Now,
) -> None:
    """Delete your account immediately. You leave every team; teams without another member are erased.

    Without a password or with a second factor, within 15 minutes of signing in or confirming.
    """
    account_deletion.verify_account_deletion(
        database,
        throttle,
        person,
        email=sent.email,
        password=sent.current_password,
        address=client_address(request),
        now=clock.now(),
    )
    account_deletion.delete_user(database, person)
    cookie = session_cookie(request)
    response.delete_cookie(cookie.name, path="/", secure=cookie.secure, httponly=True, samesite="lax")


@router.get(
    "/deleted-teams", operation_id="deleted-teams:list", responses=document_problems(NotAuthenticated, PermissionDenied)
)
def list_deleted_teams(person: SignedIn, database: DatabaseOf) -> list[DeletedTeamOut]:
    """List your deleted teams that can still be restored."""
    return [
        DeletedTeamOut(id=team.id, slug=team.slug, name=team.name, deleted_at=team.deleted_at, erased_at=team.erased_at)
        for team in account_deletion.list_deleted_teams(database, person)
    ]


@router.post(
    "/deleted-teams/{team_id}/restore",
    operation_id="deleted-teams:restore",
    responses=document_problems(NotAuthenticated, PermissionDenied, NotFound),
)
def restore_team(person: SignedIn, team_id: UUID, session: Writing) -> TeamOut:
    """Restore a deleted team."""
    return team_out(account_deletion.restore_team(session, person, team_id))
