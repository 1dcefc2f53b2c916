"""Invitations: a secret link, shown once, by which one user joins with a role."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Row

from slowpath.core.db_sessions import Database, ReadSession, WriteSession
from slowpath.core.errors import LimitExceeded
from slowpath.core.ids import TeamId, UserId, new_id
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.errors import AlreadyMember, InsufficientRole, InvitationNotFound, InvitationUsed
from slowpath.platform.accounts.rules.account_limits import MAX_OPEN_INVITATIONS
from slowpath.platform.accounts.rules.credentials import SECRET_BYTES, hash_secret, looks_like_secret, make_secret
from slowpath.platform.accounts.rules.roles import Caller, Role, SignedInUser, TeamMembership, can_grant
from slowpath.platform.accounts.service.audit_log import record_audit_event
from slowpath.platform.accounts.service.teams import get_team, set_team_scope
from slowpath.platform.accounts.tables import Invitation, Membership, Team

NOT_FOUND = "The invitation does not exist or has expired."


@dataclass(frozen=True)
class OpenInvitation:
    """An invitation, as its link shows it."""

    id: UUID
    team_id: TeamId
    team_slug: str
    team_name: str
    role: Role
    email: str | None
    expires_at: datetime


def create_invitation(
    session: WriteSession, caller: Caller, *, role: Role, email: str | None, days: int, now: datetime
) -> tuple[Invitation, str | None, str]:
    """Create an invitation. Returns it, its creator's name and its secret, which is not stored.

    Raises `InsufficientRole`, `LimitExceeded`.
    """
    if not can_grant(caller.role, role):
        raise InsufficientRole(
            f"The role {caller.role} cannot invite a member as {role}.", remedy="Ask an owner of the team."
        )
    if (count := queries.count_invitations(session, now=now)) >= MAX_OPEN_INVITATIONS:
        raise LimitExceeded(
            "The team has reached its limit of open invitations.",
            limit=MAX_OPEN_INVITATIONS,
            actual=count,
            unit="invitations",
            remedy="Withdraw an invitation first.",
        )
    secret = make_secret(secrets.token_bytes(SECRET_BYTES))
    invitation = Invitation(
        team_id=caller.team_id,
        id=new_id(),
        role=role.value,
        email=email,
        secret_hash=hash_secret(secret),
        expires_at=now + timedelta(days=days),
        created_by=caller.user_id,
    )
    session.add(invitation)
    record_audit_event(
        session, caller, "invitation.created", "invitation", invitation.id, {"role": role.value, "email": email}
    )
    session.flush()  # the response contains the creation time, which the database sets
    return invitation, queries.select_user_name(session, caller.user_id), secret


def list_invitations(
    session: ReadSession, *, now: datetime, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Row[Invitation, str | None]]:
    """Return up to `limit` open invitations with the names of their creators, newest first."""
    return queries.invitations(session, now=now, after=after, limit=limit)


def renew_invitation(
    session: WriteSession, caller: Caller, invitation_id: UUID, *, days: int, now: datetime
) -> tuple[Invitation, str | None, str]:
    """Renew the link and expiry of an invitation; the previous link becomes invalid.

    Returns it, its creator's name and its secret, which is not stored. Raises `InvitationNotFound`, `InsufficientRole`.
    """
    found = queries.invitation(session, invitation_id)
    if found is None or found.accepted_at is not None:
        raise InvitationNotFound(NOT_FOUND)
    if not can_grant(caller.role, Role(found.role)):
        raise InsufficientRole(
            f"The role {caller.role} cannot invite a member as {found.role}.", remedy="Ask an owner of the team."
        )
    secret = make_secret(secrets.token_bytes(SECRET_BYTES))
    found.secret_hash, found.expires_at = hash_secret(secret), now + timedelta(days=days)
    record_audit_event(
        session, caller, "invitation.link-rotated", "invitation", found.id, {"role": found.role, "email": found.email}
    )
    return found, queries.select_user_name(session, found.created_by), secret


def revoke_invitation(session: WriteSession, caller: Caller, invitation_id: UUID) -> None:
    """Revoke an invitation. Raises `InvitationNotFound`."""
    found = queries.invitation(session, invitation_id)
    if found is None or found.accepted_at is not None:
        raise InvitationNotFound(NOT_FOUND)
    record_audit_event(
        session, caller, "invitation.revoked", "invitation", found.id, {"role": found.role, "email": found.email}
    )
    session.delete(found)


def preview_invitation(database: Database, secret: str, *, now: datetime) -> OpenInvitation:
    """Return the invitation of a link. Raises `InvitationNotFound`, `InvitationUsed`."""
    if not looks_like_secret(secret):
        raise InvitationNotFound(NOT_FOUND)
    with database.cross_team() as cross_team:
        found = queries.find_invitation(cross_team, hash_secret(secret))
    if found is None or found.expires_at <= now:
        raise InvitationNotFound(NOT_FOUND, remedy="Ask for a new one.")
    if found.accepted_at is not None:
        raise InvitationUsed("This invitation was already accepted.", remedy="Ask for a new one.")
    return OpenInvitation(
        found.invitation_id,
        TeamId(found.team_id),
        found.team_slug,
        found.team_name,
        Role(found.role),
        found.email,
        found.expires_at,
    )


def accept_invitation(
    session: WriteSession, invitation: OpenInvitation, person: SignedInUser, *, now: datetime
) -> Team:
    """Add a user to the team; the session's scope becomes the team. Raises `AlreadyMember`, `InvitationUsed`."""
    if any(team.id == invitation.team_id for team in person.teams):
        raise AlreadyMember(f"You are already a member of {invitation.team_name}.")
    set_team_scope(session, user_id=person.user_id, team_id=invitation.team_id)
    return add_invited_member(session, invitation, user_id=person.user_id, now=now)


def membership_after_join(team: Team, invitation: OpenInvitation | None) -> TeamMembership:
    """Return the team as its new member sees it: with the role of the invitation, or as its founder."""
    role = Role.OWNER if invitation is None else invitation.role
    return TeamMembership(team.id, team.slug, team.name, role, requires_second_factor=team.requires_second_factor)


def add_invited_member(session: WriteSession, invitation: OpenInvitation, *, user_id: UserId, now: datetime) -> Team:
    """Use up the invitation and add the member. The row is locked: of two concurrent requests the second fails."""
    row = queries.invitation(session, invitation.id)
    if row is None or row.accepted_at is not None:
        raise InvitationUsed("This invitation was already accepted.", remedy="Ask for a new one.")
    row.accepted_at, row.accepted_by = now, user_id
    session.add(Membership(team_id=invitation.team_id, user_id=user_id, role=invitation.role.value))
    session.flush()  # the team and the user's name are visible only within the scope
    joined = Caller(invitation.team_id, user_id, None, invitation.role, frozenset())
    record_audit_event(session, joined, "member.joined", "member", user_id, {"role": invitation.role.value})
    return get_team(session)
