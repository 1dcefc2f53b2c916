"""Forgotten passwords. The answers are the same whether somebody is known or not."""

import time
from typing import Final

from fastapi import APIRouter, Request

from slowpath.accounts import service
from slowpath.accounts.access import Anyone, Throttled, client_address
from slowpath.accounts.endpoints.people import with_passwords
from slowpath.accounts.schemas.people import NewPasswordIn, ResetIn
from slowpath.accounts.service import resetting
from slowpath.core.errors import NotAllowed, NotFound, Refused, TooMany
from slowpath.web.problems import problems
from slowpath.web.sessions import Configured, DatabaseOf, Now, Writing

router = APIRouter(tags=["people"])

ANSWER_S: Final = 0.2
"""The answer comes no sooner: writing down that a known person asked takes a millisecond that would tell."""


@router.post(
    "/password-resets",
    operation_id="passwords:forget",
    status_code=204,
    responses=problems(NotAllowed, Refused, TooMany),
)
def forget_password(
    _anyone: Anyone,
    request: Request,
    sent: ResetIn,
    database: DatabaseOf,
    settings: Configured,
    throttle: Throttled,
    clock: Now,
) -> None:
    """Say that you forgot your password. If somebody signed up with this e-mail, they are mailed a link."""
    with_passwords(settings)
    until = time.monotonic() + ANSWER_S
    resetting.ask_reset(
        database,
        throttle,
        email=sent.email,
        address=client_address(request),
        now=clock.now(),
        mail_is_sent=settings.sends_mail,
    )
    time.sleep(max(0.0, until - time.monotonic()))


@router.post(
    "/new-passwords",
    operation_id="passwords:choose",
    status_code=204,
    responses=problems(NotAllowed, NotFound, Refused, TooMany),
)
def choose_password(
    _anyone: Anyone,
    request: Request,
    sent: NewPasswordIn,
    session: Writing,
    database: DatabaseOf,
    settings: Configured,
    throttle: Throttled,
    clock: Now,
) -> None:
    """Choose another password by the link that was mailed. It signs you out everywhere."""
    with_passwords(settings)
    now = clock.now()
    reset_id, user_id = resetting.find_reset(database, throttle, sent.secret, address=client_address(request), now=now)
    hashed = service.hash_password(sent.password)
    resetting.choose_password(session, reset_id, user_id, password_hash=hashed, now=now)
