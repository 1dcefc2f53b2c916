"""The schemas of SCIM that this service publishes, and shapes made of its values.

Texts, addresses and filters are parsed by `scim2-models`; `TOLERANCE` is what Okta and Microsoft Entra ID need.
"""

from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, EmailStr
from pydantic import Field as ModelField
from scim2_models import (
    URI,
    URN,
    AuthenticationScheme,
    Bulk,
    ChangePassword,
    ComplexAttribute,
    ETag,
    Filter,
    GroupMember,
    GroupMembership,
    Meta,
    Mutability,
    Patch,
    Reference,
    Required,
    Resource,
    ScimPolicy,
    ScimProvider,
    ServiceProviderConfig,
    Sort,
    Uniqueness,
)

from slowpath.platform.accounts.rules.roles import Role
from slowpath.platform.accounts.tables import ProvisionedMember
from slowpath.platform.scim.read_models import ScimGroup, ScimUser
from slowpath.platform.scim.rules import MAX_RESULTS, EmailAddress, UserAttributes

BASE_PATH: Final = "/scim/v2"
TOLERANCE: Final = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)


class UserName(ComplexAttribute):
    """The parts of a user's name."""

    formatted: str | None = None
    family_name: str | None = None
    given_name: str | None = None


class UserEmail(ComplexAttribute):
    """An email of a user."""

    value: EmailStr | None = None
    type: str | None = None
    primary: bool | None = None


class UserResource(Resource[Any]):
    """The attributes of a user that are stored; others are ignored."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:User")

    user_name: Annotated[str | None, Uniqueness.server, Required.true] = None
    name: UserName | None = None
    display_name: str | None = None
    active: bool | None = None
    emails: list[UserEmail] | None = None
    groups: Annotated[list[GroupMembership] | None, Mutability.read_only] = None


UserResource.__name__ = "User"  # the name of the resource type and its schema


class Group(Resource[Any]):
    """A role of the team."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:Group")

    display_name: Annotated[str | None, Mutability.immutable] = None
    members: list[GroupMember] | None = None


PROVIDER: Final = ScimProvider(
    models=[UserResource, Group],
    config=ServiceProviderConfig(
        patch=Patch(supported=True),
        bulk=Bulk(supported=False, max_operations=0, max_payload_size=0),
        filter=Filter(supported=True, max_results=MAX_RESULTS),
        change_password=ChangePassword(supported=False),
        sort=Sort(supported=False),
        etag=ETag(supported=False),
        authentication_schemes=[
            AuthenticationScheme(
                type=AuthenticationScheme.Type.oauthbearertoken,
                name="API token",
                description="A token of the team with the scope scim, in the header Authorization.",
                primary=True,
            )
        ],
    ),
    policy=TOLERANCE,
)


class ScimSettingsOut(BaseModel):
    """How an identity provider provisions the members of the team."""

    base_url: str
    """What the identity provider is configured with, together with a token."""
    last_synchronized_at: AwareDatetime | None
    """When it last sent a request, to the minute."""


class ProvisionedMemberOut(BaseModel):
    """A member that the identity provider states."""

    id: UUID
    user_name: str
    name: str | None
    groups: list[Role]
    role: Role
    """The role that the member has, would have, or had."""
    is_active: bool
    has_joined: bool = ModelField(
        description="whether an account is bound: by a sign-in, or because it was added by hand"
    )
    is_managed: bool
    """Whether the identity provider also decides the role: the account proved its address there."""
    updated_at: AwareDatetime


def provisioned_member_out(row: ProvisionedMember) -> ProvisionedMemberOut:
    """Return the wire shape of a provisioned member."""
    return ProvisionedMemberOut(
        id=row.id,
        user_name=row.user_name,
        name=row.display_name or row.formatted_name,
        groups=[role for role in Role if role in row.group_roles],
        role=Role(row.role),
        is_active=row.is_active,
        has_joined=row.user_id is not None,
        is_managed=row.user_id is not None and row.claimed_at is not None,
        updated_at=row.updated_at,
    )


def make_user_resource(user: ScimUser, home: str) -> UserResource:
    """Return a user as a resource; `home` is the public address of the server."""
    stated = user.attributes
    names = (stated.formatted_name, stated.family_name, stated.given_name)
    groups = [
        GroupMembership(value=role.value, display=role.value, ref=Reference(f"{home}{BASE_PATH}/Groups/{role}"))
        for role in user.group_roles
    ]
    return UserResource(
        id=str(user.id),
        external_id=stated.external_id,
        user_name=stated.user_name,
        name=UserName(formatted=names[0], family_name=names[1], given_name=names[2]) if any(names) else None,
        display_name=stated.display_name,
        active=stated.is_active,
        emails=[_make_email(email) for email in stated.emails] or None,
        groups=groups or None,
        meta=Meta(
            resource_type="User",
            created=user.created_at,
            last_modified=user.updated_at,
            location=Reference[URI](f"{home}{BASE_PATH}/Users/{user.id}"),
        ),
    )


def _make_email(email: EmailAddress) -> UserEmail:
    """Return an email as it was validated when it came in; an account that was added by hand may have any."""
    return UserEmail.model_construct(value=email.value, type=email.kind, primary=email.is_primary)


def read_user_attributes(resource: UserResource) -> UserAttributes:
    """Return what a resource states of a user."""
    name = resource.name or UserName()
    return UserAttributes(
        resource.user_name or "",
        resource.external_id,
        resource.display_name,
        name.formatted,
        name.given_name,
        name.family_name,
        tuple(EmailAddress(email.value, email.type, email.primary) for email in resource.emails or () if email.value),
        resource.active,
    )


def make_group_resource(group: ScimGroup, home: str) -> Group:
    """Return a group as a resource."""
    members = [
        GroupMember(value=str(member_id), display=name, ref=Reference(f"{home}{BASE_PATH}/Users/{member_id}"))
        for member_id, name in group.members
    ]
    return Group(
        id=group.role.value,
        display_name=group.role.value,
        members=members or None,
        meta=Meta(resource_type="Group", location=Reference[URI](f"{home}{BASE_PATH}/Groups/{group.role}")),
    )
