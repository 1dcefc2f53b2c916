"""Users of SCIM."""

from uuid import UUID

from fastapi import APIRouter
from scim2_models import Context

from slowpath.platform.accounts.access import MayProvision
from slowpath.platform.http.body_limits import body_up_to
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.platform.http.scim_errors import ScimResponse
from slowpath.platform.scim.endpoints.scim_messages import (
    USER_BODY_BYTES,
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
    parse_user_filter,
    read_parameters,
    read_user,
)
from slowpath.platform.scim.schemas import BASE_PATH, UserResource, make_user_resource, read_user_attributes
from slowpath.platform.scim.service import users

router = APIRouter(prefix=f"{BASE_PATH}/Users", tags=["scim"], default_response_class=ScimResponse)
BODY = body_up_to(USER_BODY_BYTES)


@router.get("", operation_id="scim-users:list", responses=document_scim(200))
def list_users(
    _caller: MayProvision,
    session: Reading,
    home: Home,
    given: FilterQuery = None,
    start_index: StartIndex = 1,
    count: Count = None,
    attributes: Attributes = None,
    excluded: ExcludedAttributes = None,
) -> ScimResponse:
    """List the members of the team, also those that were added by hand, oldest first."""
    asked, parameters = parse_user_filter(given), read_parameters(UserResource, attributes, excluded)
    total, found = users.list_users(session, asked, start_index=start_index, count=count)
    resources = [make_user_resource(user, home) for user in found]
    return answer_list(UserResource, resources, total=total, start_index=start_index, parameters=parameters)


@router.post("", operation_id="scim-users:create", status_code=201, responses=document_scim(201), openapi_extra=BODY)
def create_user(caller: MayProvision, sent: Sent, session: Writing, clock: Now, home: Home) -> ScimResponse:
    """Provision a member, who joins with the next sign-in at the identity provider. No account is created or changed."""
    attributes = read_user_attributes(read_user(sent, Context.RESOURCE_CREATION_REQUEST))
    created = users.create_user(session, caller, attributes, now=clock.now())
    return answer(make_user_resource(created, home), Context.RESOURCE_CREATION_RESPONSE, status=201)


@router.get("/{provisioned_member_id}", operation_id="scim-users:get", responses=document_scim(200))
def get_user(
    _caller: MayProvision,
    provisioned_member_id: UUID,
    session: Reading,
    home: Home,
    attributes: Attributes = None,
    excluded: ExcludedAttributes = None,
) -> ScimResponse:
    """Return a member of the team."""
    parameters = read_parameters(UserResource, attributes, excluded)
    return answer(make_user_resource(users.get_user(session, provisioned_member_id), home), parameters=parameters)


@router.put(
    "/{provisioned_member_id}", operation_id="scim-users:replace", responses=document_scim(200), openapi_extra=BODY
)
def replace_user(
    caller: MayProvision, provisioned_member_id: UUID, sent: Sent, session: Writing, clock: Now, home: Home
) -> ScimResponse:
    """Replace what is stated of a member; without `active`, that does not change."""
    users.lock_members(session)
    attributes = read_user_attributes(read_user(sent, Context.RESOURCE_REPLACEMENT_REQUEST))
    replaced = users.update_user(session, caller, provisioned_member_id, attributes, now=clock.now())
    return answer(make_user_resource(replaced, home), Context.RESOURCE_REPLACEMENT_RESPONSE)


@router.patch(
    "/{provisioned_member_id}", operation_id="scim-users:update", responses=document_scim(200), openapi_extra=BODY
)
def update_user(
    caller: MayProvision, provisioned_member_id: UUID, sent: Sent, session: Writing, clock: Now, home: Home
) -> ScimResponse:
    """Change what is stated of a member. With `active` false, the membership ends at once; with true, it is restored."""
    users.lock_members(session)
    resource = make_user_resource(users.get_user(session, provisioned_member_id), home)
    apply_patch(UserResource, resource, sent)
    attributes = read_user_attributes(resource)
    updated = users.update_user(session, caller, provisioned_member_id, attributes, now=clock.now())
    return answer(make_user_resource(updated, home), Context.RESOURCE_PATCH_RESPONSE)


@router.delete("/{provisioned_member_id}", operation_id="scim-users:delete", status_code=204)
def delete_user(caller: MayProvision, provisioned_member_id: UUID, session: Writing, clock: Now) -> None:
    """End a membership at once, and forget what was stated of the member. The account remains."""
    users.delete_user(session, caller, provisioned_member_id, now=clock.now())
