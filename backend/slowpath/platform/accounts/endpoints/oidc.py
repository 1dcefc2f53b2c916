"""HTTP endpoints of sign-in by OpenID Connect."""

from fastapi import APIRouter

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound, PermissionDenied
from slowpath.core.ports import OidcIssuerPort
from slowpath.core.settings import Settings
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import Anyone, SignedIn, client_address
from slowpath.platform.accounts.endpoints.provider_flows import FlowTools, finish_flow, keep_flow, take_flow
from slowpath.platform.accounts.errors import ProviderResponseRejected
from slowpath.platform.accounts.rules.provider_flow import FlowGoal
from slowpath.platform.accounts.schemas.provider_sign_in import (
    OidcCallbackIn,
    ProviderFlowIn,
    ProviderRedirectOut,
    ProviderSignInOut,
)
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import DatabaseOf, IssuerOf, Reading, Writing

router = APIRouter(prefix="/oidc", tags=["sign-in"])
COMMON = (NotAuthenticated, PermissionDenied, NotFound, InvalidRequest, LimitExceeded)


def _there(issuer: OidcIssuerPort | None) -> OidcIssuerPort:
    if issuer is None:
        raise NotFound(
            "Sign-in with an identity provider is not configured.", remedy="An operator sets SLOWPATH_OIDC_ISSUER."
        )
    return issuer


def _redirect_uri(settings: Settings) -> str:
    return settings.public_url.rstrip("/") + settings.oidc_redirect_path


def _start(tools: FlowTools, issuer: OidcIssuerPort | None, goal: FlowGoal) -> ProviderRedirectOut:
    begun = service.start_oidc_flow(
        _there(issuer),
        tools.sealer,
        tools.throttle,
        goal,
        redirect_uri=_redirect_uri(tools.settings),
        address=client_address(tools.request),
        now=tools.clock.now(),
    )
    return keep_flow(tools, "oidc", begun)


@router.post(
    "/sign-in-requests",
    operation_id="oidc:create-sign-in-request",
    status_code=201,
    responses=document_problems(*COMMON),
)
def start_oidc_sign_in(
    _anyone: Anyone, sent: ProviderFlowIn, issuer: IssuerOf, tools: FlowTools
) -> ProviderRedirectOut:
    """Start a sign-in at the identity provider."""
    return _start(tools, issuer, FlowGoal(sent.next, sent.invitation))


@router.post(
    "/link-requests",
    operation_id="oidc:create-link-request",
    status_code=201,
    responses=document_problems(*COMMON),
)
def start_oidc_link(
    person: SignedIn, sent: ProviderFlowIn, session: Reading, issuer: IssuerOf, tools: FlowTools
) -> ProviderRedirectOut:
    """Start to link an identity of the identity provider to your account, within 15 minutes of signing in or confirming."""
    service.require_recent_sign_in(session, person, now=tools.clock.now())
    return _start(tools, issuer, FlowGoal(sent.next, link=person.user_id))


@router.post(
    "/confirmation-requests",
    operation_id="oidc:create-confirmation-request",
    status_code=201,
    responses=document_problems(*COMMON),
)
def start_oidc_confirmation(
    person: SignedIn, sent: ProviderFlowIn, issuer: IssuerOf, tools: FlowTools
) -> ProviderRedirectOut:
    """Start to confirm the sign-in of this session at the identity provider, which asks you to sign in anew."""
    return _start(tools, issuer, FlowGoal(sent.next, confirms=person.session_id))


@router.post("/callback", operation_id="oidc:callback", status_code=201, responses=document_problems(*COMMON, Conflict))
def complete_oidc_sign_in(
    _anyone: Anyone, sent: OidcCallbackIn, session: Writing, database: DatabaseOf, issuer: IssuerOf, tools: FlowTools
) -> ProviderSignInOut:
    """Finish a sign-in, confirm one, or link an identity. A response of the identity provider can be used once."""
    asked = _there(issuer)
    flow, person = take_flow(tools, "oidc", sent.state)
    if sent.error is not None or sent.code is None:
        denied = sent.error == "access_denied"
        raise ProviderResponseRejected(
            "The sign-in was cancelled at the identity provider."
            if denied
            else "The identity provider did not sign you in."
        )
    identity = asked.finish(
        code=sent.code,
        stated_issuer=sent.iss,
        redirect_uri=_redirect_uri(tools.settings),
        nonce=flow.nonce,
        verifier=flow.verifier,
        now=tools.clock.now(),
    )
    return finish_flow(tools, session, database, flow, person, identity, "oidc")
