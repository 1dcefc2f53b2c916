"""What differs between the code hosts that send deliveries: one value for each kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from slowpath.inventory.webhooks.rules import HookKind
from slowpath.inventory.webhooks.rules.bitbucket_payloads import parse_bitbucket_event
from slowpath.inventory.webhooks.rules.github_payloads import parse_github_event
from slowpath.inventory.webhooks.rules.gitlab_missed_deliveries import ID_HEADERS
from slowpath.inventory.webhooks.rules.gitlab_payloads import parse_gitlab_event
from slowpath.inventory.webhooks.rules.payload_fields import Message
from slowpath.inventory.webhooks.rules.webhook_events import WebhookEvent
from slowpath.inventory.webhooks.rules.webhook_signatures import (
    Body,
    Headers,
    verify_body_signature,
    verify_gitlab_signature,
)


@dataclass(frozen=True)
class WebhookSender:
    """How deliveries of a kind of code host are verified, identified and parsed. Names of headers are in lower case."""

    name: str
    verify: Callable[[str, Headers, Body, datetime], bool]
    """With the secret; the time is now, for signatures with a timestamp."""
    parse: Callable[[str, Message], WebhookEvent]
    """With the event of the header."""
    event_header: str
    id_headers: tuple[str, ...]
    """Headers with the ID of a delivery, in order of preference."""
    hook_header: str
    """The header with the sender's ID of the webhook."""


def _verify_body(header: str, secret: str, headers: Headers, body: Body, _now: datetime) -> bool:
    return verify_body_signature(header, secret, headers, body)


SENDERS: Final[Mapping[HookKind, WebhookSender]] = {
    "github": WebhookSender(
        "GitHub", partial(_verify_body, "x-hub-signature-256"), parse_github_event,
        "x-github-event", ("x-github-delivery",), "x-github-hook-id",
    ),
    "gitlab": WebhookSender(
        "GitLab", verify_gitlab_signature, parse_gitlab_event, "x-gitlab-event", ID_HEADERS, "x-gitlab-webhook-uuid"
    ),
    "bitbucket": WebhookSender(
        "Bitbucket", partial(_verify_body, "x-hub-signature"), parse_bitbucket_event,
        "x-event-key", ("x-request-uuid", "x-request-id"), "x-hook-uuid",
    ),
}  # fmt: skip
