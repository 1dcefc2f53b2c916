"""Groups of SCIM: the roles of the team. They cannot be created, renamed or deleted."""

from uuid import UUID

from fastapi import APIRouter
from scim2_models import Context, ScimFilter

from slowpath.platform.accounts.access import Caller, MayProvision
from slowpath.platform.http.body_limits import body_up_to
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.platform.http.scim_errors import ScimResponse
from slowpath.platform.scim.endpoints.scim_messages import (
    GROUP_BODY_BYTES,
    GROUP_BODY_MEMBERS,
    Attributes,
    Count,
    ExcludedAttributes,
    FilterQuery,
    Home,
    Sent,
    StartIndex,
    answer,
    answer_list,
    apply_patch,
    document_scim,
    read_parameters,
    scim_errors,
)
from slowpath.platform.scim.errors import ScimRequestRejected
from slowpath.platform.scim.read_models import ScimGroup
from slowpath.platform.scim.rules import count_allowed_operations
from slowpath.platform.scim.schemas import BASE_PATH, Group, make_group_resource
from slowpath.platform.scim.service import groups, users

router = APIRouter(prefix=f"{BASE_PATH}/Groups", tags=["scim"], default_response_class=ScimResponse)
BODY = body_up_to(GROUP_BODY_BYTES, members=GROUP_BODY_MEMBERS)


@router.get("", operation_id="scim-groups:list", responses=document_scim(200))
def list_groups(
    _caller: MayProvision,
    session: Reading,
    home: Home,
    given: FilterQuery = None,
    start_index: StartIndex = 1,
    count: Count = None,
    attributes: Attributes = None,
    excluded: ExcludedAttributes = None,
) -> ScimResponse:
    """List the groups: one for each role, the lowest first."""
    parameters = read_parameters(Group, attributes, excluded)
    found = [make_group_resource(group, home) for group in groups.list_groups(session)]
    if given:
        with scim_errors():
            asked = ScimFilter[Group](given)
            found = [group for group in found if asked.match(group)]
    first = max(start_index, 1) - 1
    page = found[first:] if count is None else found[first : first + max(count, 0)]
    return answer_list(Group, page, total=len(found), start_index=start_index, parameters=parameters)


@router.get("/{group}", operation_id="scim-groups:get", responses=document_scim(200))
def get_group(
    _caller: MayProvision,
    group: str,
    session: Reading,
    home: Home,
    attributes: Attributes = None,
    excluded: ExcludedAttributes = None,
) -> ScimResponse:
    """Return a group with its members."""
    parameters = read_parameters(Group, attributes, excluded)
    return answer(make_group_resource(groups.get_group(session, group), home), parameters=parameters)


@router.put("/{group}", operation_id="scim-groups:replace", responses=document_scim(200), openapi_extra=BODY)
def replace_group(
    caller: MayProvision, group: str, sent: Sent, session: Writing, clock: Now, home: Home
) -> ScimResponse:
    """Replace the members of a group."""
    users.lock_members(session)
    present = groups.get_group(session, group)
    with scim_errors():
        resource = Group.model_validate(sent, scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST)
    replaced = _set_members(session, caller, present, resource, clock)
    return answer(make_group_resource(replaced, home), Context.RESOURCE_REPLACEMENT_RESPONSE)


@router.patch("/{group}", operation_id="scim-groups:update", responses=document_scim(200), openapi_extra=BODY)
def update_group(
    caller: MayProvision, group: str, sent: Sent, session: Writing, clock: Now, home: Home
) -> ScimResponse:
    """Add members to a group, or remove them."""
    users.lock_members(session)
    present = groups.get_group(session, group)
    resource = make_group_resource(present, home)
    apply_patch(Group, resource, sent, most_operations=count_allowed_operations(len(present.members)))
    updated = _set_members(session, caller, present, resource, clock)
    return answer(make_group_resource(updated, home), Context.RESOURCE_PATCH_RESPONSE)


def _set_members(session: Writing, caller: Caller, present: ScimGroup, resource: Group, clock: Now) -> ScimGroup:
    if resource.display_name is not None and resource.display_name.casefold() != present.role:
        raise ScimRequestRejected("A group has the name of its role and cannot be renamed.", scim_type="mutability")
    values = dict.fromkeys(member.value or "" for member in resource.members or ())
    try:
        member_ids = [UUID(value) for value in values]
    except ValueError as error:
        raise ScimRequestRejected("The members of a group are IDs of users.") from error
    return groups.set_group_members(session, caller, present, member_ids, now=clock.now())
