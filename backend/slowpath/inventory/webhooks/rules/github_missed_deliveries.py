"""Which messages of GitHub did not arrive, by its own account of them."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from slowpath.inventory.webhooks.rules.webhook_payloads import number, text, when

NEXT: Final = re.compile(r'<([^<>\s]{1,2000})>;\s*rel="next"')
CURSOR: Final = re.compile(r"[A-Za-z0-9_=.-]{1,200}")
SETTLING: Final = timedelta(minutes=2)
"""A message so young may still be on its way."""
OLDEST: Final = timedelta(days=3)
"""GitHub sends nothing again that is older."""
MOST_AGAIN: Final = 50
"""Messages that are asked for at a time."""
SENDS_AGAIN_AFTER_S: Final = 3600.0


@dataclass(frozen=True)
class MissedDelivery:
    """A message that the sender says it sent, and nobody here took."""

    number: int
    """By which the sender is asked to send it again."""
    delivery_id: str


def missed(listed: Any, taken: Collection[str], now: datetime) -> list[MissedDelivery]:  # noqa: ANN401 - any JSON value
    """Return what is to be sent again of a list of GitHub's deliveries, oldest first, each message once."""
    if not isinstance(listed, list):
        return []
    found: dict[str, MissedDelivery] = {}
    arrived: set[str] = set(taken)
    for each in listed:
        if not isinstance(each, dict):
            continue
        guid, at, status = text(each.get("guid")), when(each.get("delivered_at")), each.get("status_code")
        if guid is None or at is None:
            continue
        if isinstance(status, int) and 200 <= status < 300:
            arrived.add(guid)
        known = number(each.get("id"))
        if known is not None and now - OLDEST < at < now - SETTLING:
            found[guid] = MissedDelivery(known, guid)
    return [each for guid, each in found.items() if guid not in arrived][::-1][:MOST_AGAIN]


def is_old(each: Any, now: datetime) -> bool:  # noqa: ANN401 - any JSON value
    """Tell whether a delivery is one that GitHub sends no more, as all that are listed after it."""
    at = when(each.get("delivered_at")) if isinstance(each, dict) else None
    return at is not None and at <= now - OLDEST


def next_cursor(link: str) -> str | None:
    """Return by what the next page is asked for, as the header Link says; None: there is none."""
    for part in link.split(","):
        found = NEXT.fullmatch(part.strip())
        if found is not None:
            (cursor,) = parse_qs(urlsplit(found[1]).query).get("cursor", [""])[:1]
            return cursor if CURSOR.fullmatch(cursor) else None
    return None


def listed_ids(listed: Any) -> list[str]:  # noqa: ANN401 - any JSON value
    """Return the ids of all messages of a list of GitHub's deliveries."""
    told = (text(each.get("guid")) for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()
    return [guid for guid in told if guid]
