"""HTTP endpoints of password resets. Responses do not depend on whether an account exists."""

import time
from typing import Final

from fastapi import APIRouter, Request

from slowpath.core.errors import InvalidRequest, LimitExceeded, NotFound, PermissionDenied
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import Anyone, Throttled, client_address
from slowpath.platform.accounts.endpoints.users import require_password_sign_in
from slowpath.platform.accounts.schemas.users import PasswordResetConfirmationIn, PasswordResetIn
from slowpath.platform.accounts.service import password_resets
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf, Now, Writing

router = APIRouter(tags=["users"])

ANSWER_S: Final = 0.2
"""Minimum response time: the millisecond of recording a request would reveal an account."""


@router.post(
    "/password-resets",
    operation_id="password-resets:create",
    status_code=204,
    responses=document_problems(PermissionDenied, InvalidRequest, LimitExceeded),
)
def request_password_reset(
    _anyone: Anyone,
    request: Request,
    sent: PasswordResetIn,
    database: DatabaseOf,
    settings: Configured,
    throttle: Throttled,
    clock: Now,
) -> None:
    """Request a password reset. If an account has this email, a link is sent to it."""
    require_password_sign_in(settings)
    until = time.monotonic() + ANSWER_S
    password_resets.request_password_reset(
        database,
        throttle,
        email=sent.email,
        address=client_address(request),
        now=clock.now(),
        mail_is_sent=settings.sends_mail,
    )
    time.sleep(max(0.0, until - time.monotonic()))


@router.post(
    "/password-resets/confirm",
    operation_id="password-resets:confirm",
    status_code=204,
    responses=document_problems(PermissionDenied, NotFound, InvalidRequest, LimitExceeded),
)
def confirm_password_reset(
    _anyone: Anyone,
    request: Request,
    sent: PasswordResetConfirmationIn,
    session: Writing,
    database: DatabaseOf,
    settings: Configured,
    throttle: Throttled,
    clock: Now,
) -> None:
    """Set a new password with the link of the email. This ends all your sessions."""
    require_password_sign_in(settings)
    now = clock.now()
    reset_id, user_id = password_resets.get_password_reset(
        database, throttle, sent.secret, address=client_address(request), now=now
    )
    hashed = service.hash_new_password(sent.password)
    password_resets.confirm_password_reset(session, reset_id, user_id, password_hash=hashed, now=now)
