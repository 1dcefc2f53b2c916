"""Groups of SCIM: the roles of the team. A member of several groups has the highest role."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.platform.accounts.rules.roles import Caller, Role
from slowpath.platform.accounts.service.provisioned_members import apply_provisioning
from slowpath.platform.scim import queries
from slowpath.platform.scim.errors import ScimGroupNotFound, ScimRequestRejected, ScimUserNotFound
from slowpath.platform.scim.read_models import ScimGroup
from slowpath.platform.scim.service.users import get_or_adopt, record_provisioning


def list_groups(session: ReadSession) -> list[ScimGroup]:
    """Return the groups, the lowest role first."""
    members: dict[Role, list[tuple[UUID, str]]] = {role: [] for role in Role}
    for row in queries.select_provisioned(session):
        for role in row.group_roles:
            members[Role(role)].append((row.id, row.display_name or row.user_name))
    for membership, user in queries.select_by_hand(session):
        members[Role(membership.role)].append((membership.id, user.name))
    return [ScimGroup(role, tuple(found)) for role, found in members.items()]


def get_group(session: ReadSession, group_id: str) -> ScimGroup:
    """Return a group. Raises `ScimGroupNotFound`."""
    found = next((group for group in list_groups(session) if group.role == group_id), None)
    if found is None:
        raise ScimGroupNotFound(f"The groups are the roles of the team: {', '.join(Role)}.")
    return found


def set_group_members(
    session: WriteSession, caller: Caller, group: ScimGroup, member_ids: Collection[UUID], *, now: datetime
) -> ScimGroup:
    """Replace the members of a group, whose team is locked: first those who join it, so that an owner can follow another.

    Raises `ScimRequestRejected`, `LastOwner`.
    """
    present = {member_id for member_id, _ in group.members}
    for member_id in [*(one for one in member_ids if one not in present), *sorted(present - set(member_ids))]:
        try:
            row = get_or_adopt(session, member_id, now=now)
        except ScimUserNotFound as error:
            raise ScimRequestRejected(f"The team has no user with the ID {member_id}.") from error
        joins = {group.role.value} if member_id not in present else set()
        row.group_roles = sorted({*row.group_roles, *joins} - ({group.role.value} - joins))
        row.updated_at = now
        record_provisioning(session, caller, row, "updated")
        apply_provisioning(session, caller, row)
    return get_group(session, group.role)
