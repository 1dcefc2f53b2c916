"""HTTP endpoints of sign-in with the identity provider (OpenID Connect).

The browser goes to the identity provider with an encrypted cookie, which is required to finish the sign-in, and returns to
a page of ours. That page sends the code in a request with an Origin, as for every other sign-in.
"""

import base64
import binascii
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Request, Response

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound, PermissionDenied
from slowpath.core.ports import OidcIssuerPort
from slowpath.core.settings import Settings
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import (
    Anyone,
    SignedIn,
    SignedInUser,
    Throttled,
    client_address,
    get_signed_in_user,
    session_cookie,
)
from slowpath.platform.accounts.endpoints.users import set_session_cookie, start_session
from slowpath.platform.accounts.errors import OidcResponseRejected
from slowpath.platform.accounts.rules.oidc_flow import FLOW_SECONDS, OidcFlow
from slowpath.platform.accounts.rules.request_origin import SessionCookie
from slowpath.platform.accounts.schemas.oidc import (
    LinkedIdentitiesOut,
    LinkedIdentityOut,
    OidcCallbackIn,
    OidcCallbackOut,
    OidcFlowIn,
    OidcProviderOut,
    OidcRedirectOut,
    SignInMethodsOut,
)
from slowpath.platform.accounts.schemas.users import session_out
from slowpath.platform.accounts.service import confirmations
from slowpath.platform.accounts.tables import UserIdentity
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf, IssuerOf, Now, Reading, Seals, Writing

router = APIRouter(tags=["sign-in"])
COMMON = (NotAuthenticated, PermissionDenied, NotFound, InvalidRequest, LimitExceeded)


def _flow_cookie(cookie: SessionCookie) -> str:
    return f"{cookie.name}-sign-in"


def _there(issuer: OidcIssuerPort | None) -> OidcIssuerPort:
    if issuer is None:
        raise NotFound(
            "Sign-in with an identity provider is not configured.", remedy="An operator sets SLOWPATH_OIDC_ISSUER."
        )
    return issuer


def _keep(response: Response, cookie: SessionCookie, begun: service.StartedOidcFlow) -> OidcRedirectOut:
    response.set_cookie(
        _flow_cookie(cookie),
        base64.urlsafe_b64encode(begun.sealed).decode(),
        max_age=FLOW_SECONDS,
        path="/",
        secure=cookie.secure,
        httponly=True,
        samesite="lax",
    )
    return OidcRedirectOut(url=begun.url)


def _read_flow(request: Request, cookie: SessionCookie) -> bytes | None:
    try:
        found = request.cookies.get(_flow_cookie(cookie))
        return None if found is None else base64.urlsafe_b64decode(found)
    except (binascii.Error, ValueError):
        return None


def _redirect_uri(settings: Settings) -> str:
    return settings.public_url.rstrip("/") + settings.oidc_redirect_path


@router.get("/auth/methods", operation_id="auth:methods")
def get_sign_in_methods(_anyone: Anyone, settings: Configured, issuer: IssuerOf) -> SignInMethodsOut:
    """Return the available sign-in methods."""
    return SignInMethodsOut(
        are_passwords_enabled=settings.passwords == "on",
        sign_up=settings.sign_up == "open",
        is_mail_configured=settings.sends_mail,
        oidc=None if issuer is None else OidcProviderOut(name=settings.oidc_name),
    )


@router.post(
    "/oidc/sign-in-requests",
    operation_id="oidc:create-sign-in-request",
    status_code=201,
    responses=document_problems(*COMMON),
)
def start_oidc_sign_in(
    _anyone: Anyone,
    request: Request,
    response: Response,
    sent: OidcFlowIn,
    issuer: IssuerOf,
    sealer: Seals,
    throttle: Throttled,
    settings: Configured,
    clock: Now,
) -> OidcRedirectOut:
    """Start a sign-in at the identity provider."""
    asked, cookie = _there(issuer), session_cookie(request)
    begun = service.start_oidc_flow(
        asked,
        sealer,
        throttle,
        redirect_uri=_redirect_uri(settings),
        address=client_address(request),
        next_path=sent.next,
        link=None,
        invitation=sent.invitation,
        now=clock.now(),
    )
    return _keep(response, cookie, begun)


@router.post(
    "/oidc/link-requests",
    operation_id="oidc:create-link-request",
    status_code=201,
    responses=document_problems(*COMMON),
)
def start_oidc_link(
    person: SignedIn,
    request: Request,
    response: Response,
    sent: OidcFlowIn,
    session: Reading,
    issuer: IssuerOf,
    sealer: Seals,
    throttle: Throttled,
    settings: Configured,
    clock: Now,
) -> OidcRedirectOut:
    """Start to link an identity of the identity provider to your account, within 15 minutes of signing in or confirming."""
    service.require_recent_sign_in(session, person, now=clock.now())
    begun = service.start_oidc_flow(
        _there(issuer),
        sealer,
        throttle,
        redirect_uri=_redirect_uri(settings),
        address=client_address(request),
        next_path=sent.next,
        link=person.user_id,
        invitation=None,
        now=clock.now(),
    )
    return _keep(response, session_cookie(request), begun)


@router.post(
    "/oidc/confirmation-requests",
    operation_id="oidc:create-confirmation-request",
    status_code=201,
    responses=document_problems(*COMMON),
)
def start_oidc_confirmation(
    person: SignedIn,
    request: Request,
    response: Response,
    sent: OidcFlowIn,
    issuer: IssuerOf,
    sealer: Seals,
    throttle: Throttled,
    settings: Configured,
    clock: Now,
) -> OidcRedirectOut:
    """Start to confirm the sign-in of this session at the identity provider, which asks you to sign in anew."""
    begun = service.start_oidc_flow(
        _there(issuer),
        sealer,
        throttle,
        redirect_uri=_redirect_uri(settings),
        address=client_address(request),
        next_path=sent.next,
        link=None,
        invitation=None,
        confirms=person.session_id,
        now=clock.now(),
    )
    return _keep(response, session_cookie(request), begun)


@router.post(
    "/oidc/callback", operation_id="oidc:callback", status_code=201, responses=document_problems(*COMMON, Conflict)
)
def complete_oidc_sign_in(
    _anyone: Anyone,
    request: Request,
    response: Response,
    sent: OidcCallbackIn,
    session: Writing,
    database: DatabaseOf,
    issuer: IssuerOf,
    sealer: Seals,
    throttle: Throttled,
    settings: Configured,
    clock: Now,
) -> OidcCallbackOut:
    """Finish a sign-in, confirm one, or link an identity. A response of the identity provider can be used once."""
    asked, cookie, now = _there(issuer), session_cookie(request), clock.now()
    flow = service.verify_oidc_flow(sealer, throttle, _read_flow(request, cookie), state=sent.state, now=now)
    person = _find_starter(request, flow)
    if sent.error is not None or sent.code is None:
        denied = sent.error == "access_denied"
        raise OidcResponseRejected(
            "The sign-in was cancelled at the identity provider."
            if denied
            else "The identity provider did not sign you in."
        )
    identity = asked.finish(
        code=sent.code,
        stated_issuer=sent.iss,
        redirect_uri=_redirect_uri(settings),
        nonce=flow.nonce,
        verifier=flow.verifier,
        now=now,
    )
    if person is not None and flow.confirms is not None:
        session.scope.user_id = person.user_id
        former = request.cookies.get(cookie.name, "")
        secret = confirmations.confirm_session_with_identity(
            session, database, identity, flow, person, secret=former, now=now
        )
        set_session_cookie(response, cookie, secret)
        is_multi_factor = True
    else:
        found = service.sign_in_with_identity(session, database, settings, identity, flow, now=now)
        is_multi_factor = person is None or person.is_multi_factor
    response.delete_cookie(_flow_cookie(cookie), path="/", secure=cookie.secure, httponly=True, samesite="lax")
    if person is not None:
        zone = service.get_time_zone(session, person.user_id)
        signed_in_user = session_out(
            person.user_id, person.email, person.name, person.teams, zone, is_multi_factor=is_multi_factor
        )
        return OidcCallbackOut(session=signed_in_user, next=flow.next_path, linked=flow.link is not None)
    issuer_token = service.encrypt_id_token(sealer, identity)
    start_session(session, request, response, clock, cookie, issuer_token, is_multi_factor=True)
    session.commit()  # from here on, the team of a new user is visible through `cross_team`
    teams, zone = service.teams_of(database, found.user_id), service.get_time_zone(session, found.user_id)
    signed_in_user = session_out(found.user_id, found.email, found.name, teams, zone, is_multi_factor=True)
    return OidcCallbackOut(session=signed_in_user, next=flow.next_path, linked=False)


def _find_starter(request: Request, flow: OidcFlow) -> SignedInUser | None:
    """Return the signed-in user who started to link or confirm; None for a sign-in. Raises `OidcResponseRejected`."""
    if flow.link is None and flow.confirms is None:
        return None
    person = get_signed_in_user(request)
    if flow.confirms is not None and person.session_id != flow.confirms:
        raise OidcResponseRejected("The session to confirm ended after you started.", remedy="Start again.")
    if flow.link is not None and person.user_id != flow.link:
        raise OidcResponseRejected(
            "Another user signed in to this browser after you started to link the account.", remedy="Start again."
        )
    return person


def _make_linked_identity_out(row: UserIdentity, settings: Configured) -> LinkedIdentityOut:
    ours = row.issuer == settings.oidc_issuer
    return LinkedIdentityOut(
        id=row.id,
        name=settings.oidc_name if ours else urlsplit(row.issuer).hostname or row.issuer,
        email=row.email,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
    )


@router.get(
    "/user/linked-identities",
    operation_id="linked-identities:list",
    responses=document_problems(NotAuthenticated, PermissionDenied),
)
def list_linked_identities(person: SignedIn, session: Reading, settings: Configured) -> LinkedIdentitiesOut:
    """List your linked identities and other sign-in methods."""
    linked, has_password = service.list_linked_identities(session, person)
    return LinkedIdentitiesOut(
        has_password=has_password, linked=[_make_linked_identity_out(row, settings) for row in linked]
    )


@router.delete(
    "/user/linked-identities/{identity_id}",
    operation_id="linked-identities:delete",
    status_code=204,
    responses=document_problems(NotAuthenticated, PermissionDenied, NotFound, Conflict),
)
def unlink_identity(person: SignedIn, identity_id: UUID, session: Writing, settings: Configured, clock: Now) -> None:
    """Unlink an identity, within 15 minutes of signing in or confirming. The last sign-in method cannot be removed."""
    service.require_recent_sign_in(session, person, now=clock.now())
    service.unlink_identity(session, person, identity_id, passwords=settings.passwords == "on")
