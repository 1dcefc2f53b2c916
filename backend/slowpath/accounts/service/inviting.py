"""Invitations: a secret link, told once, by which one person joins with a role."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Row

from slowpath.accounts import queries
from slowpath.accounts.errors import AlreadyMember, InvitationNotFound, InvitationUsed, RoleTooLow
from slowpath.accounts.rules.credentials import SECRET_BYTES, looks_like_secret, secret_from, secret_hash
from slowpath.accounts.rules.limits import MAX_OPEN_INVITATIONS
from slowpath.accounts.rules.roles import Caller, Person, Role, TeamRole, may_grant
from slowpath.accounts.service.auditing import audit
from slowpath.accounts.service.teams import enter, get_team
from slowpath.accounts.tables import Invitation, Membership, Team
from slowpath.core.errors import TooMany
from slowpath.core.ids import TeamId, UserId, new_id
from slowpath.core.sessions import Database, ReadSession, WriteSession

NOT_FOUND = "There is no such invitation, or it has expired."


@dataclass(frozen=True)
class OpenInvitation:
    """An invitation as its link shows it."""

    id: UUID
    team_id: TeamId
    team_slug: str
    team_name: str
    role: Role
    email: str | None
    expires_at: datetime


def invite(
    session: WriteSession, caller: Caller, *, role: Role, email: str | None, days: int, now: datetime
) -> tuple[Invitation, str | None, str]:
    """Make an invitation; return it, the name of its maker and its secret, which is kept nowhere. Raises `RoleTooLow`, `TooMany`."""
    if not may_grant(caller.role, role):
        raise RoleTooLow(f"The role {caller.role} may not invite somebody as {role}.", remedy="Ask an owner.")
    if (count := queries.count_invitations(session, now=now)) >= MAX_OPEN_INVITATIONS:
        raise TooMany(
            "The team has too many open invitations.",
            limit=MAX_OPEN_INVITATIONS,
            actual=count,
            unit="invitations",
            remedy="Withdraw some.",
        )
    secret = secret_from(secrets.token_bytes(SECRET_BYTES))
    invitation = Invitation(
        team_id=caller.team_id,
        id=new_id(),
        role=role.value,
        email=email,
        secret_hash=secret_hash(secret),
        expires_at=now + timedelta(days=days),
        created_by=caller.user_id,
    )
    session.add(invitation)
    audit(session, caller, "invitation.created", "invitation", invitation.id, {"role": role.value, "email": email})
    session.flush()  # the answer tells when it was made, which the database sets
    return invitation, queries.name_of(session, caller.user_id), secret


def invitations(
    session: ReadSession, *, now: datetime, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Row[Invitation, str | None]]:
    """Return up to `limit` open invitations with the names of those who made them, newest first."""
    return queries.invitations(session, now=now, after=after, limit=limit)


def renew(
    session: WriteSession, caller: Caller, invitation_id: UUID, *, days: int, now: datetime
) -> tuple[Invitation, str | None, str]:
    """Give an invitation another link and another end; the link before is worthless from now on.

    Returns it, the name of its maker and its secret, which is kept nowhere. Raises `InvitationNotFound`, `RoleTooLow`.
    """
    found = queries.invitation(session, invitation_id)
    if found is None or found.accepted_at is not None:
        raise InvitationNotFound(NOT_FOUND)
    if not may_grant(caller.role, Role(found.role)):
        raise RoleTooLow(f"The role {caller.role} may not invite somebody as {found.role}.", remedy="Ask an owner.")
    secret = secret_from(secrets.token_bytes(SECRET_BYTES))
    found.secret_hash, found.expires_at = secret_hash(secret), now + timedelta(days=days)
    audit(session, caller, "invitation.renewed", "invitation", found.id, {"role": found.role, "email": found.email})
    return found, queries.name_of(session, found.created_by), secret


def withdraw(session: WriteSession, caller: Caller, invitation_id: UUID) -> None:
    """Make an invitation's link worthless. Raises `InvitationNotFound`."""
    found = queries.invitation(session, invitation_id)
    if found is None or found.accepted_at is not None:
        raise InvitationNotFound(NOT_FOUND)
    audit(session, caller, "invitation.withdrawn", "invitation", found.id, {"role": found.role, "email": found.email})
    session.delete(found)


def look_at(database: Database, secret: str, *, now: datetime) -> OpenInvitation:
    """Return what a link invites to. Raises `InvitationNotFound`, `InvitationUsed`."""
    if not looks_like_secret(secret):
        raise InvitationNotFound(NOT_FOUND)
    with database.door() as door:
        found = queries.find_invitation(door, secret_hash(secret))
    if found is None or found.expires_at <= now:
        raise InvitationNotFound(NOT_FOUND, remedy="Ask for another.")
    if found.accepted_at is not None:
        raise InvitationUsed("This invitation has been accepted before.", remedy="Ask for another.")
    return OpenInvitation(
        found.invitation_id,
        TeamId(found.team_id),
        found.team_slug,
        found.team_name,
        Role(found.role),
        found.email,
        found.expires_at,
    )


def accept(session: WriteSession, invitation: OpenInvitation, person: Person, *, now: datetime) -> Team:
    """Let a person join; the session's scope becomes the team. Raises `AlreadyMember`, `InvitationUsed`."""
    if any(team.id == invitation.team_id for team in person.teams):
        raise AlreadyMember(f"You are in {invitation.team_name} already.")
    enter(session, user_id=person.user_id, team_id=invitation.team_id)
    return join(session, invitation, user_id=person.user_id, now=now)


def as_joined(team: Team, invitation: OpenInvitation | None) -> TeamRole:
    """Return the team as whoever has just joined sees it: as invited, or as its founder."""
    return TeamRole(team.id, team.slug, team.name, Role.OWNER if invitation is None else invitation.role)


def join(session: WriteSession, invitation: OpenInvitation, *, user_id: UserId, now: datetime) -> Team:
    """Use up the invitation and add the member. The row is held, so of two who come at once the second is refused."""
    row = queries.invitation(session, invitation.id)
    if row is None or row.accepted_at is not None:
        raise InvitationUsed("This invitation has been accepted before.", remedy="Ask for another.")
    row.accepted_at, row.accepted_by = now, user_id
    session.add(Membership(team_id=invitation.team_id, user_id=user_id, role=invitation.role.value))
    session.flush()  # the team and the person's name are seen from inside only
    joined = Caller(invitation.team_id, user_id, None, invitation.role, frozenset())
    audit(session, joined, "member.joined", "member", user_id, {"role": invitation.role.value})
    return get_team(session)
