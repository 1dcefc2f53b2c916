"""A Slack app as receiver: one message per incident, updated in place, with a reply in its thread per change, and buttons.

Web API: `chat.postMessage`, `chat.update`, `chat.postEphemeral`, `users.info` (docs.slack.dev). The tests hold the messages
against a schema of Block Kit.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Self

from slowpath.core.errors import UpstreamUnavailable
from slowpath.core.ports import EgressConnection
from slowpath.sharing.notifications import wording
from slowpath.sharing.notifications.errors import InvalidChannel, PermanentDeliveryError, ReceiverGone
from slowpath.sharing.notifications.rules import MAX_ANSWER_BYTES, SEND_SECONDS, ChannelTarget, NotificationContent

SLACK_API_URL: Final = "https://slack.com/api"
BOT_TOKEN: Final = re.compile(r"xoxb-[A-Za-z0-9-]{10,300}")
SIGNING_SECRET: Final = re.compile(r"[0-9a-f]{32,64}")
CONVERSATION: Final = re.compile(r"[CG][A-Z0-9]{5,30}")
GONE: Final = frozenset({"is_archived", "account_inactive", "token_revoked", "team_disabled"})
UNUSABLE: Final = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_too_long", "no_text"})
REMEDIES: Final[Mapping[str, str]] = {
    "channel_not_found": "Invite the app to the channel, or create a channel with another ID.",
    "not_in_channel": "Invite the app to the channel in Slack.",
    "invalid_auth": "Create a new channel with the bot token of the app.",
    "missing_scope": "Add the scopes chat:write, users:read and users:read.email, and install the app again.",
}
OLDEST_SECONDS: Final = 300
"""Age of the oldest request of Slack that is accepted."""
INTERACTION_SECONDS: Final = 2.0
"""Slack waits three seconds for the response to a button."""


@dataclass(frozen=True)
class SlackAppSecret:
    """What is stored encrypted of a Slack app."""

    token: str
    signing_secret: str

    def __repr__(self) -> str:
        """Return no secret: logs must not hold one."""
        return "SlackAppSecret()"

    def to_text(self) -> str:
        """Return the text that is encrypted."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the secret from the result of `to_text`."""
        return cls(**json.loads(text))


@dataclass(frozen=True)
class SlackUser:
    """A person in Slack."""

    email: str | None
    """None if Slack has not confirmed it, or if the person is not of this workspace."""
    time_zone: str


class SlackApi:
    """Slack's Web API with one bot token."""

    def __init__(self, peer: EgressConnection, token: str, *, seconds: float = SEND_SECONDS) -> None:
        """Set the open connection, the token and the time for each call."""
        self._peer, self._token, self._seconds = peer, token, seconds

    def post_message(self, conversation: str, message: Mapping[str, Any], thread: str | None = None) -> str:
        """Post a message, as a reply if a thread is given. Returns its ID, `conversation:ts`."""
        body = {"channel": conversation, **message} | ({"thread_ts": thread} if thread else {})
        answer = self._call("chat.postMessage", body)
        return f"{answer.get('channel', conversation)}:{answer.get('ts', '')}"

    def update_message(self, message_id: str, message: Mapping[str, Any]) -> bool:
        """Replace a message; returns False if it was deleted in Slack."""
        conversation, _, ts = message_id.partition(":")
        answer = self._call(
            "chat.update", {"channel": conversation, "ts": ts, **message}, accepted=frozenset({"message_not_found"})
        )
        return answer.get("ok") is True

    def post_ephemeral(self, conversation: str, user: str, text: str) -> None:
        """Show a text to one person only."""
        self._call("chat.postEphemeral", {"channel": conversation, "user": user, "text": text})

    def get_user(self, user: str) -> SlackUser:
        """Return a person. One of another workspace, a bot or a deactivated one has no address that counts."""
        answer = self._peer.get(
            "/users.info",
            [("user", user)],
            {"Authorization": f"Bearer {self._token}"},
            max_bytes=MAX_ANSWER_BYTES,
            seconds=self._seconds,
        )
        found = self._read(answer.status, answer.content, frozenset()).get("user")
        described = found if isinstance(found, dict) else {}
        profile = described.get("profile")
        email = profile.get("email") if isinstance(profile, dict) else None
        is_trusted = described.get("is_email_confirmed") is not False and not any(
            described.get(name) for name in ("is_bot", "deleted", "is_stranger", "is_restricted", "is_ultra_restricted")
        )
        zone = described.get("tz")
        return SlackUser(
            email if isinstance(email, str) and is_trusted else None, zone if isinstance(zone, str) else "UTC"
        )

    def _call(self, method: str, body: Mapping[str, Any], *, accepted: frozenset[str] = frozenset()) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json; charset=utf-8"}
        content = json.dumps(body).encode()
        answer = self._peer.send(
            "POST", f"/{method}", content, headers, max_bytes=MAX_ANSWER_BYTES, seconds=self._seconds
        )
        if answer.status == 429:
            raise UpstreamUnavailable("Slack limits the rate of messages.", slug="answered-with-an-error")
        return self._read(answer.status, answer.content, accepted)

    def _read(self, status: int, content: bytes, accepted: frozenset[str]) -> dict[str, Any]:
        """Return what Slack answered. Errors come with status 200 and `"ok": false`."""
        if status != 200:
            raise UpstreamUnavailable(f"Slack answered {status}.", slug="answered-with-an-error")
        try:
            answer = json.loads(content)
        except ValueError as error:
            raise UpstreamUnavailable("Slack did not return JSON.", slug="answer-no-json") from error
        if not isinstance(answer, dict):
            raise UpstreamUnavailable("Slack did not return an object.", slug="answer-no-json")
        problem = answer.get("error")
        if answer.get("ok") is True or problem in accepted:
            return answer
        name = str(problem)[:100]
        if name in GONE:
            raise ReceiverGone(f"Slack answered: {name}.", remedy="Create a channel with an active app, or delete it.")
        if name in UNUSABLE:
            raise PermanentDeliveryError(f"Slack rejects the message: {name}.")
        raise UpstreamUnavailable(f"Slack answered: {name}.", slug="answered-with-an-error", remedy=REMEDIES.get(name))


def validate_slack_app(target: ChannelTarget) -> SlackAppSecret:
    """Return the secrets of a new channel. Raises `InvalidChannel`."""
    if not CONVERSATION.fullmatch(target.conversation):
        raise InvalidChannel(
            "The ID of the channel is missing or invalid.",
            remedy="Open the details of the channel in Slack and copy its ID, for example C0123ABCD.",
        )
    if not BOT_TOKEN.fullmatch(target.token):
        raise InvalidChannel(
            "The bot token is missing or invalid.",
            remedy="Install the app in Slack and copy its Bot User OAuth Token, which begins with xoxb-.",
        )
    if not SIGNING_SECRET.fullmatch(target.signing_secret):
        raise InvalidChannel(
            "The signing secret is missing or invalid.", remedy="Copy it from Basic Information of the app in Slack."
        )
    return SlackAppSecret(target.token, target.signing_secret)


def deliver_to_slack(api: SlackApi, conversation: str, content: NotificationContent, message_id: str | None) -> str:
    """Post the message of an incident, or update it and reply in its thread. Returns the ID of the message."""
    message = wording.slack_app(content)
    if message_id is None or not api.update_message(message_id, message):
        return api.post_message(conversation, message)
    posted_in, _, ts = message_id.partition(":")
    api.post_message(posted_in, wording.slack_reply(content), ts)
    return message_id


def is_signed_by_slack(secret: str, timestamp: str, signature: str, body: bytes, now: datetime) -> bool:
    """Return whether Slack signed a request in the last five minutes: HMAC-SHA256 of the raw body and its time."""
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(now.timestamp() - int(timestamp)) > OLDEST_SECONDS:
        return False
    expected = hmac.new(secret.encode(), f"v0:{timestamp}:".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"v0={expected}".encode(), signature.encode(errors="replace"))
