"""HTTP endpoints of sign-in by SAML 2.0.

The identity provider sends its response with a form of its own page. Browsers send no cookie of ours with it (SameSite=Lax),
and no Origin of ours: the route of that form signs in no user and stores nothing. It returns a page that gives the
response, in this browser alone, to our own page, which sends it in a request with cookies and Origin.
"""

import base64
import hashlib
import html
from typing import Annotated, Final

from fastapi import APIRouter, Form, Response

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound, PermissionDenied
from slowpath.core.ports import SamlProviderPort
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import Anyone, AnyoneFromAnySite, SignedIn, client_address
from slowpath.platform.accounts.endpoints.provider_flows import FlowTools, finish_flow, keep_flow, take_flow
from slowpath.platform.accounts.rules.provider_flow import FlowGoal
from slowpath.platform.accounts.schemas.provider_sign_in import (
    BASE64,
    MAX_RESPONSE,
    MAX_STATE,
    ProviderFlowIn,
    ProviderRedirectOut,
    ProviderSignInOut,
    SamlCallbackIn,
)
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import DatabaseOf, Reading, SamlProviderOf, Writing

router = APIRouter(prefix="/saml", tags=["sign-in"])
COMMON = (NotAuthenticated, PermissionDenied, NotFound, InvalidRequest, LimitExceeded)
BODY: Final = body_up_to(MAX_RESPONSE + 16 * KIB, anonymous=True)
SCRIPT: Final = """
const { state, response } = document.forms[0].elements;
sessionStorage.setItem('slowpath.saml', JSON.stringify({ state: state.value, response: response.value }));
location.replace('/sign-in/callback?saml=1');
"""
POLICY: Final = (
    f"default-src 'none'; script-src 'sha256-{base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def _there(provider: SamlProviderPort | None) -> SamlProviderPort:
    if provider is None:
        raise NotFound("Sign-in by SAML is not configured.", remedy="An operator sets SLOWPATH_SAML_METADATA_FILE.")
    return provider


def _start(tools: FlowTools, provider: SamlProviderPort | None, goal: FlowGoal) -> ProviderRedirectOut:
    begun = service.start_saml_flow(
        _there(provider),
        tools.sealer,
        tools.throttle,
        goal,
        address=client_address(tools.request),
        now=tools.clock.now(),
    )
    return keep_flow(tools, "saml", begun)


@router.get(
    "/metadata",
    operation_id="saml:get-metadata",
    response_class=Response,
    responses={
        **document_problems(NotFound),
        200: {"content": {"application/samlmetadata+xml": {"schema": {"type": "string"}}}},
    },
)
def get_saml_metadata(_anyone: Anyone, provider: SamlProviderOf) -> Response:
    """Return the metadata of Slowpath, for the identity provider. Its address is our entity ID."""
    return Response(_there(provider).metadata(), media_type="application/samlmetadata+xml")


@router.post(
    "/sign-in-requests",
    operation_id="saml:create-sign-in-request",
    status_code=201,
    responses=document_problems(*COMMON),
)
def start_saml_sign_in(
    _anyone: Anyone, sent: ProviderFlowIn, provider: SamlProviderOf, tools: FlowTools
) -> ProviderRedirectOut:
    """Start a sign-in at the identity provider."""
    return _start(tools, provider, FlowGoal(sent.next, sent.invitation))


@router.post(
    "/link-requests",
    operation_id="saml:create-link-request",
    status_code=201,
    responses=document_problems(*COMMON),
)
def start_saml_link(
    person: SignedIn, sent: ProviderFlowIn, session: Reading, provider: SamlProviderOf, tools: FlowTools
) -> ProviderRedirectOut:
    """Start to link an identity of the identity provider to your account, within 15 minutes of signing in or confirming."""
    service.require_recent_sign_in(session, person, now=tools.clock.now())
    return _start(tools, provider, FlowGoal(sent.next, link=person.user_id))


@router.post(
    "/confirmation-requests",
    operation_id="saml:create-confirmation-request",
    status_code=201,
    responses=document_problems(*COMMON),
)
def start_saml_confirmation(
    person: SignedIn, sent: ProviderFlowIn, provider: SamlProviderOf, tools: FlowTools
) -> ProviderRedirectOut:
    """Start to confirm the sign-in of this session at the identity provider, which asks you to sign in anew."""
    return _start(tools, provider, FlowGoal(sent.next, confirms=person.session_id))


@router.post(
    "/acs",
    operation_id="saml:receive-response",
    response_class=Response,
    responses={
        **document_problems(NotFound, InvalidRequest),
        200: {"content": {"text/html": {"schema": {"type": "string"}}}},
    },
    openapi_extra=BODY,
)
def receive_saml_response(
    _anyone: AnyoneFromAnySite,
    provider: SamlProviderOf,
    response: Annotated[str, Form(alias="SAMLResponse", min_length=1, max_length=MAX_RESPONSE, pattern=BASE64)],
    state: Annotated[str, Form(alias="RelayState", max_length=MAX_STATE)] = "",
) -> Response:
    """Return a page that gives the response to our own page, which sends it to `/saml/callback`. Verifies nothing."""
    _there(provider)
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Signing in</title>'
        f'<form hidden><input name="state" value="{html.escape(state)}">'
        f'<input name="response" value="{html.escape(response)}"></form>'
        f"<noscript>Slowpath needs JavaScript.</noscript><script>{SCRIPT}</script></html>"
    )
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": POLICY})


@router.post(
    "/callback",
    operation_id="saml:callback",
    status_code=201,
    responses=document_problems(*COMMON, Conflict),
    openapi_extra=BODY,
)
def complete_saml_sign_in(
    _anyone: Anyone,
    sent: SamlCallbackIn,
    session: Writing,
    database: DatabaseOf,
    provider: SamlProviderOf,
    tools: FlowTools,
) -> ProviderSignInOut:
    """Finish a sign-in, confirm one, or link an identity. A response of the identity provider can be used once."""
    asked = _there(provider)
    flow, person = take_flow(tools, "saml", sent.state)
    identity = asked.finish(response=sent.response, request_id=flow.nonce)
    return finish_flow(tools, session, database, flow, person, identity, "saml")
