"""Invitations that are mailed: the job draws a link of its own, so that no row but its hash ever holds it."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.accounts import queries
from slowpath.accounts.jobs import MailInvitation
from slowpath.accounts.rules.credentials import SECRET_BYTES, secret_from, secret_hash
from slowpath.accounts.service.teams import get_team
from slowpath.accounts.tables import Invitation
from slowpath.core.jobs import enqueue
from slowpath.core.sessions import WriteSession


@dataclass(frozen=True)
class InvitationLetter:
    """What is mailed to somebody who is invited."""

    to: str
    team: str
    by: str | None
    role: str
    expires_at: datetime
    secret: str

    def __repr__(self) -> str:
        """Return nothing that is secret."""
        return "InvitationLetter()"


def ask_to_mail(session: WriteSession, invitation: Invitation, *, mail_is_sent: bool) -> None:
    """Have an invitation mailed, if it names whom it is meant for; a link mailed before is worthless from now on."""
    invitation.mail_secret_hash, invitation.mailed_at, invitation.mail_problem = None, None, None
    if invitation.email and mail_is_sent:
        enqueue(session, MailInvitation(invitation.id))


def draw_invitation(session: WriteSession, invitation_id: UUID, now: datetime) -> InvitationLetter | None:
    """Draw the link that is mailed. None: there is nothing to mail any more."""
    row = queries.invitation(session, invitation_id)
    if row is None or row.email is None or row.accepted_at is not None or row.expires_at <= now or row.mailed_at:
        return None
    secret = secret_from(secrets.token_bytes(SECRET_BYTES))
    row.mail_secret_hash = secret_hash(secret)
    by = queries.name_of(session, row.created_by)
    return InvitationLetter(row.email, get_team(session).name, by, row.role, row.expires_at, secret)


def invitation_mailed(
    session: WriteSession, invitation_id: UUID, now: datetime, problem: dict[str, Any] | None
) -> None:
    """Note that an invitation was mailed, or why it will not be."""
    row = queries.invitation(session, invitation_id)
    if row is not None:
        row.mailed_at, row.mail_problem = (None, problem) if problem else (now, None)
