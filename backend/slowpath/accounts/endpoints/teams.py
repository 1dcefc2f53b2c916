"""Teams, their members and their log."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.accounts import service
from slowpath.accounts.access import InTeam, MayManage, MayOwn, MayRead, SignedIn
from slowpath.accounts.schemas.people import TeamOfUser
from slowpath.accounts.schemas.teams import MemberChange, MemberOut, TeamIn, TeamOut, member_out, team_out
from slowpath.accounts.schemas.words import moment_of
from slowpath.core.errors import Conflict, NotAllowed, NotFound, NotSignedIn, Refused, TooMany
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Now, Reading, Writing

router = APIRouter(prefix="/teams", tags=["teams"])
inside = APIRouter(prefix="/teams/{team_id}", tags=["teams"], dependencies=[InTeam])
COMMON = (NotSignedIn, NotAllowed, NotFound)


@router.get("", operation_id="teams:list", responses=problems(NotSignedIn, NotAllowed))
def list_teams(person: SignedIn) -> Page[TeamOfUser]:
    """List your teams in the order of joining; there are few, so it is one page."""
    told = [TeamOfUser(id=team.id, slug=team.slug, name=team.name, role=team.role) for team in person.teams]
    return Page(items=told, next_cursor=None)


@router.post(
    "", operation_id="teams:create", status_code=201, responses=problems(NotSignedIn, NotAllowed, Refused, TooMany)
)
def create_team(person: SignedIn, sent: TeamIn, session: Writing) -> TeamOut:
    """Make a team; you are its owner."""
    return team_out(service.create_team(session, person, name=sent.name))


@inside.get("", operation_id="teams:get", responses=problems(*COMMON))
def get_team(_caller: MayRead, session: Reading) -> TeamOut:
    """Tell of a team you are in."""
    return team_out(service.get_team(session))


@inside.patch("", operation_id="teams:change", responses=problems(*COMMON, Refused))
def change_team(caller: MayOwn, sent: TeamIn, session: Writing) -> TeamOut:
    """Give the team another name. Its slug stays, so that links hold."""
    return team_out(service.rename_team(session, caller, sent.name))


@inside.delete("", operation_id="teams:delete", status_code=204, responses=problems(*COMMON))
def delete_team(caller: MayOwn, session: Writing, clock: Now) -> None:
    """Delete the team. Nobody can enter from now on; a job erases what it holds."""
    service.delete_team(session, caller, now=clock.now())


@inside.get("/members", operation_id="members:list", responses=problems(*COMMON, Refused))
def list_members(_caller: MayRead, session: Reading, paging: Paging) -> Page[MemberOut]:
    """List who is in the team, newest first."""
    rows = service.members(session, after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, lambda row: member_out(*row), lambda row: moment_of(row[0]))


@inside.patch("/members/{user_id}", operation_id="members:change", responses=problems(*COMMON, Conflict, Refused))
def change_member(caller: MayManage, user_id: UUID, sent: MemberChange, session: Writing) -> MemberOut:
    """Give a member another role, at most your own."""
    return member_out(*service.change_role(session, caller, user_id, sent.role))


@inside.delete(
    "/members/{user_id}",
    operation_id="members:remove",
    status_code=204,
    responses=problems(*COMMON, Conflict),
)
def remove_member(caller: MayRead, user_id: UUID, session: Writing) -> None:
    """Remove a member, or leave. Everyone may leave but the last owner; others are removed by admins."""
    service.remove_member(session, caller, user_id)
