"""Signing up, in and out; what a person changes about themselves."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from slowpath.accounts import service
from slowpath.accounts.access import Anyone, SignedIn, Throttled, client_address, session_cookie
from slowpath.accounts.errors import PasswordsOff, SessionNotFound, SignUpClosed, WrongPassword
from slowpath.accounts.rules.limits import SESSION_DAYS
from slowpath.accounts.rules.origins import Cookie
from slowpath.accounts.schemas.people import (
    BrowserOut,
    MailsChange,
    MailsOut,
    PasswordChange,
    SessionOut,
    SignedOut,
    SignInIn,
    SignUpIn,
    UserChange,
    UserOut,
    browser_out,
    session_out,
)
from slowpath.core.errors import Conflict, NotAllowed, NotFound, NotSignedIn, Refused, TooMany
from slowpath.core.sessions import WriteSession
from slowpath.web.problems import problems
from slowpath.web.sessions import Configured, DatabaseOf, IssuerOf, Now, Reading, Seals, Writing

router = APIRouter(tags=["people"])


def begin(
    session: WriteSession,
    request: Request,
    response: Response,
    clock: Now,
    cookie: Cookie,
    issuer_token: bytes | None = None,
) -> None:
    """Begin a session of the person in the session's scope, and hand its cookie to the browser."""
    secret = service.begin_session(
        session,
        now=clock.now(),
        browser=request.headers.get("user-agent", ""),
        address=client_address(request),
        issuer_token=issuer_token,
    )
    response.set_cookie(
        cookie.name,
        secret,
        max_age=SESSION_DAYS * 86_400,
        path="/",
        secure=cookie.secure,
        httponly=True,
        samesite="lax",
    )


def with_passwords(settings: Configured) -> None:
    """Raise `PasswordsOff` where the operator wants none."""
    if settings.passwords == "off":
        raise PasswordsOff(
            f"Passwords are off here: people sign in with {settings.oidc_name}.", remedy="Use that on the sign-in page."
        )


def _forget(response: Response, cookie: Cookie) -> None:
    response.delete_cookie(cookie.name, path="/", secure=cookie.secure, httponly=True, samesite="lax")


@router.post(
    "/sign-up",
    operation_id="people:sign-up",
    status_code=201,
    responses=problems(Conflict, NotAllowed, NotFound, Refused, TooMany),
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
) -> SessionOut:
    """Make a person and sign them in. They get a team of their own, or join the one whose invitation they hold."""
    with_passwords(settings)
    cookie = session_cookie(request)
    service.count_sign_up(throttle, client_address(request))
    if sent.invitation is None and settings.sign_up == "invited":
        raise SignUpClosed("This Slowpath takes new people by invitation only.", remedy="Ask for an invitation link.")
    invitation = service.look_at(database, sent.invitation, now=clock.now()) if sent.invitation else None
    hashed = service.hash_password(sent.password)
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
    begin(session, request, response, clock, cookie)
    user_id = session.scope.user_id
    assert user_id is not None  # signing up has made the scope the new person's
    return session_out(user_id, sent.email, sent.name, (service.as_joined(team, invitation),))


@router.post(
    "/session",
    operation_id="session:begin",
    status_code=201,
    responses=problems(WrongPassword, NotAllowed, TooMany),
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
    clock: Now,
) -> SessionOut:
    """Sign in."""
    with_passwords(settings)
    cookie = session_cookie(request)
    found = service.check_password(
        database, throttle, email=sent.email, password=sent.password, address=client_address(request)
    )
    session.scope.user_id = found.user_id  # its transaction has not begun yet
    begin(session, request, response, clock, cookie)
    return session_out(found.user_id, found.email, found.name, service.teams_of(database, found.user_id))


@router.get("/session", operation_id="session:get", responses=problems(NotSignedIn, NotAllowed))
def get_session(person: SignedIn) -> SessionOut:
    """Tell who is signed in, and their teams."""
    return session_out(person.user_id, person.email, person.name, person.teams)


@router.delete("/session", operation_id="session:end", responses=problems(NotSignedIn, NotAllowed))
def sign_out(
    person: SignedIn,
    request: Request,
    response: Response,
    session: Writing,
    settings: Configured,
    issuer: IssuerOf,
    sealer: Seals,
) -> SignedOut:
    """Sign out here, and tell where the one by whom you signed in ends its own session."""
    told = SignedOut(continue_at=service.leaves_by(session, issuer, sealer, person, public_url=settings.public_url))
    service.end_session(session, person, person.session_id)
    _forget(response, session_cookie(request))
    return told


@router.get("/sessions", operation_id="sessions:list", responses=problems(NotSignedIn, NotAllowed))
def list_sessions(person: SignedIn, session: Reading, clock: Now) -> list[BrowserOut]:
    """List where you are signed in, newest first, at most a hundred."""
    return [browser_out(row, person) for row in service.sessions_of(session, person, now=clock.now())]


@router.delete(
    "/sessions", operation_id="sessions:end-all", status_code=204, responses=problems(NotSignedIn, NotAllowed)
)
def sign_out_everywhere(
    person: SignedIn, request: Request, response: Response, session: Writing, others_only: bool = False
) -> None:
    """Sign out everywhere, with `others_only` everywhere else."""
    service.end_sessions(session, person, others_only=others_only)
    if not others_only:
        _forget(response, session_cookie(request))


@router.delete(
    "/sessions/{session_id}",
    operation_id="sessions:end",
    status_code=204,
    responses=problems(NotSignedIn, NotAllowed, SessionNotFound),
)
def sign_out_there(person: SignedIn, session_id: UUID, session: Writing) -> None:
    """Sign out one browser."""
    service.end_session(session, person, session_id)


@router.patch("/user", operation_id="people:change", responses=problems(NotSignedIn, NotAllowed, Refused))
def change_user(person: SignedIn, sent: UserChange, session: Writing) -> UserOut:
    """Change your name."""
    service.rename_person(session, person, sent.name)
    return UserOut(id=person.user_id, email=person.email, name=sent.name)


@router.get("/user/mails", operation_id="own-mails:get", responses=problems(NotSignedIn, NotAllowed))
def own_mails(person: SignedIn, session: Reading) -> MailsOut:
    """Tell what you are told by e-mail, too."""
    return MailsOut(mentions=service.mention_mails(session, person))


@router.patch("/user/mails", operation_id="own-mails:change", responses=problems(NotSignedIn, NotAllowed, Refused))
def change_own_mails(person: SignedIn, sent: MailsChange, session: Writing) -> MailsOut:
    """Say what you want to be told by e-mail."""
    service.set_mention_mails(session, person, wanted=sent.mentions)
    return MailsOut(mentions=sent.mentions)


@router.put(
    "/user/password",
    operation_id="people:change-password",
    status_code=204,
    responses=problems(WrongPassword, NotAllowed, Refused, TooMany),
)
def change_password(
    person: SignedIn,
    request: Request,
    sent: PasswordChange,
    session: Writing,
    database: DatabaseOf,
    settings: Configured,
    throttle: Throttled,
    clock: Now,
) -> None:
    """Change your password, or set your first one just after signing in. Signs you out everywhere else."""
    with_passwords(settings)
    with database.reading(session.scope) as looking:
        first = service.may_set_first(looking, person, now=clock.now())
    if not first:
        given, address = sent.current_password or "", client_address(request)
        service.check_password(database, throttle, email=person.email, password=given, address=address)
    hashed = service.hash_password(sent.new_password)
    service.change_password(session, person, password_hash=hashed, now=clock.now())
