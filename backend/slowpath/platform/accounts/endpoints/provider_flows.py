"""What the endpoints of sign-in by OpenID Connect and by SAML share: the cookie of a flow, and how it ends.

The browser goes to the identity provider with an encrypted cookie, which is required to finish the sign-in, and returns to
a page of ours. That page sends what it brought in a request with an Origin, as for every other sign-in.
"""

import base64
import binascii
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Response

from slowpath.core.db_sessions import Database, WriteSession
from slowpath.core.ports import ExternalIdentity
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import SignedInUser, Throttled, get_signed_in_user, session_cookie
from slowpath.platform.accounts.endpoints.users import set_session_cookie, start_session
from slowpath.platform.accounts.errors import ProviderResponseRejected
from slowpath.platform.accounts.rules.provider_flow import FLOW_SECONDS, ProviderFlow, SignInProtocol
from slowpath.platform.accounts.rules.request_origin import SessionCookie
from slowpath.platform.accounts.schemas.provider_sign_in import ProviderRedirectOut, ProviderSignInOut
from slowpath.platform.accounts.schemas.users import session_out
from slowpath.platform.accounts.service import confirmations
from slowpath.platform.http.request_dependencies import Configured, Now, Seals


@dataclass(frozen=True)
class _FlowTools:
    """What every step of a flow needs."""

    request: Request
    response: Response
    settings: Configured
    sealer: Seals
    throttle: Throttled
    clock: Now

    @property
    def cookie(self) -> SessionCookie:
        """Return the session cookie for this host. Raises `HttpsRequired`."""
        return session_cookie(self.request)


FlowTools = Annotated[_FlowTools, Depends()]


def _flow_cookie(cookie: SessionCookie, protocol: SignInProtocol) -> str:
    return f"{cookie.name}-sign-in" if protocol == "oidc" else f"{cookie.name}-{protocol}-sign-in"


def keep_flow(tools: FlowTools, protocol: SignInProtocol, begun: service.StartedFlow) -> ProviderRedirectOut:
    """Store a started flow in the browser; return where to send it."""
    tools.response.set_cookie(
        _flow_cookie(tools.cookie, protocol),
        base64.urlsafe_b64encode(begun.sealed).decode(),
        max_age=FLOW_SECONDS,
        path="/",
        secure=tools.cookie.secure,
        httponly=True,
        samesite="lax",
    )
    return ProviderRedirectOut(url=begun.url)


def take_flow(tools: FlowTools, protocol: SignInProtocol, state: str) -> tuple[ProviderFlow, SignedInUser | None]:
    """Return the flow that this browser started, and the signed-in user who started to link or confirm.

    Raises `ProviderResponseRejected`, `NotAuthenticated`.
    """
    try:
        found = tools.request.cookies.get(_flow_cookie(tools.cookie, protocol))
        sealed = None if found is None else base64.urlsafe_b64decode(found)
    except (binascii.Error, ValueError):
        sealed = None
    now = tools.clock.now()
    flow = service.verify_flow(tools.sealer, tools.throttle, sealed, protocol, state=state, now=now)
    return flow, _find_starter(tools.request, flow)


def _find_starter(request: Request, flow: ProviderFlow) -> SignedInUser | None:
    """Return the signed-in user who started to link or confirm; None for a sign-in. Raises `ProviderResponseRejected`."""
    if flow.link is None and flow.confirms is None:
        return None
    person = get_signed_in_user(request)
    if flow.confirms is not None and person.session_id != flow.confirms:
        raise ProviderResponseRejected("The session to confirm ended after you started.", remedy="Start again.")
    if flow.link is not None and person.user_id != flow.link:
        raise ProviderResponseRejected(
            "Another user signed in to this browser after you started to link the account.", remedy="Start again."
        )
    return person


def finish_flow(
    tools: FlowTools,
    session: WriteSession,
    database: Database,
    flow: ProviderFlow,
    person: SignedInUser | None,
    identity: ExternalIdentity,
    protocol: SignInProtocol,
) -> ProviderSignInOut:
    """Sign in with an identity, link it, or confirm the session of `person` with it."""
    cookie, now = tools.cookie, tools.clock.now()
    if person is not None and flow.confirms is not None:
        session.scope.user_id = person.user_id
        former = tools.request.cookies.get(cookie.name, "")
        secret = confirmations.confirm_session_with_identity(
            session, database, identity, flow, person, secret=former, now=now
        )
        set_session_cookie(tools.response, cookie, secret)
        is_multi_factor = True
    else:
        found = service.sign_in_with_identity(session, database, tools.settings, identity, flow, now=now)
        is_multi_factor = person is None or person.is_multi_factor
    name = _flow_cookie(cookie, protocol)
    tools.response.delete_cookie(name, path="/", secure=cookie.secure, httponly=True, samesite="lax")
    if person is not None:
        zone = service.get_time_zone(session, person.user_id)
        signed_in_user = session_out(
            person.user_id, person.email, person.name, person.teams, zone, is_multi_factor=is_multi_factor
        )
        return ProviderSignInOut(session=signed_in_user, next=flow.next_path, linked=flow.link is not None)
    issuer_token = service.encrypt_id_token(tools.sealer, identity)
    start_session(session, tools.request, tools.response, tools.clock, cookie, issuer_token, is_multi_factor=True)
    session.commit()  # from here on, the team of a new user is visible through `cross_team`
    teams, zone = service.teams_of(database, found.user_id), service.get_time_zone(session, found.user_id)
    signed_in_user = session_out(found.user_id, found.email, found.name, teams, zone, is_multi_factor=True)
    return ProviderSignInOut(session=signed_in_user, next=flow.next_path, linked=False)
