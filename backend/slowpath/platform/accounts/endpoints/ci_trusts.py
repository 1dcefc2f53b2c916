"""HTTP endpoints of CI without stored secrets: trusted repositories, and the exchange of ID tokens."""

from uuid import UUID

from fastapi import APIRouter, Request

from slowpath.core.errors import (
    AddressNotAllowed,
    InvalidRequest,
    LimitExceeded,
    NotAuthenticated,
    NotFound,
    PermissionDenied,
    Unavailable,
    UpstreamUnavailable,
)
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import Anyone, InTeam, MayManage, Throttled, client_address
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.platform.accounts.schemas.ci_trusts import CiTokenIn, CiTokenOut, CiTrustIn, CiTrustOut, ci_trust_out
from slowpath.platform.accounts.service import ci_trusts
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import (
    Configured,
    DatabaseOf,
    IdTokens,
    Now,
    Reading,
    WayOut,
    Writing,
)

router = APIRouter(tags=["tokens"])
inside = APIRouter(prefix="/teams/{team_id}/ci-trusts", tags=["tokens"], dependencies=[InTeam])
COMMON = (NotAuthenticated, PermissionDenied, NotFound)


@inside.get("", operation_id="ci-trusts:list", responses=document_problems(*COMMON))
def list_ci_trusts(_caller: MayManage, session: Reading) -> list[CiTrustOut]:
    """List the repositories whose CI jobs get tokens, newest first."""
    return [ci_trust_out(*row) for row in ci_trusts.list_ci_trusts(session)]


@inside.post(
    "",
    operation_id="ci-trusts:create",
    status_code=201,
    responses=document_problems(*COMMON, InvalidRequest, LimitExceeded, AddressNotAllowed),
)
def create_ci_trust(caller: MayManage, sent: CiTrustIn, session: Writing, outside: WayOut, clock: Now) -> CiTrustOut:
    """Trust a repository: its CI jobs exchange their ID tokens for tokens of a service account.

    Within 15 minutes of signing in or confirming.
    """
    service.require_recent_sign_in(session, caller, now=clock.now())
    trust, account = ci_trusts.create_ci_trust(
        session,
        caller,
        outside,
        account_id=sent.service_account_id,
        provider=sent.provider,
        issuer=sent.issuer,
        repository=sent.repository,
        branch=sent.branch,
        environment=sent.environment,
        scopes=sent.scopes,
    )
    return ci_trust_out(trust, account)


@inside.delete("/{trust_id}", operation_id="ci-trusts:delete", status_code=204, responses=document_problems(*COMMON))
def delete_ci_trust(caller: MayManage, trust_id: UUID, session: Writing) -> None:
    """Trust a repository no longer. Its tokens are invalid immediately."""
    ci_trusts.delete_ci_trust(session, caller, trust_id)


@router.post(
    "/ci-tokens",
    operation_id="ci-tokens:create",
    status_code=201,
    responses=document_problems(
        *COMMON, InvalidRequest, LimitExceeded, AddressNotAllowed, UpstreamUnavailable, Unavailable
    ),
    openapi_extra=body_up_to(96 * KIB),
)
def create_ci_token(
    _anyone: Anyone,
    request: Request,
    sent: CiTokenIn,
    session: Writing,
    database: DatabaseOf,
    settings: Configured,
    throttle: Throttled,
    verifier: IdTokens,
    clock: Now,
) -> CiTokenOut:
    """Exchange the ID token of a CI job of GitHub Actions or GitLab for a token that is valid for 15 minutes."""
    secret, token = ci_trusts.exchange_ci_token(
        session,
        database,
        throttle,
        verifier,
        team=sent.team,
        id_token=sent.id_token,
        audience=settings.public_url.rstrip("/"),
        address=client_address(request),
        now=clock.now(),
    )
    assert token.expires_at is not None  # set by the exchange
    scopes = [TokenScope(scope) for scope in token.scopes]
    return CiTokenOut(token=secret, expires_at=token.expires_at, scopes=scopes)
