"""Find missed deliveries in GitHub's list of deliveries."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from slowpath.inventory.webhooks.rules.payload_fields import number, text, when

NEXT: Final = re.compile(r'<([^<>\s]{1,2000})>;\s*rel="next"')
CURSOR: Final = re.compile(r"[A-Za-z0-9_=.-]{1,200}")
SETTLING: Final = timedelta(minutes=2)
"""A younger delivery may still be in transit."""
OLDEST: Final = timedelta(days=3)
"""GitHub redelivers nothing older."""
MOST_AGAIN: Final = 50
"""Deliveries per request."""
SENDS_AGAIN_AFTER_S: Final = 3600.0


@dataclass(frozen=True)
class MissedDelivery:
    """A delivery that the sender lists and that did not arrive."""

    number: int
    """The ID for requesting a redelivery."""
    delivery_id: str


def missed(listed: Any, taken: Collection[str], now: datetime) -> list[MissedDelivery]:  # noqa: ANN401 - any JSON value
    """Return which of GitHub's deliveries to request again, oldest first, each once."""
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
    """Return whether GitHub no longer redelivers a delivery, and so none listed after it."""
    at = when(each.get("delivered_at")) if isinstance(each, dict) else None
    return at is not None and at <= now - OLDEST


def next_cursor(link: str) -> str | None:
    """Return the cursor of the next page from the header Link; None without one."""
    for part in link.split(","):
        found = NEXT.fullmatch(part.strip())
        if found is not None:
            (cursor,) = parse_qs(urlsplit(found[1]).query).get("cursor", [""])[:1]
            return cursor if CURSOR.fullmatch(cursor) else None
    return None


def listed_ids(listed: Any) -> list[str]:  # noqa: ANN401 - any JSON value
    """Return all IDs of a list of GitHub's deliveries."""
    guids = (text(each.get("guid")) for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()
    return [guid for guid in guids if guid]
