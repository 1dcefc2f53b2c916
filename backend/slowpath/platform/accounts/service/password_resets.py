"""Forgotten passwords: whoever can read a person's mail may choose another password for them, once, within the hour."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, text, update

from slowpath.core.db_sessions import Database, WriteSession
from slowpath.core.ids import UserId, new_id
from slowpath.core.ports import RateLimiter
from slowpath.platform.accounts.errors import EmailNotConfigured, ResetNotFound
from slowpath.platform.accounts.rules.account_limits import RateLimit
from slowpath.platform.accounts.rules.account_names import normalize_email
from slowpath.platform.accounts.rules.credentials import SECRET_BYTES, hash_secret, looks_like_secret, make_secret
from slowpath.platform.accounts.rules.request_origin import rate_limit_key
from slowpath.platform.accounts.service.sessions import end_all_sessions
from slowpath.platform.accounts.service.users import count_sign_in_attempt, set_password
from slowpath.platform.accounts.tables import PasswordReset

RESET_HOURS: Final = 1
ASK_BY_ADDRESS: Final = RateLimit(20, 3600)
ASK_BY_ACCOUNT: Final = RateLimit(5, 3600)
"""So that nobody's mail box is filled by others."""
CHOOSE_BY_ADDRESS: Final = RateLimit(60, 3600)
LETTER_AGAIN_S: Final = 60.0
"""So long it is waited for a mail server that is away."""
NOT_FOUND: Final = "The link is invalid, was already used, or is older than an hour."

ASK = text("SELECT cross_team.create_password_reset(:sought, :reset, :asked_at, :ends_at)")
DRAW = text("SELECT email, name FROM cross_team.issue_password_reset(:reset, :hash, :drawn_at)")
LETTER = text("SELECT cross_team.claim_reset_mail(:at, :again_at)")
SENT = text("SELECT cross_team.record_reset_mail(:reset)")
FIND = text("SELECT reset_id, user_id FROM cross_team.find_password_reset(:sought, :at)")


@dataclass(frozen=True)
class PasswordResetMail:
    """What is mailed to somebody who forgot their password."""

    to: str
    name: str
    secret: str

    def __repr__(self) -> str:
        """Return nothing that is secret."""
        return "ResetLetter()"


def request_password_reset(
    database: Database, throttle: RateLimiter, *, email: str, address: str, now: datetime, mail_is_sent: bool
) -> None:
    """Write down that a person forgot their password; if there is none of this e-mail, nothing, without a word of it.

    Raises `EmailNotConfigured`, `TooMany`, for known and unknown people alike.
    """
    if not mail_is_sent:
        raise EmailNotConfigured("Email is not configured.", remedy="Ask an operator to set a password.")
    count_sign_in_attempt(throttle, ASK_BY_ADDRESS, f"reset:{rate_limit_key(address)}")
    count_sign_in_attempt(throttle, ASK_BY_ACCOUNT, f"reset-of:{normalize_email(email)}")
    asked = {
        "sought": normalize_email(email),
        "reset": new_id(),
        "asked_at": now,
        "ends_at": now + timedelta(hours=RESET_HOURS),
    }
    with database.cross_team() as cross_team:
        cross_team.execute(ASK, asked)


def claim_next_reset_mail(cross_team: Connection, now: datetime) -> UUID | None:
    """Take the next letter to somebody of no team, which no job can carry; untold, it is to be taken again later."""
    taken: UUID | None = cross_team.execute(
        LETTER, {"at": now, "again_at": now + timedelta(seconds=LETTER_AGAIN_S)}
    ).scalar()
    return taken


def record_reset_mail_sent(cross_team: Connection, reset_id: UUID) -> None:
    """Note that such a letter is on its way."""
    cross_team.execute(SENT, {"reset": reset_id})


def prepare_password_reset(cross_team: Connection, reset_id: UUID, now: datetime) -> PasswordResetMail | None:
    """Draw the secret of a link; one drawn before is worthless. None: it was used, or it is too late."""
    secret = make_secret(secrets.token_bytes(SECRET_BYTES))
    found = cross_team.execute(DRAW, {"reset": reset_id, "hash": hash_secret(secret), "drawn_at": now}).one_or_none()
    return None if found is None else PasswordResetMail(found.email, found.name, secret)


def get_password_reset(
    database: Database, throttle: RateLimiter, secret: str, *, address: str, now: datetime
) -> tuple[UUID, UserId]:
    """Return which link a secret is of, and whose. Raises `ResetNotFound`, `TooMany`."""
    count_sign_in_attempt(throttle, CHOOSE_BY_ADDRESS, f"choose:{rate_limit_key(address)}")
    if not looks_like_secret(secret):
        raise ResetNotFound(NOT_FOUND, remedy="Ask for a new one.")
    with database.cross_team() as cross_team:
        found = cross_team.execute(FIND, {"sought": hash_secret(secret), "at": now}).one_or_none()
    if found is None:
        raise ResetNotFound(NOT_FOUND, remedy="Ask for a new one.")
    return found.reset_id, UserId(found.user_id)


def confirm_password_reset(
    session: WriteSession, reset_id: UUID, user_id: UserId, *, password_hash: str, now: datetime
) -> None:
    """Use up the link, set the password and sign the person out everywhere; the session's scope becomes theirs.

    Of two who come at once the second is refused. Raises `ResetNotFound`.
    """
    session.scope.user_id = user_id  # its transaction has not begun yet
    used = session.scalar(
        update(PasswordReset)
        .where(PasswordReset.id == reset_id, PasswordReset.user_id == user_id, PasswordReset.used_at.is_(None))
        .values(used_at=now)
        .returning(PasswordReset.id)
        .execution_options(synchronize_session=False)
    )
    if used is None:
        raise ResetNotFound(NOT_FOUND, remedy="Ask for a new one.")
    # All other links of this person are worthless too: whoever asked for them has what they need.
    session.execute(
        update(PasswordReset)
        .where(PasswordReset.user_id == user_id, PasswordReset.used_at.is_(None))
        .values(used_at=now)
        .execution_options(synchronize_session=False)
    )
    set_password(session, user_id, password_hash=password_hash, now=now)
    end_all_sessions(session, user_id)
