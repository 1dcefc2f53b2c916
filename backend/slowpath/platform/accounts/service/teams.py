"""Teams and their members."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, delete, func, update

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import LimitExceeded
from slowpath.core.ids import TeamId, UserId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.errors import (
    InsufficientRole,
    LastOwner,
    MemberIsManaged,
    MemberNotFound,
    SecondFactorMissing,
    TeamNotFound,
)
from slowpath.platform.accounts.jobs import EraseTeam
from slowpath.platform.accounts.rules.account_limits import GRACE_HOURS, MAX_TEAMS
from slowpath.platform.accounts.rules.account_names import make_slug
from slowpath.platform.accounts.rules.roles import (
    Caller,
    Role,
    SignedInUser,
    can_change_role,
    can_remove_member,
    would_leave_no_owner,
)
from slowpath.platform.accounts.rules.setup_steps import SetupStep
from slowpath.platform.accounts.service.audit_log import record_audit_event
from slowpath.platform.accounts.tables import Membership, ProvisionedMember, Team, User

SLUG_BYTES = 4
MANAGED_REMEDY = "Change it in the identity provider, or revoke the SCIM token of the team."


def set_team_scope(session: WriteSession, *, user_id: UserId, team_id: TeamId) -> None:
    """Set the scope of a session. PostgreSQL gets it when the transaction starts, so that must be later."""
    if session.in_transaction():
        raise LookupError("the scope of a session is set before its transaction begins")
    session.scope.user_id, session.scope.team_id = user_id, team_id


def create_team(session: WriteSession, person: SignedInUser, *, name: str) -> Team:
    """Create a team owned by a user; the session's scope becomes the new team. Raises `LimitExceeded`."""
    teams = len(person.teams)
    if teams >= MAX_TEAMS:
        raise LimitExceeded(
            f"You are a member of {teams} teams, the maximum.",
            limit=MAX_TEAMS,
            actual=teams,
            unit="teams",
            remedy="Leave one first.",
        )
    set_team_scope(session, user_id=person.user_id, team_id=TeamId(new_id()))
    return insert_team(session, name=name)


def insert_team(session: WriteSession, *, name: str) -> Team:
    """Create the team of the session's scope, owned by the user of the scope."""
    team_id, user_id = session.team_id, session.scope.user_id
    if user_id is None:
        raise LookupError("a team needs a user who creates it")
    team = Team(id=team_id, slug=make_slug(name, secrets.token_bytes(SLUG_BYTES)), name=name)
    session.add(team)
    session.flush()  # the membership refers to it
    session.add(Membership(team_id=team_id, user_id=user_id, role=Role.OWNER.value))
    session.flush()  # the audit event copies the user's name
    founder = Caller(team_id, user_id, None, Role.OWNER, frozenset())
    record_audit_event(session, founder, "team.created", "team", team_id, {"name": name})
    return team


def get_team(session: ReadSession) -> Team:
    """Return the team of the session."""
    team = session.get(Team, session.team_id)
    if team is None:
        raise TeamNotFound("The team does not exist, or you are not a member.")
    return team


def rename_team(session: WriteSession, caller: Caller, name: str) -> Team:
    """Rename the team. Its slug does not change, so links remain valid."""
    team = get_team(session)
    if team.name != name:
        record_audit_event(session, caller, "team.renamed", "team", team.id, {"from": team.name, "to": name})
        team.name = name
    return team


def require_second_factor(session: WriteSession, caller: Caller, *, is_required: bool) -> None:
    """Change whether members need a second factor. Raises `SecondFactorMissing` if the caller would be locked out."""
    team = get_team(session)
    if is_required and not caller.is_multi_factor:
        raise SecondFactorMissing(
            "You signed in without a second factor, so this would exclude you.",
            remedy="Add a second factor under Settings, Your account first.",
        )
    if team.requires_second_factor != is_required:
        facts = {"name": team.name, "requires_second_factor": is_required}
        record_audit_event(session, caller, "team.second-factor-changed", "team", team.id, facts)
        team.requires_second_factor = is_required


def set_setup_step(session: WriteSession, caller: Caller, step: SetupStep, *, is_skipped: bool) -> Team:
    """Record whether the team does without a step of the set-up page. It is locked: two steps may be skipped at once."""
    team = _locked(session, caller.team_id)
    skipped = set(team.skipped_setup_steps)
    team.skipped_setup_steps = sorted(skipped | {step} if is_skipped else skipped - {step})
    return team


def delete_team(session: WriteSession, caller: Caller, *, now: datetime) -> None:
    """Delete the team: inaccessible immediately, erased by a job when it can no longer be restored."""
    team = _locked(session, caller.team_id)
    team.deleted_at = now
    record_audit_event(session, caller, "team.deleted", "team", team.id, {"name": team.name})
    enqueue_unless_pending(session, EraseTeam(team.id), after_s=GRACE_HOURS * 3600)


def is_team_deleted(session: ReadSession) -> bool:
    """Return whether the session's team is deleted and was not restored."""
    team = session.get(Team, session.team_id)
    return team is not None and team.deleted_at is not None


def erase_team(session: WriteSession) -> None:
    """Delete every row of the session's team: the foreign key of each table to its team cascades."""
    session.execute(delete(Team).where(Team.id == session.team_id, Team.deleted_at.is_not(None)))


def lock_team(session: WriteSession) -> Team | None:
    """Lock the team of the session, so that changes of its members run one after the other; None if it is deleted."""
    return queries.lock_team(session, session.team_id)


def _locked(session: WriteSession, team_id: TeamId) -> Team:
    team = queries.lock_team(session, team_id)
    if team is None:
        raise TeamNotFound("The team does not exist, or you are not a member.")
    return team


def members(
    session: ReadSession, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Row[Membership, User, bool]]:
    """Return up to `limit` members with their names and whether SCIM manages them, newest first."""
    return queries.select_members(session, after=after, limit=limit)


def _member(session: ReadSession, user_id: UUID) -> Row[Membership, User, bool]:
    found = queries.member(session, user_id)
    if found is None:
        raise MemberNotFound("The team has no member with this ID.")
    return found


def change_role(session: WriteSession, caller: Caller, user_id: UUID, role: Role) -> Row[Membership, User, bool]:
    """Change the role of a member. Raises `MemberNotFound`, `InsufficientRole`, `MemberIsManaged`, `LastOwner`."""
    _locked(session, caller.team_id)
    found = _member(session, user_id)
    membership, user, is_managed = found
    current = Role(membership.role)
    if not can_change_role(caller.role, current, role):
        raise InsufficientRole(
            f"The role {caller.role} cannot change {current} to {role}.", remedy="Ask an owner of the team."
        )
    if is_managed:
        raise MemberIsManaged(f"The identity provider decides the role of {user.name}.", remedy=MANAGED_REMEDY)
    set_role(session, caller, membership, user.name, role)
    return found


def set_role(session: WriteSession, caller: Caller, membership: Membership, name: str, role: Role) -> None:
    """Change the role of a membership, whose team is locked, and record it. Raises `LastOwner`."""
    current = Role(membership.role)
    require_other_owner(session, current, role)
    if current is not role:
        membership.role = role.value
        facts: dict[str, Any] = {"name": name, "from": current.value, "to": role.value}
        record_audit_event(session, caller, "member.role-changed", "member", membership.user_id, facts)


def remove_member(session: WriteSession, caller: Caller, user_id: UUID) -> None:
    """Remove a member, or leave. Raises `MemberNotFound`, `InsufficientRole`, `MemberIsManaged`, `LastOwner`."""
    _locked(session, caller.team_id)
    membership, user, is_managed = _member(session, user_id)
    current, oneself = Role(membership.role), user_id == caller.user_id
    if not can_remove_member(caller.role, current, oneself=oneself):
        raise InsufficientRole(
            f"The role {caller.role} cannot remove a member with the role {current}.",
            remedy="Ask an owner of the team.",
        )
    if is_managed and not oneself:
        raise MemberIsManaged(f"The identity provider manages the membership of {user.name}.", remedy=MANAGED_REMEDY)
    end_membership(session, caller, membership, user.name)
    ended = update(ProvisionedMember).where(ProvisionedMember.user_id == user_id)
    session.execute(ended.values(is_active=False, role=current.value, updated_at=func.clock_timestamp()))


def end_membership(session: WriteSession, caller: Caller, membership: Membership, name: str) -> None:
    """Delete a membership, whose team is locked, and record it. Raises `LastOwner`."""
    current = Role(membership.role)
    require_other_owner(session, current, None)
    action = "member.left" if membership.user_id == caller.user_id else "member.removed"
    facts = {"name": name, "role": current.value}
    record_audit_event(session, caller, action, "member", membership.user_id, facts)
    session.flush()  # the audit event copies the name, which is visible only while the user is a member
    session.delete(membership)
    session.flush()  # later statements of the transaction count owners


def require_other_owner(session: ReadSession, current: Role, role: Role | None) -> None:
    """Raise `LastOwner` if a change of a role, or its end (None), would leave the team without an owner."""
    if would_leave_no_owner(queries.count_owners(session), current, role):
        raise LastOwner("This would leave the team without an owner.", remedy="Make another member an owner first.")
