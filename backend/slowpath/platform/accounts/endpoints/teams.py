"""HTTP endpoints of teams and their members."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound, PermissionDenied
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import InTeam, MayManage, MayOwn, MayRead, MayWrite, SignedIn
from slowpath.platform.accounts.rules.setup_steps import SetupStep
from slowpath.platform.accounts.schemas.account_field_types import moment_of
from slowpath.platform.accounts.schemas.teams import (
    MemberOut,
    MemberUpdate,
    SetupStepUpdate,
    TeamIn,
    TeamOut,
    TeamUpdate,
    member_out,
    team_out,
)
from slowpath.platform.accounts.schemas.users import UserTeamOut, user_team_out
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing

router = APIRouter(prefix="/teams", tags=["teams"])
inside = APIRouter(prefix="/teams/{team_id}", tags=["teams"], dependencies=[InTeam])
COMMON = (NotAuthenticated, PermissionDenied, NotFound)


@router.get("", operation_id="teams:list", responses=document_problems(NotAuthenticated, PermissionDenied))
def list_teams(person: SignedIn) -> Page[UserTeamOut]:
    """List your teams in the order of joining, on one page."""
    return Page(items=[user_team_out(team) for team in person.teams], next_cursor=None)


@router.post(
    "",
    operation_id="teams:create",
    status_code=201,
    responses=document_problems(NotAuthenticated, PermissionDenied, InvalidRequest, LimitExceeded),
)
def create_team(person: SignedIn, sent: TeamIn, session: Writing) -> TeamOut:
    """Create a team; you become its owner."""
    return team_out(service.create_team(session, person, name=sent.name))


@inside.get("", operation_id="teams:get", responses=document_problems(*COMMON))
def get_team(_caller: MayRead, session: Reading) -> TeamOut:
    """Return one of your teams."""
    return team_out(service.get_team(session))


@inside.patch("", operation_id="teams:update", responses=document_problems(*COMMON, InvalidRequest))
def update_team(caller: MayOwn, sent: TeamUpdate, session: Writing) -> TeamOut:
    """Rename the team, or require a second factor of its members. Its slug does not change, so links remain valid."""
    if sent.name is not None:
        service.rename_team(session, caller, sent.name)
    if sent.requires_second_factor is not None:
        service.require_second_factor(session, caller, is_required=sent.requires_second_factor)
    return team_out(service.get_team(session))


@inside.put(
    "/setup-steps/{setup_step}",
    operation_id="teams:set-setup-step",
    responses=document_problems(*COMMON, InvalidRequest),
)
def set_setup_step(caller: MayWrite, setup_step: SetupStep, sent: SetupStepUpdate, session: Writing) -> TeamOut:
    """Record whether the team does without a step of the set-up page."""
    return team_out(service.set_setup_step(session, caller, setup_step, is_skipped=sent.is_skipped))


@inside.delete("", operation_id="teams:delete", status_code=204, responses=document_problems(*COMMON))
def delete_team(caller: MayOwn, session: Writing, clock: Now) -> None:
    """Delete the team. It is inaccessible immediately; a job erases its data."""
    service.delete_team(session, caller, now=clock.now())


@inside.get("/members", operation_id="members:list", responses=document_problems(*COMMON, InvalidRequest))
def list_members(_caller: MayRead, session: Reading, paging: Paging) -> Page[MemberOut]:
    """List the members of the team, newest first."""
    rows = service.members(session, after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, lambda row: member_out(*row), lambda row: moment_of(row[0]))


@inside.patch(
    "/members/{user_id}", operation_id="members:update", responses=document_problems(*COMMON, Conflict, InvalidRequest)
)
def update_member(caller: MayManage, user_id: UUID, sent: MemberUpdate, session: Writing) -> MemberOut:
    """Change the role of a member, to your own role at most."""
    return member_out(*service.change_role(session, caller, user_id, sent.role))


@inside.delete(
    "/members/{user_id}",
    operation_id="members:delete",
    status_code=204,
    responses=document_problems(*COMMON, Conflict),
)
def remove_member(caller: MayRead, user_id: UUID, session: Writing) -> None:
    """Remove a member, or leave. Every member except the last owner can leave; admins can remove others."""
    service.remove_member(session, caller, user_id)
