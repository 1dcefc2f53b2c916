"""Password resets: the emailed link sets a new password, once, within an hour."""

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
"""So that others cannot flood a user's mailbox."""
CHOOSE_BY_ADDRESS: Final = RateLimit(60, 3600)
LETTER_AGAIN_S: Final = 60.0
"""How long to wait for an unavailable mail server."""
NOT_FOUND: Final = "The link is invalid, was already used, or is older than an hour."

ASK = text("SELECT cross_team.create_password_reset(:sought, :reset, :asked_at, :ends_at)")
DRAW = text("SELECT email, name FROM cross_team.issue_password_reset(:reset, :hash, :drawn_at)")
LETTER = text("SELECT cross_team.claim_reset_mail(:at, :again_at)")
SENT = text("SELECT cross_team.record_reset_mail(:reset)")
FIND = text("SELECT reset_id, user_id FROM cross_team.find_password_reset(:sought, :at)")


@dataclass(frozen=True)
class PasswordResetMail:
    """The content of a password reset email."""

    to: str
    name: str
    secret: str

    def __repr__(self) -> str:
        """Return a text without secrets."""
        return "ResetLetter()"


def request_password_reset(
    database: Database, throttle: RateLimiter, *, email: str, address: str, now: datetime, mail_is_sent: bool
) -> None:
    """Record a password reset request; without an account of this email, do nothing and do not reveal it.

    Raises `EmailNotConfigured`, `LimitExceeded`, whether or not the account exists.
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
    """Claim the next mail to a user without a team; it is claimed again if not recorded as sent."""
    taken: UUID | None = cross_team.execute(
        LETTER, {"at": now, "again_at": now + timedelta(seconds=LETTER_AGAIN_S)}
    ).scalar()
    return taken


def record_reset_mail_sent(cross_team: Connection, reset_id: UUID) -> None:
    """Record that such a mail was sent."""
    cross_team.execute(SENT, {"reset": reset_id})


def prepare_password_reset(cross_team: Connection, reset_id: UUID, now: datetime) -> PasswordResetMail | None:
    """Create the secret of a link; an earlier one becomes invalid. None: the reset was used or has expired."""
    secret = make_secret(secrets.token_bytes(SECRET_BYTES))
    found = cross_team.execute(DRAW, {"reset": reset_id, "hash": hash_secret(secret), "drawn_at": now}).one_or_none()
    return None if found is None else PasswordResetMail(found.email, found.name, secret)


def get_password_reset(
    database: Database, throttle: RateLimiter, secret: str, *, address: str, now: datetime
) -> tuple[UUID, UserId]:
    """Return the reset and user of a secret. Raises `ResetNotFound`, `LimitExceeded`."""
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
    """Use up the link, set the password and end all sessions; the session's scope becomes the user's.

    Of two concurrent requests the second fails. Raises `ResetNotFound`.
    """
    session.scope.user_id = user_id  # the transaction has not started yet
    used = session.scalar(
        update(PasswordReset)
        .where(PasswordReset.id == reset_id, PasswordReset.user_id == user_id, PasswordReset.used_at.is_(None))
        .values(used_at=now)
        .returning(PasswordReset.id)
        .execution_options(synchronize_session=False)
    )
    if used is None:
        raise ResetNotFound(NOT_FOUND, remedy="Ask for a new one.")
    # All other links of this user become invalid too.
    session.execute(
        update(PasswordReset)
        .where(PasswordReset.user_id == user_id, PasswordReset.used_at.is_(None))
        .values(used_at=now)
        .execution_options(synchronize_session=False)
    )
    set_password(session, user_id, password_hash=password_hash, now=now)
    end_all_sessions(session, user_id)
