"""What the settings of a team show of its provisioning."""

from fastapi import APIRouter

from slowpath.core.errors import InvalidRequest, NotAuthenticated, NotFound, PermissionDenied
from slowpath.platform.accounts.access import InTeam, MayManage
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading
from slowpath.platform.scim.endpoints.scim_messages import Home
from slowpath.platform.scim.schemas import BASE_PATH, ProvisionedMemberOut, ScimSettingsOut, provisioned_member_out
from slowpath.platform.scim.service import synchronization

router = APIRouter(prefix="/api/v1/teams/{team_id}", tags=["scim"], dependencies=[InTeam])
COMMON = (NotAuthenticated, PermissionDenied, NotFound)


@router.get("/scim", operation_id="scim-settings:get", responses=document_problems(*COMMON))
def get_settings(_caller: MayManage, session: Reading, home: Home) -> ScimSettingsOut:
    """Return where the identity provider sends its requests, and when it last did."""
    return ScimSettingsOut(
        base_url=f"{home}{BASE_PATH}", last_synchronized_at=synchronization.find_last_synchronization(session)
    )


@router.get(
    "/provisioned-members",
    operation_id="provisioned-members:list",
    responses=document_problems(*COMMON, InvalidRequest),
)
def list_provisioned_members(_caller: MayManage, session: Reading, paging: Paging) -> Page[ProvisionedMemberOut]:
    """List the members that the identity provider states, newest first."""
    rows = synchronization.list_provisioned_members(session, after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, provisioned_member_out, lambda row: (row.created_at, row.id))
