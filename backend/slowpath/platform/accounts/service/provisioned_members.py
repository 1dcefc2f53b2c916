"""Memberships that an identity provider provisions: claimed by a sign-in, given, and ended.

SCIM itself is the package `scim`. Here is what a sign-in needs, and the one place that makes a membership what its row says.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, delete, func, or_, select, text, update

from slowpath.core.db_sessions import Database, WriteSession
from slowpath.core.ids import TeamId, UserId
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.rules.account_names import normalize_email
from slowpath.platform.accounts.rules.provisioned_role import decide_role
from slowpath.platform.accounts.rules.roles import Caller, Role, TokenScope
from slowpath.platform.accounts.service.audit_log import record_audit_event
from slowpath.platform.accounts.service.teams import end_membership, set_role
from slowpath.platform.accounts.tables import ApiToken, Invitation, Membership, ProvisionedMember

LIST_UNCLAIMED = text("SELECT * FROM cross_team.list_unclaimed_members(:address, :at)")


def list_unclaimed_members(database: Database, email: str, *, now: datetime) -> Sequence[Row[Any]]:
    """Return what waits in any team for an account with this address: team_id, member_id."""
    with database.cross_team() as cross_team:
        return cross_team.execute(LIST_UNCLAIMED, {"address": normalize_email(email), "at": now}).all()


def claim_memberships(session: WriteSession, unclaimed: Sequence[Row[Any]], user_id: UserId, *, now: datetime) -> None:
    """Give a user who proved their address at the identity provider the memberships that wait for it."""
    for row in sorted(
        unclaimed, key=lambda one: str(one.team_id)
    ):  # the chains of several teams are locked in one order
        with session.in_team(TeamId(row.team_id)):
            _claim(session, row.member_id, user_id, now)


def _claim(session: WriteSession, member_id: UUID, user_id: UserId, now: datetime) -> None:
    """Bind a row to the account. It remains unclaimed if it belongs to another account, or the account has another row."""
    if queries.lock_team(session, session.team_id) is None:
        return
    waiting = (
        ProvisionedMember.is_active,
        or_(ProvisionedMember.user_id.is_(None), ProvisionedMember.claimed_at.is_(None)),
    )
    row = session.scalar(select(ProvisionedMember).where(ProvisionedMember.id == member_id, *waiting))
    others = select(ProvisionedMember.id).where(ProvisionedMember.user_id == user_id, ProvisionedMember.id != member_id)
    if row is None or row.user_id not in {None, user_id} or session.scalar(others) is not None:
        return
    held = session.scalar(select(Membership.role).where(Membership.user_id == user_id))
    if held is not None and row.user_id is None:  # the role that was given by hand counts like a group
        row.group_roles = sorted({*row.group_roles, held})
    row.user_id, row.claimed_at = user_id, now
    session.flush()
    apply_provisioning(session, Caller(session.team_id, user_id, None, Role(row.role), frozenset()), row)


def apply_provisioning(session: WriteSession, caller: Caller, row: ProvisionedMember) -> None:
    """Make a membership, whose team is locked, what its row says: none, or one with the role of its groups. Raises `LastOwner`."""
    membership = None
    if row.user_id is not None:
        membership = session.scalar(select(Membership).where(Membership.user_id == row.user_id))
    held = Role(row.role if membership is None else membership.role)
    groups = [Role(role) for role in row.group_roles]
    name = row.display_name or row.user_name
    if row.is_active:
        row.role = decide_role(groups, held=held, is_claimed=row.claimed_at is not None or row.user_id is None)
    elif membership is not None:
        row.role = held
    if not row.is_active and membership is not None:
        end_provisioned_membership(session, caller, membership, name)
    elif row.is_active and membership is not None:
        set_role(session, caller, membership, name, Role(row.role))
    elif row.is_active and row.user_id is not None:
        session.add(Membership(team_id=session.team_id, user_id=row.user_id, role=row.role))
        session.flush()  # the user's name is visible only while the user is a member
        facts = {"name": name, "role": row.role, "by": "scim"}
        action = "member.joined" if caller.user_id == row.user_id else "member.added"
        record_audit_event(session, caller, action, "member", row.user_id, facts)
    session.flush()


def end_provisioned_membership(session: WriteSession, caller: Caller, membership: Membership, name: str) -> None:
    """End a membership, and what its user could come back with: tokens and invitations that they created. Raises `LastOwner`.

    Tokens of service accounts remain, because several programs and people rely on them; so does the SCIM token, because
    provisioning must not end with the person who set it up.
    """
    user_id = membership.user_id
    end_membership(session, caller, membership, name)
    own = (
        ApiToken.created_by == user_id,
        ApiToken.revoked_at.is_(None),
        ApiToken.service_account_id.is_(None),
        ~ApiToken.scopes.contains([TokenScope.SCIM.value]),
    )
    revoked = update(ApiToken).where(*own).values(revoked_at=func.clock_timestamp())
    for token_id, token in session.execute(revoked.returning(ApiToken.id, ApiToken.name)).all():
        record_audit_event(session, caller, "token.revoked", "token", token_id, {"name": token, "by": "scim"})
    opened = delete(Invitation).where(Invitation.created_by == user_id, Invitation.accepted_at.is_(None))
    for invitation_id, role, email in session.execute(
        opened.returning(Invitation.id, Invitation.role, Invitation.email)
    ).all():
        facts = {"role": role, "email": email, "by": "scim"}
        record_audit_event(session, caller, "invitation.revoked", "invitation", invitation_id, facts)
