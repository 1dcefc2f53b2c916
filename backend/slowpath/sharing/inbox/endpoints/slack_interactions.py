"""The endpoint that Slack calls when a button is pressed. It authenticates by signature alone."""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Final

import structlog
from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import PlainTextResponse

from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.errors import (
    Conflict,
    InvalidRequest,
    LimitExceeded,
    NotAuthenticated,
    NotFound,
    SlowpathError,
    TooLarge,
    Unavailable,
)
from slowpath.core.settings import Settings
from slowpath.platform.accounts.access import Anyone, Throttled, client_address
from slowpath.platform.http.body_limits import KIB
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_bodies import limit_body
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf, Now, Seals, WayOut
from slowpath.sharing.inbox.errors import InvalidSlackSignature, TooManySlackFailures
from slowpath.sharing.inbox.service import slack_actions
from slowpath.sharing.inbox.service.slack_actions import PressedButton
from slowpath.sharing.inbox.wording import SLACK_UNAVAILABLE
from slowpath.sharing.notifications.errors import ChannelNotFound
from slowpath.sharing.notifications.rules import ChannelKind, ChannelState
from slowpath.sharing.notifications.service import channels, slack_app, slack_links
from slowpath.sharing.notifications.service.slack_app import SlackApi, SlackAppSecret, SlackUser
from slowpath.sharing.notifications.service.slack_links import SlackLink

log = structlog.get_logger(__name__)
router = APIRouter(prefix="/api/v1/slack-interactions", tags=["notifications"])

STREAMED: Final = re.compile(r"POST /api/v1/slack-interactions/[^/]*")
"""Requests whose bodies this route bounds itself: Slack sends the message with each button."""
MAX_BYTES: Final = 256 * KIB
MOST_TRIES: Final = 60
FORM: Final = {
    "requestBody": {
        "required": True,
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {"type": "object", "properties": {"payload": {"type": "string"}}, "required": ["payload"]}
            }
        },
    }
}


@dataclass(frozen=True)
class SlackChannel:
    """The channel of an address, before authentication."""

    link: SlackLink
    api_url: str
    secret: SlackAppSecret

    @property
    def scope(self) -> TeamScope:
        """Return the scope of the team."""
        return TeamScope(self.link.team_id)


def _find_channel(
    token: Annotated[str, Path(max_length=200)],
    _anyone: Anyone,
    database: DatabaseOf,
    settings: Configured,
    sealer: Seals,
) -> SlackChannel:
    return find_channel(database, settings, sealer, token)


def find_channel(database: Database, settings: Settings, sealer: SecretEncryptor, token: str) -> SlackChannel:
    """Return the active channel of an address. Raises `ChannelNotFound`, `InvalidChannel`."""
    link = slack_links.parse_slack_token(settings, token)
    with database.reading(TeamScope(link.team_id)) as session:
        row = channels.get_channel(session, link.channel_id)
        if row.kind != ChannelKind.SLACK_APP or row.state != ChannelState.ON:
            raise ChannelNotFound("The channel is not active.", remedy="Turn it on in the settings.")
        secret = SlackAppSecret.from_text(channels.get_channel_secret(row, sealer))
        return SlackChannel(link, str(row.target["api_url"]), secret)


# Find the channel first: the body of a request to an unknown address is not read.
async def _read_body(request: Request, _channel: Annotated[SlackChannel, Depends(_find_channel)]) -> bytes:
    return b"".join([chunk async for chunk in limit_body(request, MAX_BYTES)])


@router.post(
    "/{token}",
    operation_id="slack-interactions:receive",
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string", "maxLength": 0}}}},
        **document_problems(NotFound, NotAuthenticated, Conflict, InvalidRequest, TooLarge, LimitExceeded, Unavailable),
    },
    openapi_extra=FORM,
    response_class=PlainTextResponse,
)
def receive_slack_interaction(
    request: Request,
    channel: Annotated[SlackChannel, Depends(_find_channel)],
    body: Annotated[bytes, Depends(_read_body)],
    database: DatabaseOf,
    outside: WayOut,
    throttle: Throttled,
    clock: Now,
) -> PlainTextResponse:
    """Take the action of a button, signed in `X-Slack-Signature`, and answer the person who pressed it in Slack."""
    now = clock.now()
    timestamp = request.headers.get("x-slack-request-timestamp", "")
    signature = request.headers.get("x-slack-signature", "")
    if not slack_app.is_signed_by_slack(channel.secret.signing_secret, timestamp, signature, body, now):
        key = f"slack/{channel.link.channel_id}/{client_address(request)}"
        if not throttle.hit(key, times=MOST_TRIES, seconds=60):
            raise TooManySlackFailures("Too many invalid signatures.", limit=MOST_TRIES, unit="a minute")
        raise InvalidSlackSignature(
            "The request is not signed with the signing secret of this channel, or is older than five minutes.",
            remedy="Create the channel again with the signing secret of the app, and check the clock of the server.",
        )
    with database.writing(channel.scope) as session:
        slack_actions.record_interaction(session, channel.link.channel_id, timestamp, body)
    pressed = slack_actions.parse_interaction(body)
    with outside.opened(channel.api_url) as peer:
        api = SlackApi(peer, channel.secret.token, seconds=slack_app.INTERACTION_SECONDS)
        text = _act(api, channel, pressed, database, clock)
        with suppress(SlowpathError):  # the action is taken; Slack may miss its confirmation
            api.post_ephemeral(pressed.conversation, pressed.user, text)
    return PlainTextResponse()


def _act(api: SlackApi, channel: SlackChannel, pressed: PressedButton, database: Database, clock: Now) -> str:
    """Take the action as the member with the same address. Returns what the person reads."""
    try:
        user: SlackUser = api.get_user(pressed.user)
    except SlowpathError as error:
        log.warning("slack user unknown", problem=error.detail)
        return SLACK_UNAVAILABLE
    with database.reading(channel.scope) as session:
        caller, refusal = slack_actions.find_member(session, user)
    if caller is None:
        return refusal
    with database.writing(TeamScope(caller.team_id, caller.user_id)) as session:
        return slack_actions.press_button(session, caller, pressed, user.time_zone, clock.now())
