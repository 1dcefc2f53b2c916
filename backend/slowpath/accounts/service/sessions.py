"""Sessions of browsers: begun by signing in, found by their cookie's secret, ended by signing out or by time."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from slowpath.accounts import queries
from slowpath.accounts.errors import SessionEnded, SessionNotFound
from slowpath.accounts.rules.credentials import SECRET_BYTES, looks_like_secret, secret_from, secret_hash
from slowpath.accounts.rules.limits import TOUCH_SECONDS, session_ends
from slowpath.accounts.rules.roles import Person, Role, TeamRole
from slowpath.accounts.tables import UserSession
from slowpath.core.ids import TeamId, UserId
from slowpath.core.sessions import Database, ReadSession, WriteSession

MAX_SHOWN = 100
MAX_BROWSER_LETTERS = 200


def begin_session(
    session: WriteSession, *, now: datetime, browser: str, address: str, issuer_token: bytes | None = None
) -> str:
    """Begin a session of the person in the session's scope, and return its secret, which is kept nowhere."""
    user_id = session.scope.user_id
    if user_id is None:
        raise LookupError("a session is begun for somebody")
    secret = secret_from(secrets.token_bytes(SECRET_BYTES))
    session.add(
        UserSession(
            user_id=user_id,
            secret_hash=secret_hash(secret),
            browser=browser[:MAX_BROWSER_LETTERS],
            address=address,
            last_seen_at=now,
            expires_at=session_ends(now),
            issuer_token=issuer_token,
        )
    )
    return secret


def find_session(database: Database, secret: str, *, now: datetime) -> Person:
    """Return who is signed in by a secret, and push the session's end back. Raises `SessionEnded`."""
    if not looks_like_secret(secret):
        raise SessionEnded("The session has ended.", remedy="Sign in again.")
    with database.door() as door:
        found = queries.find_session(
            door,
            secret_hash(secret),
            seen_at=now,
            touch_before=now - timedelta(seconds=TOUCH_SECONDS),
            ends_at=session_ends(now),
        )
    if found is None:
        raise SessionEnded("The session has ended.", remedy="Sign in again.")
    return Person(UserId(found.user_id), found.session_id, found.email, found.name, _teams(found.teams))


def teams_of(database: Database, user_id: UserId) -> tuple[TeamRole, ...]:
    """Return the teams of a person, in the order of joining."""
    with database.door() as door:
        return _teams(queries.teams_of(door, user_id))


def _teams(found: list[dict[str, Any]]) -> tuple[TeamRole, ...]:
    return tuple(
        TeamRole(TeamId(UUID(team["id"])), str(team["slug"]), str(team["name"]), Role(team["role"])) for team in found
    )


def sessions_of(session: ReadSession, person: Person, *, now: datetime) -> Sequence[UserSession]:
    """Return where a person is signed in, newest first, the newest hundred."""
    return queries.sessions_of(session, person.user_id, now=now, limit=MAX_SHOWN)


def end_session(session: WriteSession, person: Person, session_id: UUID) -> None:
    """Sign a browser out. Raises `SessionNotFound` when it is not one of this person's."""
    if queries.end_sessions(session, person.user_id, only=session_id) == 0:
        raise SessionNotFound("You have no such session.")


def end_sessions(session: WriteSession, person: Person, *, others_only: bool) -> int:
    """Sign out everywhere, or everywhere else. Returns how many sessions ended."""
    return queries.end_sessions(session, person.user_id, but=person.session_id if others_only else None)


def end_all_sessions(session: WriteSession, user_id: UserId) -> int:
    """Sign a person out everywhere. Returns how many sessions ended."""
    return queries.end_sessions(session, user_id)
