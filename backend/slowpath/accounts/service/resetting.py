"""Forgotten passwords: whoever can read a person's mail may choose another password for them, once, within the hour."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, text, update

from slowpath.accounts.errors import NoMailSent, ResetNotFound
from slowpath.accounts.rules.credentials import SECRET_BYTES, looks_like_secret, secret_from, secret_hash
from slowpath.accounts.rules.limits import Rate
from slowpath.accounts.rules.naming import email_key
from slowpath.accounts.rules.origins import address_key
from slowpath.accounts.service.people import count_tries, set_password
from slowpath.accounts.service.sessions import end_all_sessions
from slowpath.accounts.tables import PasswordReset
from slowpath.core.ids import UserId, new_id
from slowpath.core.ports import Throttle
from slowpath.core.sessions import Database, WriteSession

RESET_HOURS: Final = 1
ASK_BY_ADDRESS: Final = Rate(20, 3600)
ASK_BY_ACCOUNT: Final = Rate(5, 3600)
"""So that nobody's mail box is filled by others."""
CHOOSE_BY_ADDRESS: Final = Rate(60, 3600)
LETTER_AGAIN_S: Final = 60.0
"""So long it is waited for a mail server that is away."""
NOT_FOUND: Final = "There is no such link, or it was used, or it is older than an hour."

ASK = text("SELECT door.ask_password_reset(:sought, :reset, :asked_at, :ends_at)")
DRAW = text("SELECT email, name FROM door.draw_password_reset(:reset, :hash, :drawn_at)")
LETTER = text("SELECT door.take_reset_letter(:at, :again_at)")
SENT = text("SELECT door.reset_letter_sent(:reset)")
FIND = text("SELECT reset_id, user_id FROM door.find_password_reset(:sought, :at)")


@dataclass(frozen=True)
class ResetLetter:
    """What is mailed to somebody who forgot their password."""

    to: str
    name: str
    secret: str

    def __repr__(self) -> str:
        """Return nothing that is secret."""
        return "ResetLetter()"


def ask_reset(
    database: Database, throttle: Throttle, *, email: str, address: str, now: datetime, mail_is_sent: bool
) -> None:
    """Write down that a person forgot their password; if there is none of this e-mail, nothing, without a word of it.

    Raises `NoMailSent`, `TooMany`, for known and unknown people alike.
    """
    if not mail_is_sent:
        raise NoMailSent("No e-mail is sent from here.", remedy="Ask the operator, who can set a password.")
    count_tries(throttle, ASK_BY_ADDRESS, f"reset:{address_key(address)}")
    count_tries(throttle, ASK_BY_ACCOUNT, f"reset-of:{email_key(email)}")
    asked = {
        "sought": email_key(email),
        "reset": new_id(),
        "asked_at": now,
        "ends_at": now + timedelta(hours=RESET_HOURS),
    }
    with database.door() as door:
        door.execute(ASK, asked)


def next_letter(door: Connection, now: datetime) -> UUID | None:
    """Take the next letter to somebody of no team, which no job can carry; untold, it is to be taken again later."""
    taken: UUID | None = door.execute(LETTER, {"at": now, "again_at": now + timedelta(seconds=LETTER_AGAIN_S)}).scalar()
    return taken


def letter_sent(door: Connection, reset_id: UUID) -> None:
    """Note that such a letter is on its way."""
    door.execute(SENT, {"reset": reset_id})


def draw_reset(door: Connection, reset_id: UUID, now: datetime) -> ResetLetter | None:
    """Draw the secret of a link; one drawn before is worthless. None: it was used, or it is too late."""
    secret = secret_from(secrets.token_bytes(SECRET_BYTES))
    found = door.execute(DRAW, {"reset": reset_id, "hash": secret_hash(secret), "drawn_at": now}).one_or_none()
    return None if found is None else ResetLetter(found.email, found.name, secret)


def find_reset(
    database: Database, throttle: Throttle, secret: str, *, address: str, now: datetime
) -> tuple[UUID, UserId]:
    """Return which link a secret is of, and whose. Raises `ResetNotFound`, `TooMany`."""
    count_tries(throttle, CHOOSE_BY_ADDRESS, f"choose:{address_key(address)}")
    if not looks_like_secret(secret):
        raise ResetNotFound(NOT_FOUND, remedy="Ask for another.")
    with database.door() as door:
        found = door.execute(FIND, {"sought": secret_hash(secret), "at": now}).one_or_none()
    if found is None:
        raise ResetNotFound(NOT_FOUND, remedy="Ask for another.")
    return found.reset_id, UserId(found.user_id)


def choose_password(
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
        raise ResetNotFound(NOT_FOUND, remedy="Ask for another.")
    # All other links of this person are worthless too: whoever asked for them has what they need.
    session.execute(
        update(PasswordReset)
        .where(PasswordReset.user_id == user_id, PasswordReset.used_at.is_(None))
        .values(used_at=now)
        .execution_options(synchronize_session=False)
    )
    set_password(session, user_id, password_hash=password_hash, now=now)
    end_all_sessions(session, user_id)
