"""API tokens: programs act for a team with them."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Row

from slowpath.core.db_sessions import Database, ReadSession, WriteSession
from slowpath.core.errors import InvalidRequest, LimitExceeded
from slowpath.core.ids import TeamId, new_id
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.errors import InsufficientRole, InvalidToken, TokenNotFound
from slowpath.platform.accounts.rules.account_limits import MAX_TOKENS, TOUCH_SECONDS
from slowpath.platform.accounts.rules.credentials import (
    SECRET_BYTES,
    TOKEN_SHOWN_LETTERS,
    hash_secret,
    looks_like_token,
    make_token,
)
from slowpath.platform.accounts.rules.roles import SCOPES_OF, Caller, Role, TokenScope, restrict_scopes
from slowpath.platform.accounts.service.audit_log import record_audit_event
from slowpath.platform.accounts.service.service_accounts import get_service_account
from slowpath.platform.accounts.tables import ApiToken, ServiceAccount

REMEDY = "Ask an admin of the team for a new token."


@dataclass(frozen=True)
class AuthenticatedToken:
    """A valid token."""

    token_id: UUID
    team_id: TeamId
    scopes: frozenset[TokenScope]
    account_id: UUID | None
    requests_per_minute: int | None
    uploads_per_minute: int | None


def authenticate_token(database: Database, secret: str, *, now: datetime) -> AuthenticatedToken:
    """Return the token of a secret. Queries the database every time: a revoked token is invalid immediately.

    Raises `InvalidToken`, which reveals revocation and expiry: only the holder of the secret can get it.
    """
    if not looks_like_token(secret):
        raise InvalidToken("This is not a Slowpath token, or a part of it is missing.", remedy=REMEDY)
    with database.cross_team() as cross_team:
        found = queries.find_token(
            cross_team, hash_secret(secret), seen_at=now, touch_before=now - timedelta(seconds=TOUCH_SECONDS)
        )
    if found is None:
        raise InvalidToken("The token does not exist.", remedy=REMEDY)
    if found.revoked_at is not None:
        raise InvalidToken(f"The token was revoked at {found.revoked_at.isoformat(timespec='seconds')}.", remedy=REMEDY)
    if found.expires_at is not None and found.expires_at <= now:
        raise InvalidToken(f"The token expired at {found.expires_at.isoformat(timespec='seconds')}.", remedy=REMEDY)
    if found.account_disabled_at is not None:
        since = found.account_disabled_at.isoformat(timespec="seconds")
        raise InvalidToken(f"The service account of this token was disabled at {since}.", remedy=REMEDY)
    scopes = frozenset(TokenScope(scope) for scope in found.scopes)
    if found.account_role is not None:
        scopes = restrict_scopes(scopes, Role(found.account_role))
    return AuthenticatedToken(
        found.token_id,
        TeamId(found.team_id),
        scopes,
        found.account_id,
        found.requests_per_minute,
        found.uploads_per_minute,
    )


def create_token(
    session: WriteSession,
    caller: Caller,
    *,
    name: str,
    scopes: Sequence[TokenScope],
    expires_in_days: int | None,
    now: datetime,
    account_id: UUID | None = None,
    requests_per_minute: int | None = None,
    uploads_per_minute: int | None = None,
) -> tuple[ApiToken, str | None, str]:
    """Create a token. Returns it, its creator's name and its secret, which is not stored.

    Raises `LimitExceeded`, `ServiceAccountNotFound`, and `InvalidRequest` for scopes beyond the account's role.
    """
    account = None if account_id is None else get_service_account(session, account_id)
    if TokenScope.SCIM in scopes:
        _require_provisioning_token(caller, frozenset(scopes))
    if account is not None:
        require_scopes_of_role(account, frozenset(scopes))
    if (count := queries.count_tokens(session)) >= MAX_TOKENS:
        raise LimitExceeded(
            "The team has reached its limit of tokens.",
            limit=MAX_TOKENS,
            actual=count,
            unit="tokens",
            remedy="Revoke unused tokens.",
        )
    secret = make_token(secrets.token_bytes(SECRET_BYTES))
    granted = sorted({scope.value for scope in scopes})
    token = ApiToken(
        team_id=caller.team_id,
        id=new_id(),
        name=name,
        prefix=secret[:TOKEN_SHOWN_LETTERS],
        secret_hash=hash_secret(secret),
        scopes=granted,
        expires_at=None if expires_in_days is None else now + timedelta(days=expires_in_days),
        service_account_id=account_id,
        requests_per_minute=requests_per_minute,
        uploads_per_minute=uploads_per_minute,
        created_by=caller.user_id,
    )
    session.add(token)
    facts = {"name": name, "scopes": granted, "expires_in_days": expires_in_days}
    if account is not None:
        facts["service_account"] = account.name
    record_audit_event(session, caller, "token.created", "token", token.id, facts)
    session.flush()  # the response contains the creation time, which the database sets
    return token, queries.select_user_name(session, caller.user_id), secret


def _require_provisioning_token(caller: Caller, scopes: frozenset[TokenScope]) -> None:
    """Raise unless an owner asks for the scope `scim` alone: such a token makes and removes owners, and does nothing else."""
    if not caller.role.reaches(Role.OWNER):
        raise InsufficientRole(
            f"A token with the scope scim makes and removes owners; your role is {caller.role}.",
            remedy="Ask an owner of the team.",
        )
    if scopes != {TokenScope.SCIM}:
        raise InvalidRequest(
            "A token with the scope scim has no other scope.",
            slug="scim-scope-alone",
            remedy="Create a token with the scope scim only.",
        )


def require_scopes_of_role(account: ServiceAccount, scopes: frozenset[TokenScope]) -> None:
    """Raise `InvalidRequest` for scopes beyond the role of a service account."""
    beyond = scopes - SCOPES_OF[Role(account.role)]
    if beyond:
        raise InvalidRequest(
            f"{account.name} is a {account.role}: its tokens cannot have the scope {' or '.join(sorted(beyond))}.",
            slug="scope-beyond-role",
            remedy=(
                "Create a token of the team instead."
                if beyond & {TokenScope.AUDIT, TokenScope.SCIM}
                else "Give the service account the role member first."
            ),
        )


def change_token(
    session: WriteSession,
    caller: Caller,
    token_id: UUID,
    *,
    name: str,
    requests_per_minute: int | None,
    uploads_per_minute: int | None,
) -> ApiToken:
    """Update the name and rate limits of a token. Raises `TokenNotFound`."""
    token = get_token(session, token_id)
    before = (token.name, token.requests_per_minute, token.uploads_per_minute)
    token.name, token.requests_per_minute, token.uploads_per_minute = name, requests_per_minute, uploads_per_minute
    if before != (name, requests_per_minute, uploads_per_minute):
        facts = {"name": name, "requests_per_minute": requests_per_minute, "uploads_per_minute": uploads_per_minute}
        record_audit_event(session, caller, "token.updated", "token", token.id, facts)
    return token


def get_token(session: ReadSession, token_id: UUID) -> ApiToken:
    """Return a token that is not revoked. Raises `TokenNotFound`."""
    token = queries.token(session, token_id)
    if token is None or token.revoked_at is not None:
        raise TokenNotFound("The team has no such token.")
    return token


def get_token_owner(session: ReadSession, token: ApiToken) -> tuple[str | None, ServiceAccount | None]:
    """Return a token's creator and service account."""
    account = None if token.service_account_id is None else get_service_account(session, token.service_account_id)
    return queries.select_user_name(session, token.created_by), account


def list_tokens(
    session: ReadSession, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Row[ApiToken, str | None, ServiceAccount | None]]:
    """Return up to `limit` tokens that are not revoked, with creators and service accounts, newest first."""
    return queries.tokens(session, after=after, limit=limit)


def revoke_token(session: WriteSession, caller: Caller, token_id: UUID, *, now: datetime) -> None:
    """Revoke a token immediately. Raises `TokenNotFound`."""
    token = get_token(session, token_id)
    token.revoked_at = now
    record_audit_event(session, caller, "token.revoked", "token", token.id, {"name": token.name})
