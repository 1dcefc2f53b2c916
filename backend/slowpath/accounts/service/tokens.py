"""API tokens: how programs act for a team."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Row

from slowpath.accounts import queries, rules
from slowpath.accounts.errors import TokenNotFound, TokenNotValid
from slowpath.accounts.rules import Caller, TokenScope
from slowpath.accounts.service.auditing import audit
from slowpath.accounts.tables import ApiToken
from slowpath.core.errors import TooMany
from slowpath.core.ids import TeamId, new_id
from slowpath.core.sessions import Database, ReadSession, WriteSession

REMEDY = "Ask an admin of the team for another."


@dataclass(frozen=True)
class FoundToken:
    """A token that is valid now."""

    token_id: UUID
    team_id: TeamId
    scopes: frozenset[TokenScope]


def find_token(database: Database, secret: str, *, now: datetime) -> FoundToken:
    """Return whose token this is. Asks the database every time: what was revoked is over at once.

    Raises `TokenNotValid`. That it was revoked or has expired is told: only who holds it asks.
    """
    if not rules.looks_like_token(secret):
        raise TokenNotValid("This is not a token of Slowpath; perhaps a part of it is missing.", remedy=REMEDY)
    with database.door() as door:
        found = queries.find_token(
            door, rules.secret_hash(secret), seen_at=now, touch_before=now - timedelta(seconds=rules.TOUCH_SECONDS)
        )
    if found is None:
        raise TokenNotValid("There is no such token.", remedy=REMEDY)
    if found.revoked_at is not None:
        raise TokenNotValid(
            f"The token was revoked at {found.revoked_at.isoformat(timespec='seconds')}.", remedy=REMEDY
        )
    if found.expires_at is not None and found.expires_at <= now:
        raise TokenNotValid(f"The token expired at {found.expires_at.isoformat(timespec='seconds')}.", remedy=REMEDY)
    return FoundToken(found.token_id, TeamId(found.team_id), frozenset(TokenScope(scope) for scope in found.scopes))


def create_token(
    session: WriteSession,
    caller: Caller,
    *,
    name: str,
    scopes: Sequence[TokenScope],
    expires_in_days: int | None,
    now: datetime,
) -> tuple[ApiToken, str | None, str]:
    """Make a token; return it, the name of its maker and its secret, which is kept nowhere. Raises `TooMany`."""
    if (count := queries.count_tokens(session)) >= rules.MAX_TOKENS:
        raise TooMany(
            "The team has too many tokens.", limit=rules.MAX_TOKENS, actual=count, unit="tokens", remedy="Revoke some."
        )
    secret = rules.token_from(secrets.token_bytes(rules.SECRET_BYTES))
    granted = sorted({scope.value for scope in scopes})
    token = ApiToken(
        team_id=caller.team_id,
        id=new_id(),
        name=name,
        prefix=secret[: rules.TOKEN_SHOWN_LETTERS],
        secret_hash=rules.secret_hash(secret),
        scopes=granted,
        expires_at=None if expires_in_days is None else now + timedelta(days=expires_in_days),
        created_by=caller.user_id,
    )
    session.add(token)
    audit(session, caller, "token.created", "token", token.id, {"name": name, "scopes": granted})
    session.flush()  # the answer tells when it was made, which the database sets
    return token, queries.name_of(session, caller.user_id), secret


def tokens(
    session: ReadSession, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Row[ApiToken, str | None]]:
    """Return up to `limit` tokens that were not revoked, with the names of their makers, newest first."""
    return queries.tokens(session, after=after, limit=limit)


def revoke_token(session: WriteSession, caller: Caller, token_id: UUID, *, now: datetime) -> None:
    """End a token at once. Raises `TokenNotFound`."""
    token = queries.token(session, token_id)
    if token is None or token.revoked_at is not None:
        raise TokenNotFound("There is no such token in this team.")
    token.revoked_at = now
    audit(session, caller, "token.revoked", "token", token.id, {"name": token.name})
