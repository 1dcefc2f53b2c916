"""HTTP endpoints of API tokens and service accounts."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound, PermissionDenied
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import InTeam, MayManage
from slowpath.platform.accounts.rules.roles import Role
from slowpath.platform.accounts.schemas.account_field_types import moment_of
from slowpath.platform.accounts.schemas.tokens import (
    ServiceAccountIn,
    ServiceAccountOut,
    ServiceAccountUpdate,
    TokenIn,
    TokenOut,
    TokenUpdate,
    service_account_out,
    token_out,
)
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing

router = APIRouter(prefix="/teams/{team_id}/tokens", tags=["tokens"], dependencies=[InTeam])
accounts = APIRouter(prefix="/teams/{team_id}/service-accounts", tags=["service accounts"], dependencies=[InTeam])
COMMON = (NotAuthenticated, PermissionDenied, NotFound)


@router.get("", operation_id="tokens:list", responses=document_problems(*COMMON, InvalidRequest))
def list_tokens(_caller: MayManage, session: Reading, paging: Paging) -> Page[TokenOut]:
    """List tokens that are not revoked, newest first."""
    rows = service.list_tokens(session, after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, lambda row: token_out(*row), lambda row: moment_of(row[0]))


@router.post(
    "",
    operation_id="tokens:create",
    status_code=201,
    responses=document_problems(*COMMON, InvalidRequest, LimitExceeded),
)
def create_token(caller: MayManage, sent: TokenIn, session: Writing, clock: Now) -> TokenOut:
    """Create a token of the team or of a service account, within 15 minutes of signing in or confirming.

    Only this response contains its secret.
    """
    service.require_recent_sign_in(session, caller, now=clock.now())
    token, created_by, secret = service.create_token(
        session,
        caller,
        name=sent.name,
        scopes=sent.scopes,
        expires_in_days=sent.expires_in_days,
        now=clock.now(),
        account_id=sent.service_account_id,
        requests_per_minute=sent.requests_per_minute,
        uploads_per_minute=sent.uploads_per_minute,
    )
    return token_out(token, created_by, service.get_token_owner(session, token)[1], secret)


@router.put("/{token_id}", operation_id="tokens:update", responses=document_problems(*COMMON, InvalidRequest))
def update_token(caller: MayManage, token_id: UUID, sent: TokenUpdate, session: Writing) -> TokenOut:
    """Update the name and rate limits of a token. Scopes and expiry cannot change: create another token."""
    token = service.change_token(
        session,
        caller,
        token_id,
        name=sent.name,
        requests_per_minute=sent.requests_per_minute,
        uploads_per_minute=sent.uploads_per_minute,
    )
    return token_out(token, *service.get_token_owner(session, token))


@router.delete("/{token_id}", operation_id="tokens:revoke", status_code=204, responses=document_problems(*COMMON))
def revoke_token(caller: MayManage, token_id: UUID, session: Writing, clock: Now) -> None:
    """Revoke a token immediately."""
    service.revoke_token(session, caller, token_id, now=clock.now())


@accounts.get("", operation_id="service-accounts:list", responses=document_problems(*COMMON, InvalidRequest))
def list_service_accounts(_caller: MayManage, session: Reading, paging: Paging) -> Page[ServiceAccountOut]:
    """List service accounts, newest first."""
    rows = service.service_accounts(session, after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, lambda row: service_account_out(*row), lambda row: moment_of(row[0]))


@accounts.post(
    "",
    operation_id="service-accounts:create",
    status_code=201,
    responses=document_problems(*COMMON, Conflict, InvalidRequest, LimitExceeded),
)
def create_service_account(caller: MayManage, sent: ServiceAccountIn, session: Writing) -> ServiceAccountOut:
    """Create a service account. It has no password; create a token for it."""
    account, created_by = service.create_service_account(session, caller, name=sent.name, role=Role(sent.role))
    return service_account_out(account, created_by, 0, None)


@accounts.patch(
    "/{service_account_id}",
    operation_id="service-accounts:update",
    responses=document_problems(*COMMON, Conflict, InvalidRequest),
)
def update_service_account(
    caller: MayManage, service_account_id: UUID, sent: ServiceAccountUpdate, session: Writing, clock: Now
) -> ServiceAccountOut:
    """Update a service account: name, role, disabled state. Its tokens follow immediately."""
    account = service.change_service_account(
        session,
        caller,
        service_account_id,
        name=sent.name,
        role=None if sent.role is None else Role(sent.role),
        disabled=sent.disabled,
        now=clock.now(),
    )
    return service_account_out(account, *service.describe_service_account(session, account))


@accounts.delete(
    "/{service_account_id}",
    operation_id="service-accounts:delete",
    status_code=204,
    responses=document_problems(*COMMON),
)
def delete_service_account(caller: MayManage, service_account_id: UUID, session: Writing) -> None:
    """Delete a service account and all its tokens."""
    service.remove_service_account(session, caller, service_account_id)
