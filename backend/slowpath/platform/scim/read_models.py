"""Values that the service returns."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from slowpath.platform.accounts.rules.roles import Role
from slowpath.platform.scim.rules import UserAttributes


@dataclass(frozen=True)
class ScimUser:
    """A member as SCIM shows them: provisioned, or added by hand."""

    id: UUID
    attributes: UserAttributes
    group_roles: tuple[Role, ...]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class ScimGroup:
    """A role of the team with its members: IDs and names."""

    role: Role
    members: tuple[tuple[UUID, str], ...]
