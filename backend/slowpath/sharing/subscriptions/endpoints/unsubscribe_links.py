"""Unsubscribe links of mails. They need no sign-in and ignore cookies.

A mail program posts to the address of the header `List-Unsubscribe` (RFC 8058). A person who opens the same address gets a
page with a button: programs that scan mails open links, and must not end a subscription.
"""

from typing import Annotated

from fastapi import APIRouter, Path, Request

from slowpath.core.errors import LimitExceeded, NotFound
from slowpath.core.link_signatures import create_link_signer
from slowpath.core.ports import RateLimiter
from slowpath.core.settings import Settings
from slowpath.platform.accounts.access import Anyone, Throttled, client_address
from slowpath.platform.accounts.rules.request_origin import rate_limit_key
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf
from slowpath.sharing.subscriptions.errors import InvalidUnsubscribeLink, TooManyInvalidLinks
from slowpath.sharing.subscriptions.rules import INVALID_LINKS
from slowpath.sharing.subscriptions.schemas import UnsubscribeOut
from slowpath.sharing.subscriptions.service import unsubscribe_links
from slowpath.sharing.subscriptions.service.unsubscribe_links import UnsubscribeTarget

router = APIRouter(tags=["subscriptions"])
Token = Annotated[str, Path(max_length=200, description="the last part of the link")]


@router.get(
    "/api/v1/unsubscribe/{token}",
    operation_id="unsubscribe-links:get",
    responses=document_problems(NotFound, LimitExceeded),
)
def preview_unsubscribe(
    _anyone: Anyone, request: Request, token: Token, database: DatabaseOf, settings: Configured, throttle: Throttled
) -> UnsubscribeOut:
    """Return what a link ends. Nothing changes."""
    target = _parse(request, token, settings, throttle)
    with database.reading(target.scope) as session:
        return UnsubscribeOut.of(unsubscribe_links.preview_unsubscribe(session, target))


@router.post(
    "/api/v1/unsubscribe/{token}",
    operation_id="unsubscribe-links:use",
    responses=document_problems(NotFound, LimitExceeded),
)
@router.post("/unsubscribe/{token}", include_in_schema=False)
def unsubscribe_by_link(
    _anyone: Anyone, request: Request, token: Token, database: DatabaseOf, settings: Configured, throttle: Throttled
) -> UnsubscribeOut:
    """End the subscription that a link names. A repetition has the same response."""
    target = _parse(request, token, settings, throttle)
    with database.writing(target.scope) as session:
        for row in unsubscribe_links.end_subscriptions(session, target):
            facts = {"by": "link", "user_id": str(row.user_id)}
            record_audit_event(session, None, "subscription.deleted", "service", row.service_id, facts)
    return UnsubscribeOut(is_subscribed=False, team_name="", service_name=None)


def _parse(request: Request, token: str, settings: Settings, throttle: RateLimiter) -> UnsubscribeTarget:
    """Return what a token names. Only invalid ones are counted: mail services use few addresses for many users."""
    try:
        return unsubscribe_links.parse_unsubscribe_token(create_link_signer(settings), token)
    except InvalidUnsubscribeLink as error:
        times, seconds = INVALID_LINKS
        key = f"unsubscribe:{rate_limit_key(client_address(request))}"
        if not throttle.hit(key, times=times, seconds=seconds):
            raise TooManyInvalidLinks(
                "Too many invalid links were opened from this IP address.",
                limit=times,
                unit=f"requests in {seconds} s",
                remedy="Wait a minute.",
            ) from error
        raise
