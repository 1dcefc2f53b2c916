"""HTTP endpoints that sign users up, in and out and change their accounts."""

from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound, PermissionDenied
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import Anyone, SignedIn, Throttled, client_address, session_cookie
from slowpath.platform.accounts.errors import (
    PasswordSignInDisabled,
    SecondFactorRequired,
    SessionNotFound,
    SignUpClosed,
    WrongPassword,
)
from slowpath.platform.accounts.rules.account_limits import MAX_SESSION_DAYS
from slowpath.platform.accounts.rules.request_origin import SessionCookie
from slowpath.platform.accounts.rules.second_factor import STATE_SECONDS, RelyingParty, find_relying_party
from slowpath.platform.accounts.schemas.users import (
    BrowserSessionOut,
    CodeHostLogins,
    CurrentSessionOut,
    EmailPreferencesOut,
    EmailPreferencesUpdate,
    PasswordUpdate,
    SignInIn,
    SignOutOut,
    SignUpIn,
    UserOut,
    UserUpdate,
    browser_out,
    session_out,
)
from slowpath.platform.accounts.service import second_steps
from slowpath.platform.http.problems import document_problems, render_error
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf, IssuerOf, Now, Reading, Seals, Writing

router = APIRouter(tags=["users"])


def start_session(
    session: WriteSession,
    request: Request,
    response: Response,
    clock: Now,
    cookie: SessionCookie,
    issuer_token: bytes | None = None,
    *,
    is_multi_factor: bool = False,
) -> None:
    """Create a session of the session scope's user and set its cookie in the browser."""
    secret = service.begin_session(
        session,
        now=clock.now(),
        browser=request.headers.get("user-agent", ""),
        address=client_address(request),
        issuer_token=issuer_token,
        is_multi_factor=is_multi_factor,
    )
    set_session_cookie(response, cookie, secret)


def set_session_cookie(response: Response, cookie: SessionCookie, secret: str) -> None:
    """Set the cookie of a session in the browser."""
    response.set_cookie(
        cookie.name,
        secret,
        max_age=MAX_SESSION_DAYS * 86_400,
        path="/",
        secure=cookie.secure,
        httponly=True,
        samesite="lax",
    )


def find_site(request: Request, settings: Configured) -> RelyingParty | None:
    """Return the site of a request; the origin, which browsers send with every POST, was checked before."""
    return find_relying_party(request.headers.get("origin") or settings.public_url)


def find_own_site(request: Request, settings: Configured) -> RelyingParty | None:
    """Return the site of a GET request, which has no origin, by its host."""
    scheme = settings.public_url.partition("://")[0]
    return find_relying_party(f"{scheme}://{request.headers.get('host', '')}")


def require_password_sign_in(settings: Configured) -> None:
    """Raise `PasswordSignInDisabled` if the operator disabled password sign-in."""
    if settings.passwords == "off":
        raise PasswordSignInDisabled(
            f"Password sign-in is disabled. Sign in with {settings.oidc_name if settings.oidc_issuer else settings.saml_name}.",
            remedy="Use that button on the sign-in page.",
        )


def forget_cookie(response: Response, cookie: SessionCookie) -> None:
    """Delete a cookie in the browser."""
    response.delete_cookie(cookie.name, path="/", secure=cookie.secure, httponly=True, samesite="lax")


@router.post(
    "/sign-up",
    operation_id="users:sign-up",
    status_code=201,
    responses=document_problems(Conflict, PermissionDenied, NotFound, InvalidRequest, LimitExceeded),
)
def sign_up(
    _anyone: Anyone,
    request: Request,
    response: Response,
    sent: SignUpIn,
    session: Writing,
    database: DatabaseOf,
    settings: Configured,
    throttle: Throttled,
    clock: Now,
) -> CurrentSessionOut:
    """Create a user and sign in. The user joins the team of the invitation, or gets a new team."""
    require_password_sign_in(settings)
    cookie = session_cookie(request)
    service.count_sign_up(throttle, client_address(request))
    if sent.invitation is None and settings.sign_up == "invited":
        raise SignUpClosed("New accounts need an invitation.", remedy="Ask a team admin for an invitation link.")
    invitation = service.preview_invitation(database, sent.invitation, now=clock.now()) if sent.invitation else None
    hashed = service.hash_new_password(sent.password, sent.email)
    if invitation is None:
        team = service.sign_up(
            session,
            email=sent.email,
            name=sent.name,
            password_hash=hashed,
            team_name=sent.team or f"{sent.name}'s team",
        )
    else:
        team = service.sign_up_invited(
            session, invitation, email=sent.email, name=sent.name, password_hash=hashed, now=clock.now()
        )
    start_session(session, request, response, clock, cookie)
    user_id = session.scope.user_id
    assert user_id is not None  # signing up changed the scope to the new user's
    return session_out(
        user_id, sent.email, sent.name, (service.membership_after_join(team, invitation),), None, is_multi_factor=False
    )


def second_step_cookie(cookie: SessionCookie) -> SessionCookie:
    """Return the cookie that carries a sign-in whose password was verified."""
    return SessionCookie(f"{cookie.name}-second-step", cookie.secure)


def _ask_second_factor(request: Request, cookie: SessionCookie, state: str) -> JSONResponse:
    required = SecondFactorRequired(
        "The password is right. Your account also needs a second factor.",
        remedy="Continue with POST /api/v1/session/second-factor.",
    )
    response, step = render_error(request, required), second_step_cookie(cookie)
    response.set_cookie(
        step.name, state, max_age=STATE_SECONDS, path="/", secure=step.secure, httponly=True, samesite="lax"
    )
    return response


@router.post(
    "/session",
    operation_id="session:create",
    status_code=201,
    response_model=CurrentSessionOut,
    responses=document_problems(WrongPassword, SecondFactorRequired, PermissionDenied, LimitExceeded),
)
def sign_in(
    _anyone: Anyone,
    request: Request,
    response: Response,
    sent: SignInIn,
    session: Writing,
    database: DatabaseOf,
    settings: Configured,
    throttle: Throttled,
    sealer: Seals,
    clock: Now,
) -> CurrentSessionOut | JSONResponse:
    """Sign in. With a second factor, the answer is the problem `second-factor-required`, and a cookie to continue with."""
    require_password_sign_in(settings)
    cookie = session_cookie(request)
    found = service.check_password(
        database, throttle, email=sent.email, password=sent.password, address=client_address(request)
    )
    session.scope.user_id = found.user_id  # the transaction of the session has not started yet
    state = second_steps.start_second_step(session, sealer, found.user_id, now=clock.now())
    if state is not None:
        return _ask_second_factor(request, cookie, state)
    start_session(session, request, response, clock, cookie)
    teams, time_zone = service.teams_of(database, found.user_id), service.get_time_zone(session, found.user_id)
    return session_out(found.user_id, found.email, found.name, teams, time_zone, is_multi_factor=False)


@router.get("/session", operation_id="session:get", responses=document_problems(NotAuthenticated, PermissionDenied))
def get_session(person: SignedIn, session: Reading) -> CurrentSessionOut:
    """Return the signed-in user and their teams."""
    time_zone = service.get_time_zone(session, person.user_id)
    return session_out(
        person.user_id, person.email, person.name, person.teams, time_zone, is_multi_factor=person.is_multi_factor
    )


@router.delete(
    "/session", operation_id="session:delete", responses=document_problems(NotAuthenticated, PermissionDenied)
)
def sign_out(
    person: SignedIn,
    request: Request,
    response: Response,
    session: Writing,
    settings: Configured,
    issuer: IssuerOf,
    sealer: Seals,
) -> SignOutOut:
    """Sign out, and return the address that ends the session at the identity provider."""
    signed_out = SignOutOut(
        provider_sign_out_url=service.provider_sign_out_url(
            session, issuer, sealer, person, public_url=settings.public_url
        )
    )
    service.end_session(session, person, person.session_id)
    forget_cookie(response, session_cookie(request))
    return signed_out


@router.get("/sessions", operation_id="sessions:list", responses=document_problems(NotAuthenticated, PermissionDenied))
def list_sessions(person: SignedIn, session: Reading, clock: Now) -> list[BrowserSessionOut]:
    """List your sessions, newest first, at most a hundred."""
    return [browser_out(row, person) for row in service.sessions_of(session, person, now=clock.now())]


@router.delete(
    "/sessions",
    operation_id="sessions:delete-all",
    status_code=204,
    responses=document_problems(NotAuthenticated, PermissionDenied),
)
def sign_out_everywhere(
    person: SignedIn, request: Request, response: Response, session: Writing, others_only: bool = False
) -> None:
    """End all your sessions; with `others_only`, all except this one."""
    service.end_sessions(session, person, others_only=others_only)
    if not others_only:
        forget_cookie(response, session_cookie(request))


@router.delete(
    "/sessions/{session_id}",
    operation_id="sessions:delete",
    status_code=204,
    responses=document_problems(NotAuthenticated, PermissionDenied, SessionNotFound),
)
def end_session(person: SignedIn, session_id: UUID, session: Writing) -> None:
    """End one session."""
    service.end_session(session, person, session_id)


@router.patch(
    "/user",
    operation_id="users:update",
    responses=document_problems(NotAuthenticated, PermissionDenied, InvalidRequest),
)
def update_user(person: SignedIn, sent: UserUpdate, session: Writing) -> UserOut:
    """Change your name or your time zone."""
    if sent.name is not None:
        service.rename_user(session, person, sent.name)
    if "time_zone" in sent.model_fields_set:
        service.set_time_zone(session, person, sent.time_zone)
    time_zone = service.get_time_zone(session, person.user_id)
    return UserOut(id=person.user_id, email=person.email, name=sent.name or person.name, time_zone=time_zone)


@router.get(
    "/user/email-preferences",
    operation_id="email-preferences:get",
    responses=document_problems(NotAuthenticated, PermissionDenied),
)
def get_email_preferences(person: SignedIn, session: Reading) -> EmailPreferencesOut:
    """Return which emails you receive."""
    return EmailPreferencesOut(email_on_mention=service.get_mention_email_preference(session, person))


@router.patch(
    "/user/email-preferences",
    operation_id="email-preferences:update",
    responses=document_problems(NotAuthenticated, PermissionDenied, InvalidRequest),
)
def update_email_preferences(person: SignedIn, sent: EmailPreferencesUpdate, session: Writing) -> EmailPreferencesOut:
    """Choose which emails you receive."""
    service.set_mention_email_preference(session, person, is_enabled=sent.email_on_mention)
    return EmailPreferencesOut(email_on_mention=sent.email_on_mention)


@router.get(
    "/user/code-host-logins",
    operation_id="code-host-logins:get",
    responses=document_problems(NotAuthenticated, PermissionDenied),
)
def get_code_host_logins(person: SignedIn, session: Reading) -> CodeHostLogins:
    """Return your logins at code hosts."""
    return CodeHostLogins(logins=service.get_code_host_logins(session, person))


@router.put(
    "/user/code-host-logins",
    operation_id="code-host-logins:update",
    responses=document_problems(NotAuthenticated, PermissionDenied, InvalidRequest),
)
def update_code_host_logins(person: SignedIn, sent: CodeHostLogins, session: Writing) -> CodeHostLogins:
    """State your logins at code hosts, in place of those before."""
    return CodeHostLogins(logins=service.set_code_host_logins(session, person, sent.logins))


@router.put(
    "/user/password",
    operation_id="users:change-password",
    status_code=204,
    responses=document_problems(WrongPassword, PermissionDenied, InvalidRequest, LimitExceeded),
)
def change_password(
    person: SignedIn,
    request: Request,
    sent: PasswordUpdate,
    session: Writing,
    database: DatabaseOf,
    settings: Configured,
    throttle: Throttled,
    clock: Now,
) -> None:
    """Change your password; with a second factor, or to set a first one, within 15 minutes of signing in or confirming.

    This ends all your other sessions.
    """
    require_password_sign_in(settings)
    with database.reading(session.scope) as looking:
        has_password = service.requires_current_password(looking, person, now=clock.now())
    if has_password:
        given, address = sent.current_password or "", client_address(request)
        service.check_password(database, throttle, email=person.email, password=given, address=address)
    hashed = service.hash_new_password(sent.new_password, person.email)
    service.change_password(session, person, password_hash=hashed, now=clock.now())
