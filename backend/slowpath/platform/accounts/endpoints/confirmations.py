"""HTTP endpoints by which a signed-in user confirms the sign-in in place, before a sensitive change."""

from fastapi import APIRouter, Request, Response

from slowpath.core.errors import InvalidRequest, LimitExceeded, NotAuthenticated, PermissionDenied
from slowpath.platform.accounts.access import SignedIn, Throttled, client_address, session_cookie
from slowpath.platform.accounts.endpoints.users import (
    find_own_site,
    find_site,
    require_password_sign_in,
    set_session_cookie,
)
from slowpath.platform.accounts.schemas.confirmations import ConfirmationIn, ConfirmationOut
from slowpath.platform.accounts.service import confirmations
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import (
    Configured,
    DatabaseOf,
    IssuerOf,
    Now,
    Reading,
    SamlProviderOf,
    Seals,
    Writing,
)

router = APIRouter(tags=["users"])
COMMON = (NotAuthenticated, PermissionDenied)


@router.get("/session/confirmation", operation_id="session:get-confirmation", responses=document_problems(*COMMON))
def get_confirmation(
    person: SignedIn,
    request: Request,
    response: Response,
    session: Reading,
    settings: Configured,
    issuer: IssuerOf,
    saml: SamlProviderOf,
    sealer: Seals,
    clock: Now,
) -> ConfirmationOut:
    """Return how you can confirm the sign-in of this session. Stores nothing."""
    site = find_own_site(request, settings)
    started = confirmations.start_confirmation(session, sealer, person, site, now=clock.now())
    response.headers["Cache-Control"] = "no-store"
    return ConfirmationOut(
        state=started.state,
        has_password=started.has_password and settings.passwords == "on",
        needs_second_factor=started.needs_second_factor,
        has_totp=started.has_totp,
        passkey_options=started.passkey_options,
        provider=settings.oidc_name if issuer is not None and issuer.issuer in started.issuers else None,
        saml_provider=settings.saml_name if saml is not None and saml.issuer in started.issuers else None,
    )


@router.post(
    "/session/confirmation",
    operation_id="session:confirm",
    status_code=204,
    responses=document_problems(*COMMON, InvalidRequest, LimitExceeded),
    openapi_extra=body_up_to(96 * KIB),
)
def confirm_session(
    person: SignedIn,
    request: Request,
    response: Response,
    sent: ConfirmationIn,
    session: Writing,
    database: DatabaseOf,
    settings: Configured,
    sealer: Seals,
    throttle: Throttled,
    clock: Now,
) -> None:
    """Confirm the sign-in of this session with your password and second factor: for 15 minutes it counts as new.

    The session gets a new cookie.
    """
    require_password_sign_in(settings)
    cookie, address = session_cookie(request), client_address(request)
    confirmations.verify_own_password(database, throttle, person, password=sent.password, address=address)
    secret = confirmations.confirm_session(
        session,
        sealer,
        throttle,
        person,
        find_site(request, settings),
        secret=request.cookies.get(cookie.name, ""),
        state=sent.state,
        code=sent.code,
        passkey=sent.passkey,
        address=address,
        now=clock.now(),
    )
    set_session_cookie(response, cookie, secret)
