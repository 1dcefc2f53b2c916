"""Browser sessions: created by sign-in, found by the secret of their cookie, ended by sign-out or expiry."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import true, update

from slowpath.core.db_sessions import Database, ReadSession, WriteSession
from slowpath.core.ids import TeamId, UserId
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.errors import SessionExpired, SessionNotFound
from slowpath.platform.accounts.rules.account_limits import TOUCH_SECONDS, session_expiry
from slowpath.platform.accounts.rules.credentials import SECRET_BYTES, hash_secret, looks_like_secret, make_secret
from slowpath.platform.accounts.rules.roles import Role, SignedInUser, TeamMembership
from slowpath.platform.accounts.tables import UserSession

MAX_SHOWN = 100
MAX_BROWSER_LETTERS = 200


def begin_session(
    session: WriteSession,
    *,
    now: datetime,
    browser: str,
    address: str,
    is_multi_factor: bool,
    issuer_token: bytes | None = None,
) -> str:
    """Create a session of the scope's user and return its secret, which is not stored."""
    user_id = session.scope.user_id
    if user_id is None:
        raise LookupError("a session needs a user")
    secret = make_secret(secrets.token_bytes(SECRET_BYTES))
    session.add(
        UserSession(
            user_id=user_id,
            secret_hash=hash_secret(secret),
            browser=browser[:MAX_BROWSER_LETTERS],
            address=address,
            last_seen_at=now,
            expires_at=session_expiry(now),
            encrypted_id_token=issuer_token,
            is_multi_factor=is_multi_factor,
            created_at=now,
        )
    )
    return secret


def renew_session(
    session: WriteSession, person: SignedInUser, secret: str, *, is_multi_factor: bool, now: datetime
) -> str:
    """Record that a user confirmed a session and return its new secret: copies of the former cookie become invalid.

    Raises `SessionExpired` if the session ended, or another request replaced its secret meanwhile.
    """
    factors = true() if is_multi_factor else UserSession.is_multi_factor
    renewed = make_secret(secrets.token_bytes(SECRET_BYTES))
    found = session.scalar(
        update(UserSession)
        .where(UserSession.id == person.session_id, UserSession.secret_hash == hash_secret(secret))
        .values(secret_hash=hash_secret(renewed), confirmed_at=now, is_multi_factor=factors)
        .returning(UserSession.id)
    )
    if found is None:
        raise SessionExpired("The session ended, or was confirmed elsewhere meanwhile.", remedy="Try again.")
    return renewed


def find_session(database: Database, secret: str, *, now: datetime) -> SignedInUser:
    """Return the signed-in user of a secret, and extend the session. Raises `SessionExpired`."""
    if not looks_like_secret(secret):
        raise SessionExpired("The session has expired.", remedy="Sign in again.")
    with database.cross_team() as cross_team:
        found = queries.find_session(
            cross_team,
            hash_secret(secret),
            seen_at=now,
            touch_before=now - timedelta(seconds=TOUCH_SECONDS),
            ends_at=session_expiry(now),
        )
    if found is None:
        raise SessionExpired("The session has expired.", remedy="Sign in again.")
    teams = _teams(found.teams)
    return SignedInUser(UserId(found.user_id), found.session_id, found.email, found.name, teams, found.is_multi_factor)


def teams_of(database: Database, user_id: UserId) -> tuple[TeamMembership, ...]:
    """Return the teams of a user, in the order of joining."""
    with database.cross_team() as cross_team:
        return _teams(queries.select_teams_of_user(cross_team, user_id))


def _teams(found: list[dict[str, Any]]) -> tuple[TeamMembership, ...]:
    return tuple(
        TeamMembership(
            TeamId(UUID(team["id"])),
            str(team["slug"]),
            str(team["name"]),
            Role(team["role"]),
            requires_second_factor=bool(team["requires_second_factor"]),
        )
        for team in found
    )


def sessions_of(session: ReadSession, person: SignedInUser, *, now: datetime) -> Sequence[UserSession]:
    """Return the sessions of a user, newest first, at most a hundred."""
    return queries.select_sessions_of_user(session, person.user_id, now=now, limit=MAX_SHOWN)


def end_session(session: WriteSession, person: SignedInUser, session_id: UUID) -> None:
    """End one session. Raises `SessionNotFound` if it is not one of this user's."""
    if queries.end_sessions(session, person.user_id, only=session_id) == 0:
        raise SessionNotFound("You have no session with this ID.")


def end_sessions(session: WriteSession, person: SignedInUser, *, others_only: bool) -> int:
    """End all sessions, or all others. Returns how many ended."""
    return queries.end_sessions(session, person.user_id, but=person.session_id if others_only else None)


def end_all_sessions(session: WriteSession, user_id: UserId) -> int:
    """End all sessions of a user. Returns how many ended."""
    return queries.end_sessions(session, user_id)
