"""Users of SCIM: the members of the team, provisioned or added by hand.

A user of SCIM is never an account: it controls the membership in its team, and holds what the identity provider stated.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import LimitExceeded
from slowpath.core.ids import new_id
from slowpath.platform.accounts.errors import TeamNotFound
from slowpath.platform.accounts.rules.provisioned_role import normalize_user_name
from slowpath.platform.accounts.rules.roles import Caller, Role
from slowpath.platform.accounts.service.audit_log import record_audit_event
from slowpath.platform.accounts.service.provisioned_members import apply_provisioning
from slowpath.platform.accounts.service.teams import lock_team
from slowpath.platform.accounts.tables import Membership, ProvisionedMember, User
from slowpath.platform.scim import queries
from slowpath.platform.scim.errors import ScimRequestRejected, ScimUserNotFound, ScimValueTaken
from slowpath.platform.scim.read_models import ScimUser
from slowpath.platform.scim.rules import (
    MAX_MEMBERS,
    MAX_RESULTS,
    MAX_START_INDEX,
    EmailAddress,
    UserAttributes,
    UserFilter,
    find_address,
    find_invalid_text,
)

KIND = "provisioned-member"
NOT_FOUND = "The team has no such user."


def list_users(
    session: ReadSession, asked: UserFilter | None, *, start_index: int, count: int | None
) -> tuple[int, list[ScimUser]]:
    """Return how many members a filter selects, and a page of them, oldest first; `start_index` counts from 1."""
    limit = MAX_RESULTS if count is None else min(max(count, 0), MAX_RESULTS)
    offset = min(max(start_index, 1), MAX_START_INDEX) - 1
    ids = queries.select_user_ids(session, asked, offset=offset, limit=limit)
    found = {user.id: user for user in _read_users(session, ids)}
    return queries.count_users(session, asked), [found[user_id] for user_id in ids]


def get_user(session: ReadSession, member_id: UUID) -> ScimUser:
    """Return a member. Raises `ScimUserNotFound`."""
    found = _read_users(session, [member_id])
    if not found:
        raise ScimUserNotFound(NOT_FOUND)
    return found[0]


def lock_members(session: WriteSession) -> None:
    """Lock the team, so that changes of its members run one after the other. Raises `TeamNotFound`."""
    if lock_team(session) is None:
        raise TeamNotFound("The team does not exist.")


def create_user(session: WriteSession, caller: Caller, attributes: UserAttributes, *, now: datetime) -> ScimUser:
    """Provision a member, who joins with the next sign-in at the identity provider.

    The answer is the same whether or not an account has the address. Raises `ScimValueTaken`, `LimitExceeded`.
    """
    lock_members(session)
    if (count := queries.count_provisioned(session)) >= MAX_MEMBERS:
        raise LimitExceeded(
            "The team has reached its limit of provisioned members.",
            limit=MAX_MEMBERS,
            actual=count,
            unit="members",
            remedy="Delete users that left, or provision several teams.",
        )
    row = ProvisionedMember(
        team_id=session.team_id, id=new_id(), group_roles=[], role=Role.VIEWER.value, is_active=True, created_at=now
    )
    _write_attributes(session, row, attributes, now=now)
    session.add(row)
    record_provisioning(session, caller, row, "created")
    session.flush()
    return make_user(row)


def update_user(
    session: WriteSession, caller: Caller, member_id: UUID, attributes: UserAttributes, *, now: datetime
) -> ScimUser:
    """Replace what is stated of a member, whose team is locked, and apply it to the membership.

    Raises `ScimUserNotFound`, `ScimValueTaken`, `LastOwner`.
    """
    row = get_or_adopt(session, member_id, now=now)
    was_active = row.is_active
    _write_attributes(session, row, attributes, now=now)
    action = "updated" if row.is_active is was_active else "activated" if row.is_active else "deactivated"
    record_provisioning(session, caller, row, action)
    apply_provisioning(session, caller, row)
    return make_user(row)


def delete_user(session: WriteSession, caller: Caller, member_id: UUID, *, now: datetime) -> None:
    """End a membership at once and forget what was stated of it. Raises `ScimUserNotFound`, `LastOwner`."""
    lock_members(session)
    row = get_or_adopt(session, member_id, now=now)
    row.is_active = False
    record_provisioning(session, caller, row, "deleted")
    apply_provisioning(session, caller, row)
    session.delete(row)


def get_or_adopt(session: WriteSession, member_id: UUID, *, now: datetime) -> ProvisionedMember:
    """Return the row of a member, whose team is locked; a member who was added by hand gets one, and retains their role.

    So does a member who was added by hand after a row began to wait for their address. Raises `ScimUserNotFound`.
    """
    row = next(iter(queries.select_provisioned(session, [member_id])), None)
    if row is not None:
        keys = [key for key in (row.address_key, row.user_name_key) if key is not None]
        joined = queries.find_by_email(session, keys) if row.user_id is None else None
        if joined is not None:
            membership, user = joined
            row.user_id, row.claimed_at = user.id, None
            row.group_roles = sorted({*row.group_roles, membership.role})
        return row
    by_hand = next(iter(queries.select_by_hand(session, [member_id])), None)
    if by_hand is None:
        raise ScimUserNotFound(NOT_FOUND)
    membership, user = by_hand
    row = ProvisionedMember(
        team_id=session.team_id,
        id=membership.id,
        user_id=user.id,
        group_roles=[membership.role],
        role=membership.role,
        is_active=True,
        created_at=membership.created_at,
    )
    _write_attributes(session, row, _attributes_of_account(user), now=now)
    session.add(row)
    session.flush()
    return row


def record_provisioning(session: WriteSession, caller: Caller, row: ProvisionedMember, verb: str) -> None:
    """Record in the audit log what the identity provider changed."""
    facts: dict[str, Any] = {"name": row.user_name, "is_active": row.is_active, "groups": row.group_roles}
    record_audit_event(session, caller, f"{KIND}.{verb}", KIND, row.id, facts)


def make_user(row: ProvisionedMember) -> ScimUser:
    """Return a provisioned member as SCIM shows them."""
    attributes = UserAttributes(
        row.user_name,
        row.external_id,
        row.display_name,
        row.formatted_name,
        row.given_name,
        row.family_name,
        tuple(EmailAddress(email["value"], email["type"], email["primary"]) for email in row.emails),
        row.is_active,
    )
    return ScimUser(row.id, attributes, tuple(Role(role) for role in row.group_roles), row.created_at, row.updated_at)


def make_user_by_hand(membership: Membership, user: User) -> ScimUser:
    """Return a member who was added by hand as SCIM shows them: no more than other members see."""
    at = membership.created_at
    return ScimUser(membership.id, _attributes_of_account(user), (Role(membership.role),), at, at)


def _attributes_of_account(user: User) -> UserAttributes:
    emails = (EmailAddress(user.email, "work", is_primary=True),)
    return UserAttributes(user.email, display_name=user.name, emails=emails, is_active=True)


def _read_users(session: ReadSession, ids: Sequence[UUID]) -> list[ScimUser]:
    by_hand = [make_user_by_hand(*row) for row in queries.select_by_hand(session, ids)]
    return [*(make_user(row) for row in queries.select_provisioned(session, ids)), *by_hand]


def _write_attributes(
    session: ReadSession, row: ProvisionedMember, attributes: UserAttributes, *, now: datetime
) -> None:
    """Write what the identity provider states. Raises `ScimRequestRejected`, `ScimValueTaken`."""
    problem = find_invalid_text(attributes)
    if problem is not None:
        raise ScimRequestRejected(problem)
    user_name, address = normalize_user_name(attributes.user_name), find_address(attributes)
    taken = queries.find_taken(session, row.id, user_name, address)
    if taken is None and (joined := queries.find_by_email(session, [user_name, *([address] if address else [])])):
        taken = joined[1].email if joined[1].id != row.user_id else None
    if taken is not None:
        raise ScimValueTaken(f"The member {taken} of the team has this userName or email.")
    row.user_name, row.user_name_key, row.address_key = attributes.user_name, user_name, address
    row.external_id, row.display_name = attributes.external_id, attributes.display_name
    row.formatted_name = attributes.formatted_name
    row.given_name, row.family_name = attributes.given_name, attributes.family_name
    row.emails = [
        {"value": email.value, "type": email.kind, "primary": email.is_primary} for email in attributes.emails
    ]
    if attributes.is_active is not None:
        row.is_active = attributes.is_active
    row.updated_at = now
