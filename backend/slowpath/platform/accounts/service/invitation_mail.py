"""Mail invitations. The job creates a separate link, so that only its hash is ever stored."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import WriteSession
from slowpath.core.jobs import enqueue
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.jobs import MailInvitation
from slowpath.platform.accounts.rules.credentials import SECRET_BYTES, hash_secret, make_secret
from slowpath.platform.accounts.service.teams import get_team
from slowpath.platform.accounts.tables import Invitation


@dataclass(frozen=True)
class InvitationMail:
    """The content of an invitation email."""

    to: str
    team: str
    by: str | None
    role: str
    expires_at: datetime
    time_zone: str | None
    """Of the user who invites: the invited person has no account yet."""
    secret: str

    def __repr__(self) -> str:
        """Return a text without secrets."""
        return "InvitationLetter()"


def enqueue_invitation_mail(session: WriteSession, invitation: Invitation, *, mail_is_sent: bool) -> None:
    """Enqueue the email of an invitation, if it has an address; a link mailed before becomes invalid."""
    invitation.mail_secret_hash, invitation.mailed_at, invitation.mail_error = None, None, None
    if invitation.email and mail_is_sent:
        enqueue(session, MailInvitation(invitation.id))


def prepare_invitation_mail(session: WriteSession, invitation_id: UUID, now: datetime) -> InvitationMail | None:
    """Create the mailed link. None: there is nothing to mail any more."""
    row = queries.invitation(session, invitation_id)
    if row is None or row.email is None or row.accepted_at is not None or row.expires_at <= now or row.mailed_at:
        return None
    secret = make_secret(secrets.token_bytes(SECRET_BYTES))
    row.mail_secret_hash = hash_secret(secret)
    by = queries.select_user_name(session, row.created_by)
    zone = queries.select_time_zone(session, row.created_by)
    return InvitationMail(row.email, get_team(session).name, by, row.role, row.expires_at, zone, secret)


def record_invitation_mailed(
    session: WriteSession, invitation_id: UUID, now: datetime, problem: dict[str, Any] | None
) -> None:
    """Record that an invitation was mailed, or why it cannot be."""
    row = queries.invitation(session, invitation_id)
    if row is not None:
        row.mailed_at, row.mail_error = (None, problem) if problem else (now, None)
