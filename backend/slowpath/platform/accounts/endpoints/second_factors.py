"""HTTP endpoints of second factors, and of the second step of a sign-in."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from slowpath.core.errors import InvalidRequest, LimitExceeded, NotAuthenticated, NotFound, PermissionDenied
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import Anyone, SignedIn, Throttled, client_address, session_cookie
from slowpath.platform.accounts.endpoints.users import (
    find_own_site,
    find_site,
    forget_cookie,
    require_password_sign_in,
    second_step_cookie,
    start_session,
)
from slowpath.platform.accounts.errors import SignInExpired
from slowpath.platform.accounts.schemas.second_factors import (
    FactorRegistrationIn,
    FactorRegistrationOut,
    RecoveryCodesOut,
    SecondFactorIn,
    SecondFactorsOut,
    SecondStepIn,
    SecondStepOut,
    second_factor_out,
)
from slowpath.platform.accounts.schemas.users import CurrentSessionOut, session_out
from slowpath.platform.accounts.service import second_factors, second_steps
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf, Now, Reading, Seals, Writing

router = APIRouter(tags=["users"])
COMMON = (NotAuthenticated, PermissionDenied, NotFound, InvalidRequest, LimitExceeded)


def _state(request: Request) -> str:
    state = request.cookies.get(second_step_cookie(session_cookie(request)).name)
    if state is None:
        raise SignInExpired("This browser has no sign-in in progress, or it took too long.", remedy="Start again.")
    return state


@router.get("/user/second-factors", operation_id="second-factors:list", responses=document_problems(*COMMON[:2]))
def list_second_factors(person: SignedIn, session: Reading) -> SecondFactorsOut:
    """List your second factors."""
    factors, left = second_factors.list_second_factors(session, person.user_id)
    return SecondFactorsOut(factors=[second_factor_out(row) for row in factors], recovery_codes_left=left)


@router.post(
    "/user/second-factor-registrations",
    operation_id="second-factors:start",
    status_code=201,
    responses=document_problems(*COMMON),
)
def start_registration(
    person: SignedIn,
    request: Request,
    sent: FactorRegistrationIn,
    session: Reading,
    settings: Configured,
    sealer: Seals,
    clock: Now,
) -> FactorRegistrationOut:
    """Start to register an app for codes (TOTP) or a passkey, within 15 minutes of signing in or confirming. Stores nothing."""
    now = clock.now()
    service.require_recent_sign_in(session, person, now=now)
    started = second_factors.start_registration(
        session, sealer, person, sent.kind, find_site(request, settings), now=now
    )
    return FactorRegistrationOut(
        state=started.state,
        totp_secret=started.totp_secret,
        totp_qr_code=started.totp_qr_code,
        passkey_options=started.passkey_options,
    )


@router.post(
    "/user/second-factors",
    operation_id="second-factors:create",
    status_code=201,
    responses=document_problems(*COMMON),
    openapi_extra=body_up_to(96 * KIB),
)
def create_second_factor(
    person: SignedIn,
    request: Request,
    sent: SecondFactorIn,
    session: Writing,
    settings: Configured,
    sealer: Seals,
    throttle: Throttled,
    clock: Now,
) -> RecoveryCodesOut:
    """Register a second factor. With the first one you get recovery codes."""
    codes = second_factors.complete_registration(
        session,
        sealer,
        throttle,
        person,
        sent.kind,
        party=find_site(request, settings),
        state=sent.state,
        proof=sent.proof,
        name=sent.name,
        now=clock.now(),
    )
    return RecoveryCodesOut(recovery_codes=codes)


@router.post(
    "/user/recovery-codes",
    operation_id="second-factors:renew-recovery-codes",
    status_code=201,
    responses=document_problems(*COMMON),
)
def renew_recovery_codes(person: SignedIn, session: Writing, clock: Now) -> RecoveryCodesOut:
    """Replace your recovery codes, within 15 minutes of signing in or confirming."""
    service.require_recent_sign_in(session, person, now=clock.now())
    if not second_factors.list_second_factors(session, person.user_id)[0]:
        raise NotFound("Your account has no second factor.", remedy="Add one first: you get recovery codes with it.")
    teams = [team.id for team in person.teams]
    service.record_user_event(session, person.user_id, teams, "recovery-codes.renewed", "user", person.user_id, {})
    return RecoveryCodesOut(recovery_codes=second_factors.renew_recovery_codes(session, person.user_id))


@router.delete(
    "/user/second-factors/{factor_id}",
    operation_id="second-factors:delete",
    status_code=204,
    responses=document_problems(*COMMON[:3]),
)
def delete_second_factor(person: SignedIn, factor_id: UUID, session: Writing, clock: Now) -> None:
    """Remove a second factor, within 15 minutes of signing in or confirming."""
    service.require_recent_sign_in(session, person, now=clock.now())
    second_factors.delete_second_factor(session, person, factor_id)


@router.get(
    "/session/second-factor", operation_id="session:get-second-factor", responses=document_problems(*COMMON[:2])
)
def get_second_step(
    _anyone: Anyone, request: Request, database: DatabaseOf, settings: Configured, sealer: Seals, clock: Now
) -> SecondStepOut:
    """Return how the sign-in that this browser started can continue."""
    state, now = _state(request), clock.now()
    opened = second_steps.open_second_step(sealer, state, now=now)
    with database.reading(service.user_scope(opened.user_id)) as session:
        has_totp, options = second_steps.describe_second_step(session, opened, find_own_site(request, settings))
    return SecondStepOut(has_totp=has_totp, passkey_options=options)


@router.post(
    "/session/second-factor",
    operation_id="session:verify-second-factor",
    status_code=201,
    responses=document_problems(*COMMON),
    openapi_extra=body_up_to(96 * KIB),
)
def verify_second_step(
    _anyone: Anyone,
    request: Request,
    response: Response,
    sent: SecondStepIn,
    session: Writing,
    database: DatabaseOf,
    settings: Configured,
    sealer: Seals,
    throttle: Throttled,
    clock: Now,
) -> CurrentSessionOut:
    """Finish a sign-in with the second factor."""
    require_password_sign_in(settings)
    state, cookie, now = _state(request), session_cookie(request), clock.now()
    opened = second_steps.open_second_step(sealer, state, now=now)
    user_id = session.scope.user_id = opened.user_id  # the transaction of the session has not started yet
    second_steps.verify_second_step(
        session,
        sealer,
        throttle,
        find_site(request, settings),
        opened,
        code=sent.code,
        passkey=sent.passkey,
        address=client_address(request),
        now=now,
    )
    start_session(session, request, response, clock, cookie, is_multi_factor=True)
    forget_cookie(response, second_step_cookie(cookie))
    teams, user = service.teams_of(database, user_id), service.get_user(session, user_id)
    return session_out(user_id, user.email, user.name, teams, user.time_zone, is_multi_factor=True)
