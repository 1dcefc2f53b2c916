"""Which messages did not arrive, by the sender's own account of them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from slowpath.hooks.rules.messages import number, text, when

SETTLING: Final = timedelta(minutes=2)
"""A message so young may still be on its way."""
OLDEST: Final = timedelta(days=3)
"""GitHub sends nothing again that is older."""
MOST_AGAIN: Final = 50
"""Messages that are asked for at a time."""
SENDS_AGAIN_AFTER_S: Final = 3600.0


@dataclass(frozen=True)
class Missed:
    """A message that the sender says it sent, and nobody here took."""

    number: int
    """By which the sender is asked to send it again."""
    delivery_id: str


def missed(listed: Any, taken: Collection[str], now: datetime) -> list[Missed]:  # noqa: ANN401 - any JSON value
    """Return what is to be sent again of a list of GitHub's deliveries, oldest first, each message once."""
    if not isinstance(listed, list):
        return []
    found: dict[str, Missed] = {}
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
            found[guid] = Missed(known, guid)
    return [each for guid, each in found.items() if guid not in arrived][::-1][:MOST_AGAIN]


def listed_ids(listed: Any) -> list[str]:  # noqa: ANN401 - any JSON value
    """Return the ids of all messages of a list of GitHub's deliveries."""
    told = (text(each.get("guid")) for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()
    return [guid for guid in told if guid]
