"""Microsoft Teams as receiver: an Adaptive Card for the webhook of a workflow.

External names are text runs, which have no markup, and mentions need entities, which the card does not have.
"""

import json
from typing import Any, Final

from slowpath.sharing.notifications import wording
from slowpath.sharing.notifications.rules import NotificationContent

CARD_SCHEMA: Final = "http://adaptivecards.io/schemas/adaptive-card.json"
CARD_VERSION: Final = "1.4"
"""The newest version that Teams shows on all its clients."""


def make_teams_message(content: NotificationContent) -> bytes:
    """Return the body for a workflow *When a Teams webhook request is received*."""
    card: dict[str, Any] = {
        "$schema": CARD_SCHEMA,
        "type": "AdaptiveCard",
        "version": CARD_VERSION,
        "body": [
            _paragraph(wording.format_headline(content), weight="Bolder", size="Medium"),
            *(_paragraph(line) for line in wording.describe_event(content)),
        ],
        "actions": [{"type": "Action.OpenUrl", "title": "Open in Slowpath", "url": content.url}],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return json.dumps({"type": "message", "attachments": [attachment]}).encode()


def _paragraph(text: str, **style: str) -> dict[str, Any]:
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **style}]}


def split_workflow_url(url: str) -> tuple[str, str]:
    """Return the address of a workflow and its query with the question mark: it contains the signature."""
    address, mark, query = url.partition("?")
    return address, mark + query
