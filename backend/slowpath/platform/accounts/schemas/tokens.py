"""Wire shapes of tokens and service accounts."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field, StrictBool

from slowpath.platform.accounts.rules.account_limits import MAX_RATE
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.platform.accounts.schemas.account_field_types import Name, StrictRequest
from slowpath.platform.accounts.tables import ApiToken, ServiceAccount
from slowpath.platform.http.request_types import JsonInt

MAX_TOKEN_DAYS = 3650

Rate = Annotated[JsonInt, Field(ge=1, le=MAX_RATE)] | None


class ServiceAccountRole(StrEnum):
    """The roles of a service account. Only users can manage a team."""

    VIEWER = "viewer"
    MEMBER = "member"


class TokenIn(StrictRequest):
    """A new token: scopes and lifetime; null means no expiry."""

    name: Name
    scopes: Annotated[list[TokenScope], Field(min_length=1, max_length=len(TokenScope))]
    expires_in_days: Annotated[JsonInt, Field(ge=1, le=MAX_TOKEN_DAYS)] | None = 90
    service_account_id: UUID | None = None
    """The service account that owns it; null for a token of the team."""
    requests_per_minute: Rate = None
    """Null for the operator's default rate limit."""
    uploads_per_minute: Rate = None


class TokenUpdate(StrictRequest):
    """The new name and rate limits of a token."""

    name: Name
    requests_per_minute: Rate = None
    uploads_per_minute: Rate = None


class ServiceAccountIn(StrictRequest):
    """A new service account: a member that is not a user."""

    name: Name
    role: ServiceAccountRole = ServiceAccountRole.MEMBER


class ServiceAccountUpdate(StrictRequest):
    """Changes to a service account; missing and null members are unchanged."""

    name: Name | None = None
    role: ServiceAccountRole | None = None
    disabled: StrictBool | None = None


class ServiceAccountOut(BaseModel):
    """A member that is not a user: programs act as it, with its tokens."""

    id: UUID
    name: str
    role: ServiceAccountRole
    disabled_at: AwareDatetime | None
    created_at: AwareDatetime
    created_by: str | None
    tokens: int
    """Number of its valid tokens."""
    last_used_at: AwareDatetime | None


class TokenServiceAccountOut(BaseModel):
    """The service account of a token."""

    id: UUID
    name: str
    disabled: bool


class TokenOut(BaseModel):
    """A token of the team. Only the response that creates it contains `secret`."""

    id: UUID
    name: str
    prefix: str
    scopes: list[TokenScope]
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    last_used_at: AwareDatetime | None
    created_by: str | None
    service_account: TokenServiceAccountOut | None
    requests_per_minute: int | None
    """Null if the operator's default rate limit applies."""
    uploads_per_minute: int | None
    secret: str | None = None


def service_account_out(
    row: ServiceAccount, created_by: str | None, tokens: int, last_used_at: datetime | None
) -> ServiceAccountOut:
    """Return the wire shape of a service account."""
    return ServiceAccountOut(
        id=row.id,
        name=row.name,
        role=ServiceAccountRole(row.role),
        disabled_at=row.disabled_at,
        created_at=row.created_at,
        created_by=created_by,
        tokens=tokens,
        last_used_at=last_used_at,
    )


def token_out(
    row: ApiToken, created_by: str | None, account: ServiceAccount | None, secret: str | None = None
) -> TokenOut:
    """Return the wire shape of a token."""
    known = account and TokenServiceAccountOut(
        id=account.id, name=account.name, disabled=account.disabled_at is not None
    )
    return TokenOut(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        scopes=[TokenScope(scope) for scope in row.scopes],
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        created_by=created_by,
        service_account=known,
        requests_per_minute=row.requests_per_minute,
        uploads_per_minute=row.uploads_per_minute,
        secret=secret,
    )
