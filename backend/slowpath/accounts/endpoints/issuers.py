"""Signing in by the operator's issuer (OpenID Connect).

The browser is sent to the issuer with a sealed cookie, which alone can end what it began, and comes back to a page of
ours; that page hands the code on by a request with an Origin, as for every other sign-in.
"""

import base64
import binascii
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Request, Response

from slowpath.accounts import service
from slowpath.accounts.access import Anyone, SignedIn, Throttled, client_address, person_of, session_cookie
from slowpath.accounts.endpoints.people import begin
from slowpath.accounts.errors import SignInRefused
from slowpath.accounts.rules.origins import Cookie
from slowpath.accounts.rules.signing_in import FLOW_SECONDS
from slowpath.accounts.schemas.doors import (
    FlowIn,
    FlowOut,
    OidcWay,
    OwnSignIns,
    ReturnIn,
    ReturnOut,
    SignInOut,
    SignInWays,
)
from slowpath.accounts.schemas.people import session_out
from slowpath.accounts.tables import SignIn
from slowpath.core.errors import Conflict, NotAllowed, NotFound, NotSignedIn, Refused, TooMany
from slowpath.core.ports import Issuer
from slowpath.web.problems import problems
from slowpath.web.sessions import Configured, DatabaseOf, IssuerOf, Now, Reading, Seals, Writing

router = APIRouter(tags=["sign-in"])
COMMON = (NotSignedIn, NotAllowed, NotFound, Refused, TooMany)


def _flow_cookie(cookie: Cookie) -> str:
    return f"{cookie.name}-sign-in"


def _there(issuer: Issuer | None) -> Issuer:
    if issuer is None:
        raise NotFound("Nobody signs in by an issuer here.", remedy="The operator sets one by SLOWPATH_OIDC_ISSUER.")
    return issuer


def _keep(response: Response, cookie: Cookie, begun: service.Begun) -> FlowOut:
    response.set_cookie(
        _flow_cookie(cookie),
        base64.urlsafe_b64encode(begun.sealed).decode(),
        max_age=FLOW_SECONDS,
        path="/",
        secure=cookie.secure,
        httponly=True,
        samesite="lax",
    )
    return FlowOut(url=begun.url)


def _kept(request: Request, cookie: Cookie) -> bytes | None:
    try:
        found = request.cookies.get(_flow_cookie(cookie))
        return None if found is None else base64.urlsafe_b64decode(found)
    except (binascii.Error, ValueError):
        return None


@router.get("/sign-in-ways", operation_id="sign-in:ways")
def ways(_anyone: Anyone, settings: Configured, issuer: IssuerOf) -> SignInWays:
    """Tell how people sign in here."""
    return SignInWays(
        passwords=settings.passwords == "on",
        sign_up=settings.sign_up == "open",
        mail=settings.sends_mail,
        oidc=None if issuer is None else OidcWay(name=settings.oidc_name),
    )


@router.post("/oidc/sign-ins", operation_id="oidc:begin", status_code=201, responses=problems(*COMMON))
def begin_sign_in(
    _anyone: Anyone,
    request: Request,
    response: Response,
    sent: FlowIn,
    issuer: IssuerOf,
    sealer: Seals,
    throttle: Throttled,
    settings: Configured,
    clock: Now,
) -> FlowOut:
    """Begin to sign in at the issuer."""
    asked, cookie = _there(issuer), session_cookie(request)
    begun = service.begin_flow(
        asked,
        sealer,
        throttle,
        public_url=settings.public_url,
        address=client_address(request),
        next_path=sent.next,
        link=None,
        invitation=sent.invitation,
        now=clock.now(),
    )
    return _keep(response, cookie, begun)


@router.post("/oidc/links", operation_id="oidc:link", status_code=201, responses=problems(*COMMON))
def begin_link(
    person: SignedIn,
    request: Request,
    response: Response,
    sent: FlowIn,
    issuer: IssuerOf,
    sealer: Seals,
    throttle: Throttled,
    settings: Configured,
    clock: Now,
) -> FlowOut:
    """Begin to link an account at the issuer to yourself."""
    begun = service.begin_flow(
        _there(issuer),
        sealer,
        throttle,
        public_url=settings.public_url,
        address=client_address(request),
        next_path=sent.next,
        link=person.user_id,
        invitation=None,
        now=clock.now(),
    )
    return _keep(response, session_cookie(request), begun)


@router.post("/oidc/sessions", operation_id="oidc:finish", status_code=201, responses=problems(*COMMON, Conflict))
def finish(
    _anyone: Anyone,
    request: Request,
    response: Response,
    sent: ReturnIn,
    session: Writing,
    database: DatabaseOf,
    issuer: IssuerOf,
    sealer: Seals,
    throttle: Throttled,
    settings: Configured,
    clock: Now,
) -> ReturnOut:
    """End what was begun: sign in, or link. What the issuer sent the browser back with is taken once."""
    asked, cookie, now = _there(issuer), session_cookie(request), clock.now()
    flow = service.open_flow(sealer, throttle, _kept(request, cookie), state=sent.state, now=now)
    linking = person_of(request) if flow.link is not None else None
    if linking is not None and linking.user_id != flow.link:
        raise SignInRefused("Somebody else has signed in here since the linking was begun.", remedy="Begin again.")
    if sent.error is not None or sent.code is None:
        denied = sent.error == "access_denied"
        raise SignInRefused("You did not sign in there." if denied else "The sign-in service did not sign you in.")
    identity = asked.finish(
        code=sent.code,
        told_issuer=sent.iss,
        redirect_uri=settings.public_url.rstrip("/") + service.RETURN_PATH,
        nonce=flow.nonce,
        verifier=flow.verifier,
        now=now,
    )
    found = service.enter_by(session, database, settings, identity, flow, now=now)
    response.delete_cookie(_flow_cookie(cookie), path="/", secure=cookie.secure, httponly=True, samesite="lax")
    if linking is not None:
        told = session_out(linking.user_id, linking.email, linking.name, linking.teams)
        return ReturnOut(session=told, next=flow.next_path, linked=True)
    begin(session, request, response, clock, cookie, service.kept_token(sealer, identity))
    session.commit()  # the team of a newcomer is seen through the door from now on
    told = session_out(found.user_id, found.email, found.name, service.teams_of(database, found.user_id))
    return ReturnOut(session=told, next=flow.next_path, linked=False)


def _told(row: SignIn, settings: Configured) -> SignInOut:
    ours = row.issuer == settings.oidc_issuer
    return SignInOut(
        id=row.id,
        name=settings.oidc_name if ours else urlsplit(row.issuer).hostname or row.issuer,
        email=row.email,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
    )


@router.get("/user/sign-ins", operation_id="sign-ins:list", responses=problems(NotSignedIn, NotAllowed))
def own_sign_ins(person: SignedIn, session: Reading, settings: Configured) -> OwnSignIns:
    """List how you sign in."""
    linked, has_password = service.sign_ins_of(session, person)
    return OwnSignIns(has_password=has_password, linked=[_told(row, settings) for row in linked])


@router.delete(
    "/user/sign-ins/{sign_in_id}",
    operation_id="sign-ins:unlink",
    status_code=204,
    responses=problems(NotSignedIn, NotAllowed, NotFound, Conflict),
)
def unlink(person: SignedIn, sign_in_id: UUID, session: Writing, settings: Configured) -> None:
    """Forget an account at an issuer. The last way to sign in stays."""
    service.unlink(session, person, sign_in_id, passwords=settings.passwords == "on")
